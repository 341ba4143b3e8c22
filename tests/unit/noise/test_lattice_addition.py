"""Noise is added to a lattice point exactly, and rounded to a double once."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relgauss.noise import discrete_gaussian, lattice
from relgauss.noise.discrete_gaussian import DiscreteGaussian, Draws
from relgauss.noise.lattice import round_to_lattice

FINER = [0, 1, 5, 13, 30, 52, 53, 54, 63, 64, 65, 100, 300]


class Chosen:
    """A law whose draws a test chooses, with as many finer digits."""

    def __init__(self, finer: int, coarse: list[int], digits: list[int]) -> None:
        self.finer = finer
        kept = 2**64 - 2 ** (64 - min(finer, 64))
        digits = [digit & kept for digit in digits]
        self._draws = Draws(np.array(coarse, dtype=np.float64), np.array(digits, dtype=np.uint64), {})
        self.complete = DiscreteGaussian(None, 1.0, 1, finer).complete

    def draw(self, count: int) -> Draws:
        return self._draws

    def exact(self, points: np.ndarray, exponent: int) -> list[float]:
        step = Fraction(2) ** exponent
        numbers = [self.complete(self._draws, place) for place in range(len(points))]
        return [float(Fraction(p) + x * step) for p, x in zip(points.tolist(), numbers, strict=True)]


def cases(data: st.DataObject, count: int) -> tuple[list[int], list[int]]:
    coarse = st.integers(-(2**53), 2**53) | st.integers(-9, 9)
    digits = st.integers(0, 2**64 - 1) | st.sampled_from([0, 1, 2**63, 2**63 - 1, 2**63 + 1, 2**64 - 1])
    lists = (st.lists(one, min_size=count, max_size=count) for one in (coarse, digits))
    return tuple(data.draw(each) for each in lists)


def points(data: st.DataObject, finer: int, exponent: int, coarse: list[int]) -> np.ndarray:
    """Values of every size, some of them so close to minus the noise that the sum nearly vanishes."""
    size = st.floats(-8, 8) | st.floats(-1e280, 1e280)
    scaled = [data.draw(size) * 2.0 ** data.draw(st.integers(-60, 60)) for _ in coarse]
    step = 2.0 ** (exponent + finer)
    near = [-(x + data.draw(st.integers(-2, 2))) * step for x in coarse]
    picked = [data.draw(st.sampled_from(pair)) for pair in zip(scaled, near, strict=True)]
    return round_to_lattice(np.array(picked), exponent)


@pytest.mark.parametrize("finer", FINER)
@given(data=st.data())
def test_the_sum_is_the_nearest_double_to_the_exact_one(finer, data):
    coarse, digits = cases(data, 4)
    exponent = data.draw(st.sampled_from([-590, -115, -47, -3, 0, 20])) - finer // 2
    law = Chosen(finer, coarse, digits)
    values = points(data, finer, exponent, coarse)
    further = data.draw(st.sampled_from([0, 1, -1]))  # none, one or all of the digits drawn at last
    honest = discrete_gaussian.random_bits
    discrete_gaussian.random_bits = lambda count: 2**count - 1 if further < 0 else min(further, 2**count - 1)
    try:
        assert lattice._add(values, law, exponent).tolist() == law.exact(values, exponent)
    finally:
        discrete_gaussian.random_bits = honest


def wrong_share(finer: int, add) -> float:
    """How often a way to add gives another double than the exact sum."""
    rng = np.random.default_rng(finer)
    coarse = np.rint(rng.normal(size=4000) * 2.0**48).astype(int).tolist()
    law = Chosen(finer, coarse, rng.integers(2**63, size=4000).tolist())
    values = round_to_lattice(rng.normal(size=4000), -48 - finer)
    wrong = np.array(law.exact(values, -48 - finer)) != add(values, law, -48 - finer)
    return float(np.mean(wrong))


def naive(values: np.ndarray, law: Chosen, exponent: int) -> np.ndarray:
    """VICTIM: the noise made a double before it is added."""
    draws = law.draw(len(values))
    return values + (draws.coarse + draws.digits / 2.0**64) * 2.0 ** (exponent + law.finer)


@pytest.mark.parametrize("finer", [13, 30, 64, 67])
def test_the_check_sees_noise_that_is_rounded_before_it_is_added(finer: int):
    assert wrong_share(finer, naive) > 0.001
    assert wrong_share(finer, lattice._add) == 0


@pytest.mark.parametrize("finer", [64, 67, 100])
def test_integers_are_hardly_ever_needed(finer: int, monkeypatch: pytest.MonkeyPatch):
    """Once in 2^41: never in 4,000."""
    called = []
    monkeypatch.setattr(discrete_gaussian, "random_bits", lambda count: called.append(1) or 0)
    rng = np.random.default_rng(finer)
    coarse = np.rint(rng.normal(size=4000) * 2.0**48).astype(int).tolist()
    lattice._add(rng.normal(size=4000), Chosen(finer, coarse, rng.integers(2**63, size=4000).tolist()), -115)
    assert called == []


def test_draws_decided_in_integers_are_added_as_integers():
    law = Chosen(67, [3, 5], [7, 9])
    law.draw(2).exact[1] = 2**70 + 1
    total = lattice._add(np.array([0.0, 2.0**-115]), law, -115)
    assert total[1] == float((2**70 + 2) * Fraction(2) ** -115)


def test_blocks_are_joined_in_order():
    values = np.arange(40_000.0) * 1000
    noisy = lattice.add_discrete_gaussian(values, 1.0, -47)
    assert np.abs(noisy - values).max() < 10  # each beyond 10 with probability 2e-23
