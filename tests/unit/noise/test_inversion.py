"""The table's thresholds against 200-digit sums, and that nothing but the scale makes them."""

from decimal import ROUND_DOWN, Context, FloatOperation, Inexact, Rounded, localcontext
from fractions import Fraction
from functools import cache

import mpmath as mp
import numpy as np
import pytest

from relgauss.errors import InvalidParameterError, SecureNoiseUnavailableError
from relgauss.noise import inversion
from relgauss.noise.discrete_gaussian import DiscreteGaussian
from relgauss.noise.inversion import InversionTable, thresholds

COMMON = Fraction(2**10)


@cache
def exact_shares(scale: Fraction) -> list[mp.mpf]:
    """F_q for all q below 0, the last one -1, in 200 digits, from sums that go on far beyond."""
    with mp.workdps(200):
        square = 2 * mp.mpf(scale.numerator) ** 2 / mp.mpf(scale.denominator) ** 2
        far = int(mp.sqrt(480 * square)) + 2
        weights = [mp.exp(-(mp.mpf(e) ** 2) / square) for e in range(far)]
        whole, tail, tails = 2 * mp.fsum(weights), mp.mpf(0), []
        for weight in reversed(weights):
            tail += weight
            tails.append(tail / whole)
        return tails


def exact_thresholds(scale: Fraction, bits: int, half: int) -> list[int]:
    """floor(2^bits F_q) for q = -1 - half, ..., -1 + half."""
    below = exact_shares(scale)[-half - 1 : -1]  # q = -1 - half, ..., -2
    with mp.workdps(200):
        shares = [*below, mp.mpf(1) / 2, *(1 - share for share in reversed(below))]
        return [int(mp.floor(share * 2**bits)) for share in shares]


@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(3, 2), Fraction(20.1), Fraction(3000.7) / 3])
@pytest.mark.parametrize("bits", [8, 64, 192])
def test_thresholds_are_exact(scale: Fraction, bits: int):
    found = thresholds(scale, bits)
    assert found[0] == 0
    assert found[-1] == 2**bits - 1
    assert found == exact_thresholds(scale, bits, len(found) // 2)


def test_the_common_table_is_exact():
    """All 18,599 thresholds that releases are drawn by."""
    table = DiscreteGaussian.of(1.0, -47).table
    assert table.scale == COMMON
    found = table.thresholds.tolist()
    exact = exact_thresholds(COMMON, 64, len(found) // 2)
    assert found == exact
    exact[7000] += 1  # a planted fault
    assert found != exact


@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(5, 2), COMMON])
def test_what_stands_beside_the_thresholds(scale: Fraction):
    table = InversionTable.of(scale)
    half = len(table.thresholds) // 2
    assert table.numbers.tolist() == list(range(-half - 1, half + 1))
    assert table.below[1:].tolist() == table.thresholds.tolist()
    for q, envelope in zip(table.numbers.tolist(), table.envelope.tolist(), strict=True):
        e = q if q >= 0 else -q - 1
        assert abs(Fraction(envelope) - Fraction(e) ** 2 / (2 * scale**2)) <= 2 * Fraction(envelope) / 2**53
    reach = Fraction(table.numbers[1]) ** 2 / (2 * scale**2)  # of x²/(2 tau²), for a table of its own
    assert reach <= 66


HOSTILE = {
    "small exponents, cut off": Context(prec=5, rounding=ROUND_DOWN, Emax=50, Emin=-50, traps=[]),
    "traps": Context(prec=28, traps=[FloatOperation, Inexact, Rounded]),
}


@pytest.mark.parametrize("context", HOSTILE.values(), ids=HOSTILE.keys())
def test_the_callers_decimal_context_changes_nothing(context: Context):
    """With the caller's context the first one would make all weights, and so the noise, vanish."""
    expected = thresholds(Fraction(8), 64)
    with localcontext(context):
        assert thresholds(Fraction(8), 64) == expected


@pytest.mark.parametrize("scale", [Fraction(0), Fraction(-8), Fraction(2, 5), Fraction(2**10 + 1)])
def test_scales_without_a_proof_are_refused(scale: Fraction):
    with pytest.raises(InvalidParameterError):
        InversionTable.of(scale)


def test_a_table_is_not_to_be_written_to():
    for array in InversionTable.of(Fraction(8))[1:]:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_too_few_digits_are_noticed():
    """With hardly any guard digits the two bounds differ, and more digits are taken by themselves."""
    assert thresholds(Fraction(8), 64, guard=2) == thresholds(Fraction(8), 64)


def test_a_table_that_no_number_of_digits_decides_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(inversion, "_MOST_GUARD", 1)
    with pytest.raises(SecureNoiseUnavailableError):
        thresholds(Fraction(8), 64, guard=2)


def test_a_third_word(monkeypatch: pytest.MonkeyPatch):
    """A word and a second one that are both undecided, at the same threshold."""
    table = InversionTable.of(Fraction(8))
    for place in (5, 30, len(table.thresholds) - 9):
        both = next(t for t in thresholds(Fraction(8), 128) if t >> 64 == int(table.thresholds[place]))
        bound = next(t for t in thresholds(Fraction(8), 192) if t >> 64 == both)
        for last, q in ((bound % 2**64 - 1, place), (bound % 2**64 + 1, place + 1)):
            further = [both % 2**64, last]
            monkeypatch.setattr("relgauss.noise.lazy_uniform.random_bits", lambda _, f=further: f.pop(0))
            assert table.find(both >> 64) == table.numbers[q]
            assert further == []


def test_a_half_is_decided_exactly(monkeypatch: pytest.MonkeyPatch):
    table = InversionTable.of(Fraction(8))
    monkeypatch.setattr("relgauss.noise.lazy_uniform.random_bits", lambda _: 1)
    assert table.find(2**63) == 0
    assert table.find(2**63 - 1) == -1
    assert np.count_nonzero(table.thresholds == np.uint64(2**63)) == 1
