"""Sampled RGM steps, simulated: an audit stays below what is claimed, and convicts a smaller claim."""

import math
from functools import cache

import numpy as np
import pytest

import relgauss as rg
from relgauss.accounting import GaussianPairDP
from relgauss.audit import lower_bound

pytestmark = pytest.mark.statistical

# A box of pairs, the rate and the number of steps.
CASES = [
    (GaussianPairDP(1.0, 0.02, 10, "add-or-remove"), 0.01, 1000),
    (GaussianPairDP(0.3, 0.3, 5, "add-or-remove"), 0.1, 100),
]


def losses(box: GaussianPairDP, rate: float, steps: int, *, with_record: bool, rng) -> np.ndarray:
    """Total log-likelihood ratios of 4000 runs; a step that sees the record has the larger noise."""
    wide, shape = 1 + box.excess, (steps, 4000)
    sampled = rng.random(shape) < rate if with_record else np.zeros(shape, dtype=bool)
    std = np.where(sampled, math.sqrt(wide), 1.0)
    first = np.where(sampled, 0.0, box.shift) + std * rng.standard_normal(shape)
    others = std**2 * rng.chisquare(box.dim - 1, shape)
    narrow = (first - box.shift) ** 2 + others
    ratio = (narrow - (first**2 + others) / wide) / 2 - box.dim / 2 * math.log(wide)
    return np.log1p(rate * np.expm1(ratio)).sum(axis=0)


@cache
def found(box: GaussianPairDP, rate: float, steps: int, delta: float) -> float:
    """A lower bound on epsilon at 99.9999 % confidence, from a fixed seed."""
    rng = np.random.default_rng(1)
    sides = [losses(box, rate, steps, with_record=side, rng=rng) for side in (True, False)]
    return lower_bound(*sides, delta=delta, confidence=1 - 1e-6).epsilon(delta)


@pytest.mark.parametrize(("box", "rate", "steps"), CASES)
def test_the_audit_stays_below_the_claim_and_sees_much_of_it(box, rate, steps):
    claim = rg.compose((rg.PoissonSampled(box, rate), steps)).epsilon(1e-2)
    assert 0.2 * claim < found(box, rate, steps, 1e-2) <= claim


@pytest.mark.parametrize(("box", "rate", "steps"), CASES)
def test_the_audit_convicts_a_claim_for_a_smaller_rate(box, rate, steps):
    planted = rg.compose((rg.PoissonSampled(box, rate / 4), steps)).epsilon(1e-2)
    assert found(box, rate, steps, 1e-2) > planted
