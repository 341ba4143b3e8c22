"""Comparisons of a uniform number with an exponential, and the discrete Laplace law made of them."""

from decimal import Context, localcontext
from fractions import Fraction

import mpmath as mp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relgauss.noise import discrete_laplace, lazy_uniform
from relgauss.noise.lazy_uniform import LazyUniform, bounds_of_exp
from relgauss.noise.randomness import random_bits


@given(st.fractions(Fraction(1, 10**30), 200), st.sampled_from([64, 128, 192]))
def test_bounds_of_an_exponential(gamma: Fraction, bits: int):
    with mp.workdps(150):
        exact = mp.exp(-mp.mpf(gamma.numerator) / gamma.denominator) * mp.mpf(2) ** bits
        least, most = bounds_of_exp(gamma, bits)
        assert least < exact < most
        assert most - least == 3


def test_the_callers_decimal_context_changes_nothing():
    expected = bounds_of_exp(Fraction(1, 3), 64)
    with localcontext(Context(prec=3, Emax=9, Emin=-9)):
        assert bounds_of_exp(Fraction(1, 3), 64) == expected


@given(st.fractions(Fraction(1, 10**6), 40), st.integers(-3, 3), st.integers(0, 2**64 - 1))
def test_further_digits_decide(gamma: Fraction, shift: int, further: int):
    """Words around the bound, some of which 64 digits do not decide."""
    with mp.workdps(150):
        exact = mp.exp(-mp.mpf(gamma.numerator) / gamma.denominator) * mp.mpf(2) ** 64
        word = max(int(mp.floor(exact)) + shift, 0)
        honest = lazy_uniform.random_bits
        lazy_uniform.random_bits = lambda _: further
        try:
            found = LazyUniform(word, 64).below_exp(gamma)
        finally:
            lazy_uniform.random_bits = honest
        assert found == (word + mp.mpf(further) / 2**64 + mp.mpf(further) / 2**128 < exact)


def test_nothing_is_above_one():
    assert LazyUniform(2**64 - 1, 64).below_exp(Fraction(0))


@pytest.mark.parametrize("count", [0, 1, 3, 8, 64, 65])
def test_random_bits_fill_their_range_and_no_more(count: int):
    """Of 300 numbers the bitwise or is all ones, but with a probability of 65·2^-300."""
    drawn = [random_bits(count) for _ in range(300)]
    ones = 0
    for number in drawn:
        ones |= number
    assert ones == 2**count - 1


@given(st.floats(1e-9, 500), st.integers(0, 2**64 - 1))
def test_the_size_of_laplace_noise_is_exact(epsilon: float, word: int):
    uniform = LazyUniform(word, 64)
    size = discrete_laplace._size(Fraction(epsilon), uniform)
    with mp.workdps(80):
        low = mp.mpf(uniform.word) / mp.mpf(2) ** uniform.bits
        high = mp.mpf(uniform.word + 1) / mp.mpf(2) ** uniform.bits
        assert high <= mp.exp(-mp.mpf(epsilon) * size)
        assert low >= mp.exp(-mp.mpf(epsilon) * (size + 1))


@pytest.mark.parametrize(("signs", "expected"), [([0], 2), ([1], -2)])
def test_the_sign_of_laplace_noise(signs, expected, monkeypatch: pytest.MonkeyPatch):
    given_bits = [int(2**64 * 0.1), *signs]  # -log 0.1 = 2.3
    monkeypatch.setattr(discrete_laplace, "random_bits", lambda _: given_bits.pop(0))
    assert discrete_laplace.draw(1.0) == expected


def test_a_negative_zero_is_drawn_anew(monkeypatch: pytest.MonkeyPatch):
    given_bits = [int(2**64 * 0.9), 1, int(2**64 * 0.1), 1]
    monkeypatch.setattr(discrete_laplace, "random_bits", lambda _: given_bits.pop(0))
    assert discrete_laplace.draw(1.0) == -2
    assert given_bits == []


def test_a_word_of_zeros_is_extended_and_a_small_epsilon_costs_nothing():
    assert discrete_laplace._size(Fraction(1e-9), LazyUniform(1, 64)) >= 43 * 10**9
    assert discrete_laplace._size(Fraction(1), LazyUniform(0, 64)) >= 44
