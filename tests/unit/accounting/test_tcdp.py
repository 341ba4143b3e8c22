"""Concentrated DP as a guarantee."""

import pytest

import relgauss as rg


def test_composition_is_that_of_then():
    first, second = rg.TruncatedConcentratedDP(0.1, 30.0), rg.TruncatedConcentratedDP(0.2, 12.0)
    composed, then = rg.compose(first, second), first.then(second)
    assert composed.epsilon(1e-6) == pytest.approx(then.epsilon(1e-6), rel=1e-9)
    assert composed.order_limit == then.omega == 12.0
    assert rg.compose((first, 5)).epsilon(1e-6) == pytest.approx(
        rg.TruncatedConcentratedDP(0.5, 30.0).epsilon(1e-6), rel=1e-9
    )


def test_words_promise_no_higher_order_and_no_smaller_slope():
    said = rg.TruncatedConcentratedDP(0.12345671, 12345.678).describe()
    assert said == "(0.123457, 12345.6)-tCDP"


def test_beside_a_gaussian_it_costs_no_less_than_the_gaussian_it_may_be():
    mu = 0.3
    found = rg.compose(rg.ZeroConcentratedDP(mu**2 / 2), rg.GaussianDP(1.0)).epsilon(1e-6)
    exact = rg.compose(rg.GaussianDP(mu), rg.GaussianDP(1.0)).epsilon(1e-6)
    assert exact <= found <= exact * 1.05
