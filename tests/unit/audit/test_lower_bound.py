"""The bounds are Clopper and Pearson's, their combination keeps its confidence, and so does the audit."""

import math

import numpy as np
import pytest
from scipy import stats

from relgauss.accounting import gdp
from relgauss.audit import clopper_pearson, lower_bound
from relgauss.audit.clopper_pearson import Counts, Region, product_level
from relgauss.audit.events import choose
from relgauss.audit.lower_bound import Scores


@pytest.mark.parametrize(
    ("successes", "trials"), [(0, 10), (1, 10), (9, 10), (10, 10), (3, 1000), (400_000, 10**6)]
)
@pytest.mark.parametrize("level", [1e-9, 0.01, 0.3, 0.9])
def test_bounds_agree_with_scipy(successes: int, trials: int, level: float):
    """scipy inverts the beta distribution, which is how Clopper and Pearson's bounds are written today."""
    failures = trials - successes
    low = stats.beta.ppf(level, successes, failures + 1) if successes else 0.0
    high = stats.beta.isf(level, successes + 1, failures) if failures else 1.0
    assert clopper_pearson.lower(successes, trials, level) == pytest.approx(low, rel=1e-9)
    assert clopper_pearson.upper(successes, trials, level) == pytest.approx(high, rel=1e-9)


@pytest.mark.parametrize(("successes", "trials"), [(1, 10), (3, 1000), (400_000, 10**6)])
def test_bounds_meet_their_definition(successes: int, trials: int):
    level = 0.01
    low = clopper_pearson.lower(successes, trials, level)
    high = clopper_pearson.upper(successes, trials, level)
    assert stats.binom.sf(successes - 1, trials, low) == pytest.approx(level, rel=1e-6)
    assert stats.binom.cdf(successes, trials, high) == pytest.approx(level, rel=1e-6)


@pytest.mark.parametrize("error", [1e-12, 1e-3, 0.05, 0.5])
def test_product_level_is_the_law_of_a_product_of_two_uniforms(error: float):
    level = product_level(error)
    assert level * (1 - math.log(level)) == pytest.approx(error, rel=1e-9)
    assert stats.chi2(4).sf(-2 * math.log(level)) == pytest.approx(error, rel=1e-9)  # Fisher's statement


def region_misses(p: float, q: float, trials: int, error: float) -> float:
    """The exact probability that the region leaves out the true (p, q), by summing over all counts."""
    counts = np.arange(trials + 1)
    weight = np.outer(stats.binom.pmf(counts, trials, p), stats.binom.pmf(counts, trials, q))
    missed = np.zeros_like(weight)
    for x, y in np.argwhere(weight > 1e-12):
        region = Region(Counts(int(x), trials, int(y), trials), error)
        missed[x, y] = not ((region.p_lower <= p) & (q <= region.q_upper)).any()
    return float((weight * missed).sum() + (weight <= 1e-12).sum() * 1e-12)


@pytest.mark.parametrize(("p", "q"), [(0.5, 0.2), (0.9, 0.05), (0.1, 0.1)])
def test_a_region_holds_the_truth_as_often_as_it_says(p: float, q: float):
    error = 0.1
    missed = region_misses(p, q, 40, error)
    assert missed <= error
    assert missed > error / 8  # nor is it needlessly wide


def test_a_region_of_certain_events_excludes_nothing_it_should_not():
    nothing = Region(Counts(0, 100, 100, 100), 0.01)
    assert nothing.epsilon(1e-6) == 0
    assert nothing.delta(0.0) == 0
    everything = Region(Counts(100, 100, 0, 100), 0.01)
    assert 1 < everything.epsilon(1e-6) < math.log(100 / 4)
    assert 0.8 < everything.delta(0.0) < 1


def test_the_product_of_levels_beats_two_separate_bounds():
    counts, error = Counts(20_000, 100_000, 3_000, 100_000), 0.01
    separate = math.log(
        (clopper_pearson.lower(20_000, 100_000, error / 2) - 0.05)
        / clopper_pearson.upper(3_000, 100_000, error / 2)
    )
    estimate = math.log(0.15 / 0.03)
    assert separate < Region(counts, error).epsilon(0.05) < estimate


def test_choose_finds_the_event_of_the_likelihood_ratio():
    rng = np.random.default_rng(1)
    delta = 0.1
    for sign in (1, -1):
        first, second = rng.normal(0, 1, 200_000), rng.normal(sign, 1, 200_000)
        (choice,) = choose(first, second, (delta,))
        promised = gdp.epsilon(1.0, delta)
        assert 0.8 * promised < choice.promise < promised
    with_variance = rng.normal(0, 2, 200_000)  # the best event is not a half-line of x, but one of |x|
    (choice,) = choose(np.abs(with_variance), np.abs(rng.normal(0, 1, 200_000)), (0.01,))
    assert choice.event.above
    assert not choice.event.swapped


def false_alarms(mu: float, delta: float, confidence: float, draws: int, repeats: int) -> tuple[int, int]:
    """How often an audit of N(0,1) against N(mu,1) goes above the truth: at delta, and anywhere."""
    rng = np.random.default_rng(7)
    truth = gdp.epsilon(mu, delta)
    grid = np.linspace(0, 2.5 * mu, 11)
    profile = np.exp(gdp.log_profile(mu, grid))
    at_delta = anywhere = 0
    for _ in range(repeats):
        bound = lower_bound(
            rng.normal(0, 1, draws), rng.normal(mu, 1, draws), delta=delta, confidence=confidence
        )
        too_high = bound.epsilon(delta) > truth
        at_delta += too_high
        anywhere += too_high or any(bound.delta(e) > d for e, d in zip(grid, profile, strict=True))
    return at_delta, anywhere


@pytest.mark.parametrize("repeats", [60, pytest.param(300, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("mu", "delta"), [(1.0, 0.1), (0.3, 0.02), (2.0, 0.35)])
def test_false_alarms_are_as_rare_as_stated(mu: float, delta: float, repeats: int):
    confidence = 0.9
    at_delta, anywhere = false_alarms(mu, delta, confidence, 5_000, repeats)
    assert at_delta <= anywhere <= (1 - confidence) * repeats


def test_a_bound_above_the_truth_is_seen_as_a_false_alarm():
    """The check of false alarms has teeth: at 2 % confidence they are frequent."""
    _, anywhere = false_alarms(1.0, 0.1, 0.02, 5_000, 30)
    assert anywhere > 3


def test_targets_reach_as_far_as_the_draws():
    few, many = (Scores(np.zeros(n), np.zeros(n)).deltas for n in (100, 500_000))
    assert min(few) == 0.1
    assert min(many) == 5e-5
    assert set(few) < set(many)


def test_scores_may_be_infinite():
    first, second = np.tile([-np.inf, 0.0], 1000), np.tile([np.inf, 0.0], 1000)
    assert lower_bound(first, second, delta=0.1, confidence=0.9).epsilon(0.1) > 1
