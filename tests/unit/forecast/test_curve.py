"""Curves fall or grow, and are read in both directions."""

import math

import numpy as np
import pytest

from relgauss.accounting import gdp
from relgauss.forecast.curve import Curve, advised_epsilon

SIGNALS = np.array([1.0, 2.0, 4.0, 8.0, 16.0])


def test_scattered_points_become_a_falling_curve():
    curve = Curve.falling(SIGNALS, np.array([math.nan, 1.0, 0.2, 0.3, 0.1]))
    assert np.all(np.diff(curve.values[1:]) <= 0)
    assert curve.values[0] == math.inf
    np.testing.assert_allclose(curve.values[[1, 4]], [1.0, 0.1])
    np.testing.assert_allclose(curve.values[2] ** 4, 1.0 * 0.2**2 * 0.3)


def test_between_points_a_power_law_is_followed_exactly():
    curve = Curve.falling(SIGNALS, 3 / SIGNALS)
    np.testing.assert_allclose(curve.at([1.5, 3.0, 11.0]), [2.0, 1.0, 3 / 11])
    assert curve.at(0.9) == math.inf
    assert curve.at(1000.0) == pytest.approx(3 / 16)  # nothing is promised beyond what was seen


def test_no_error_at_all_stays_none():
    curve = Curve.falling(SIGNALS, np.zeros(5))
    assert curve.at([1.0, 3.0, 99.0]).tolist() == [0.0, 0.0, 0.0]


def test_a_share_is_one_line_of_log_odds_for_all_that_was_made():
    signals, made = 100 * 2.0 ** np.arange(8), np.array([3, 3, 12, 12, 12, 12, 3, 3.0])
    ended = made / (1 + np.exp(-3 * (np.arange(8) - 3.5)))
    curve = Curve.logistic(signals, made, ended)
    assert curve.share_at(100 * 2**3.5) == pytest.approx(0.5, abs=0.02)
    assert curve.values[3] == pytest.approx(1 / (1 + np.exp(1.5)), abs=0.03)
    assert np.all(np.diff(curve.values) > 0)
    assert not Curve.logistic(signals, made, np.zeros(8)).values.any()
    steep = Curve.logistic(signals, made, np.where(np.arange(8) > 3, made, 0))
    assert steep.values[3] < 0.02
    assert steep.values[4] > 0.98


def test_below_the_first_release_there_is_nothing():
    curve = Curve.falling(SIGNALS, np.array([math.nan, math.nan, 0.5, 0.2, 0.1]))
    assert curve.at(3.9) == math.inf
    assert curve.at(4.0) == pytest.approx(0.5)
    nothing = Curve.falling(SIGNALS, np.full(5, math.nan))
    assert nothing.at(8.0) == math.inf
    assert nothing.least_signal(0.5) == math.inf


def test_the_inverse_is_the_inverse():
    curve = Curve.falling(SIGNALS, 3 / SIGNALS)
    for target in (2.0, 0.7, 0.2):
        assert curve.at(curve.least_signal(target)) == pytest.approx(target)
    assert curve.least_signal(0.01) == math.inf
    share = Curve.growing(SIGNALS, np.array([0.0, 0.2, 0.1, 0.9, 1.0]))
    assert share.share_at(0.9) == 0
    assert share.share_at(share.least_signal_of_share(0.5)) == pytest.approx(0.5)


@pytest.mark.parametrize("mu", [0.01, 0.2, 1.3])
def test_an_advised_epsilon_buys_the_mu_with_two_digits(mu: float):
    epsilon = advised_epsilon(mu, 1e-6)
    assert gdp.mu(epsilon, 1e-6) >= mu * (1 - 1e-9)
    assert gdp.mu(epsilon * 0.89, 1e-6) < mu
    assert epsilon == float(f"{epsilon:.2g}")


def test_an_epsilon_that_protects_hardly_anybody_is_not_advised():
    assert advised_epsilon(4.0, 1e-6) is None
    assert advised_epsilon(math.inf, 1e-6) is None


def test_what_was_found_may_rise_and_fall():
    signals = np.array([1.0, 4.0, 16.0])
    curve = Curve.as_found(signals, np.array([math.nan, 0.1, 0.3]))
    assert curve.at([1.0, 4.0, 8.0]).tolist() == [
        math.inf,
        pytest.approx(0.1),
        pytest.approx(math.sqrt(0.03)),
    ]
    assert Curve.falling(signals, np.array([math.nan, 0.1, 0.3])).at(4.0) > 0.1  # the other kind would not
