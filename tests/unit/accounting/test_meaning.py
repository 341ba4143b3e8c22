"""What a guarantee means to a guesser: against exact tests, and never below what a guesser can do."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf
from scipy.stats import norm

from relgauss.accounting import (
    ApproximateDP,
    Failure,
    GaussianDP,
    GaussianPairDP,
    PureDP,
    bayes_advantage,
    compose,
    trade_off,
    true_positive_rate,
)
from relgauss.errors import InvalidParameterError

RATES = st.floats(1e-6, 0.999)


@given(mu=st.floats(1e-9, 10.0), rate=RATES)
def test_of_a_gaussian_it_is_the_best_test_s(mu: float, rate: float):
    assert true_positive_rate(GaussianDP(mu), rate) == pytest.approx(norm.cdf(norm.ppf(rate) + mu), rel=1e-9)


@given(epsilon=st.floats(1e-9, 8.0), rate=RATES)
def test_of_pure_privacy_it_is_that_of_randomised_response(epsilon: float, rate: float):
    exact = min(math.exp(epsilon) * rate, 1 - math.exp(-epsilon) * (1 - rate))
    found = true_positive_rate(PureDP(epsilon), rate)
    assert exact * (1 - 1e-9) <= found <= max(exact * (1 + 1e-6), rate)


@given(mu=st.floats(0.01, 5.0), rate=st.floats(1e-4, 0.99))
def test_read_off_the_profile_it_is_never_below_the_best_test(mu: float, rate: float):
    """A failure of 1e-12 takes the way by the profile."""
    found = true_positive_rate(compose(GaussianDP(mu), Failure(1e-12)), rate)
    best = norm.cdf(norm.ppf(rate) + mu)
    assert best * (1 - 1e-9) <= found <= best * 1.001 + 1e-9


def test_a_guesser_of_unequal_variances_stays_below_the_bound():
    guarantee = GaussianPairDP(0.5, 0.1, 5)
    rng = np.random.default_rng(3)
    wide = rng.normal(0.0, math.sqrt(1.1), (200_000, 5))
    narrow = rng.normal(0.0, 1.0, (200_000, 5)) + 0.5 * np.eye(5)[0]

    def loss(outputs: np.ndarray) -> np.ndarray:
        return ((outputs - 0.5 * np.eye(5)[0]) ** 2).sum(1) / 2 - (outputs**2).sum(1) / 2.2

    for rate in (0.01, 0.1, 0.5):
        threshold = np.quantile(loss(narrow), 1 - rate)
        power = np.mean(loss(wide) > threshold)
        bound = true_positive_rate(guarantee, rate)
        assert power <= bound + 0.005
        assert power >= rate + 0.3 * (bound - rate)  # the guesser is a good one: a bound far off would show


@given(mu=st.floats(1e-9, 8.0))
def test_the_advantage_at_even_odds_is_half_the_largest_difference(mu: float):
    assert bayes_advantage(GaussianDP(mu)) == pytest.approx(norm.cdf(mu / 2) - 0.5, abs=1e-12)


@given(mu=st.floats(0.05, 5.0), prior=st.floats(0.001, 0.999))
def test_the_advantage_at_a_prior_is_that_of_the_best_threshold(mu: float, prior: float):
    thresholds = np.linspace(-40, 40, 20_001)
    right = prior * norm.sf(thresholds - mu) + (1 - prior) * norm.cdf(thresholds)
    blind = max(prior, 1 - prior)
    found = bayes_advantage(GaussianDP(mu), prior)
    assert right.max() - blind - 1e-6 <= found <= right.max() - blind + 1e-4


@pytest.mark.parametrize("away", [1e-7, -3e-7, 7e-8, 2e-6, -5e-7, 1e-12])
def test_near_one_half_the_odds_keep_their_digits(away: float):
    """Two logarithms would cancel there: where epsilon hardly exceeds the odds, digits would be wrong."""
    prior = 0.5 + away
    with mp.workdps(60):
        p = mpf(prior)
        odds = max(p, 1 - p) / min(p, 1 - p)
        epsilon = float(mp.log(odds) * (1 + mpf("1e-8")))
        exact = min(p, 1 - p) * (mp.exp(mpf(epsilon)) - odds) / (1 + mp.exp(mpf(epsilon)))
    assert exact <= bayes_advantage(PureDP(epsilon), prior) <= exact * 1.00001


def test_an_advantage_that_no_double_holds_is_not_zero():
    assert bayes_advantage(ApproximateDP(0.0, 1e-300), 1e-200) > 0


def test_the_trade_off_is_what_is_missed():
    assert trade_off(GaussianDP(1.0), 0.05) == 1 - true_positive_rate(GaussianDP(1.0), 0.05)


@pytest.mark.parametrize("part", [Failure(1 - 1e-15), ApproximateDP(1.0, 1 - 1e-15)])
def test_without_privacy_everything_is_found(part: object):
    assert true_positive_rate(part, 0.01) == pytest.approx(1.0)
    assert bayes_advantage(part, 0.3) == pytest.approx(0.3)


@pytest.mark.parametrize("rate", [0.0, 1.0, -0.1, math.nan, "often"])
def test_a_rate_that_is_none(rate: object):
    with pytest.raises(InvalidParameterError, match="false_positive_rate"):
        true_positive_rate(GaussianDP(1.0), rate)


def test_the_least_rate_that_a_double_holds():
    for part in (compose(GaussianDP(1.0), PureDP(0.1)), GaussianDP(1.0)):
        assert 5e-324 <= true_positive_rate(part, 5e-324) < 1e-300


def test_a_prior_that_is_none():
    with pytest.raises(InvalidParameterError, match="prior"):
        bayes_advantage(GaussianDP(1.0), 0.0)
