"""Intervals hold the true mean at their stated rate, whatever form a group has: by seeded simulation."""

import math

import numpy as np
import pytest
from scipy import stats

import relgauss as rg
from relgauss.grouped.assumed_spread import estimate_assumed
from relgauss.grouped.column_estimates import StatisticEstimates
from relgauss.grouped.contribution import ONE_ROW
from relgauss.grouped.measure_column import measure_column
from relgauss.grouped.result import Estimates
from relgauss.grouped.totals import CellTotals, GroupTotals
from relgauss.grouped.value_rule import ValueRule

from .grouped_cases import FORMS, HIGH, LOW, draw_groups, totals_of, true_means, two_jobs

pytestmark = pytest.mark.statistical

GROUPS = 150


def estimate(
    totals: CellTotals, epsilon: float, confidence: float, rng: np.random.Generator
) -> StatisticEstimates:
    mu = rg.Budget(epsilon, 1e-6).mu
    return measure_column(totals, ONE_ROW, mu, ["mean"], confidence, rng).statistics["mean"]


def covered(found: Estimates | StatisticEstimates, means: np.ndarray) -> np.ndarray:
    return (found.lower <= means) & (means <= found.upper)


def simulate(
    form: str,
    size: int,
    epsilon: float,
    confidence: float = 0.95,
    value_range: tuple[float, float] = (LOW, HIGH),
) -> float:
    """The share of intervals that cover, in one table of groups of this form."""
    rng = np.random.default_rng(1)
    totals = totals_of(draw_groups(form, size, GROUPS, rng), *value_range)
    found = estimate(totals, epsilon, confidence, rng)
    return float(covered(found, true_means(totals)).mean())


@pytest.mark.parametrize(
    ("epsilon", "sizes"),
    [
        (1.0, (30, 3_000)),
        pytest.param(1.0, (30, 200, 3_000), marks=pytest.mark.slow),
        pytest.param(3.0, (30, 200, 3_000), marks=pytest.mark.slow),
    ],
    ids=str,
)
@pytest.mark.parametrize("form", FORMS)
def test_enforced_intervals_cover(form: str, epsilon: float, sizes: tuple[int, ...]):
    rates = {size: simulate(form, size, epsilon) for size in sizes}
    assert np.mean(list(rates.values())) >= 0.95, rates
    assert min(rates.values()) >= 0.92, rates  # two standard errors of 150 intervals


@pytest.mark.parametrize("form", ["Pareto 3", "lognormal 0.2", "one in ten earns triple"])
def test_enforced_intervals_cover_in_the_default_range(form: str):
    """Its bins are the coarsest: tails must not hide between them."""
    rates = {size: simulate(form, size, 3.0, value_range=(1e-6, 1e12)) for size in (200, 1_000)}
    assert min(rates.values()) >= 0.92, rates


def test_most_minorities_are_covered():
    """A few per cent who earn a multiple hide in the noise on counts: the hardest case for an interval."""
    rates = {}
    for share in (0.05, 0.1, 0.2):
        for ratio in (2.0, 3.0, 6.0):
            rng = np.random.default_rng(5)
            scales = np.exp(rng.uniform(np.log(5e3), np.log(1e5), GROUPS))
            totals = totals_of([scale * two_jobs(share, ratio)(rng, 200) for scale in scales])
            found = estimate(totals, 1.0, 0.95, rng)
            rates[share, ratio] = covered(found, true_means(totals)).mean()
    assert np.mean(list(rates.values())) >= 0.92, rates
    assert min(rates.values()) >= 0.7, rates


@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.99])
def test_other_rates(confidence: float):
    rates = [simulate(form, 300, 1.0, confidence) for form in list(FORMS)[::2]]
    assert np.mean(rates) >= confidence


def test_large_groups_have_short_intervals():
    rng = np.random.default_rng(2)
    totals = totals_of(draw_groups("lognormal 0.2", 3_000, GROUPS, rng))
    found = estimate(totals, 1.0, 0.95, rng)
    assert np.median((found.upper - found.lower) / found.estimate) < 0.035


def test_intervals_that_ignore_clipping_would_not_cover():
    """The simulation can fail: intervals of the noise alone miss what was clipped away."""
    rng = np.random.default_rng(3)
    totals = totals_of(draw_groups("Pareto 2", 200, GROUPS, rng))
    found = estimate(totals, 3.0, 0.95, rng)
    middle, half = found.estimate, (found.upper - found.lower) / 20
    means = true_means(totals)
    assert np.mean(np.abs(means - middle) <= half) < 0.5


@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_assumed_intervals_are_exact_and_estimates_without_bias(confidence: float):
    count, size, mean, rule = 4_000, 10, 5e4, ValueRule(LOW, HIGH)
    totals = GroupTotals(tuple(range(count)), np.full(count, size), (size * rule.units(mean),) * count, rule)
    mu = rg.Budget(1.0, 1e-6).mu
    found = estimate_assumed(totals, (0.5,) * count, mu, confidence, np.random.default_rng(4))
    rate = covered(found, np.full(count, mean)).mean()
    assert stats.binomtest(round(count * rate), count, confidence).pvalue > 1e-3
    relative_std = math.sqrt(math.expm1((math.log1p(0.05) / mu) ** 2))
    assert found.estimate.mean() / mean == pytest.approx(1, abs=4 * relative_std / math.sqrt(count))
    assert found.estimate.std() / mean == pytest.approx(relative_std, rel=0.06)
