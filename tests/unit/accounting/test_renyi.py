"""Guarantees known by a Rényi curve alone: the profile they allow, and what they cost beside others."""

import math

import numpy as np
import pytest

import relgauss as rg
from relgauss.accounting import gdp
from relgauss.errors import InvalidParameterError

EPSILONS = np.concatenate([np.linspace(0, 1, 60), np.linspace(1.05, 8, 60)])
TRUE = [
    (rg.GaussianDP(0.8), math.inf),
    (rg.PureDP(0.7), math.inf),
    (rg.Subsampled(rg.GaussianDP(1.0), 0.1), math.inf),
    (rg.accounting.GaussianPairDP(0.5, 0.05, 10), 21.0),
]


@pytest.mark.parametrize(("true", "limit"), TRUE, ids=lambda value: type(value).__name__)
def test_the_profile_covers_the_mechanism_that_has_the_curve(true, limit):
    curve = rg.RenyiDP(rg.RenyiFunction(true.rdp, limit))
    assert np.all(curve.profile_at(EPSILONS) >= true.profile_at(EPSILONS) * (1 - 1e-12))
    for epsilon in (0.0, 0.3, 2.0):
        assert curve.log_delta(epsilon) >= true.log_delta(epsilon)


def test_the_profile_is_convex_and_below_the_conversions():
    curve = rg.RenyiDP(rg.RenyiFunction(rg.GaussianDP(0.8).rdp))
    profile = curve.profile_at(EPSILONS)
    slopes = np.diff(profile) / np.diff(np.exp(EPSILONS))
    assert np.all(np.diff(slopes) >= -1e-9)
    for epsilon, value in zip(EPSILONS[::10], profile[::10], strict=True):
        assert value <= math.exp(curve.log_delta(float(epsilon))) * 1.02


@pytest.mark.parametrize(
    "exact", [rg.GaussianDP(0.5), rg.PureDP(0.5), rg.Subsampled(rg.GaussianDP(1.0), 0.1)]
)
def test_beside_exact_parts_it_costs_less_than_all_in_renyi(exact):
    curve = rg.ZeroConcentratedDP(0.02)
    both = rg.compose((curve, 3), (exact, 5)).epsilon(1e-6)
    all_renyi = rg.RenyiDP(rg.RenyiFunction(lambda a: 3 * curve.rdp(a) + 5 * exact.rdp(a)))
    truth = rg.compose((rg.GaussianDP(0.2), 3), (exact, 5)).epsilon(1e-6)
    assert truth <= both <= rg.compose(all_renyi).epsilon(1e-6) * (1 + 1e-9)


def test_several_curves_are_one_curve():
    first, second = rg.TruncatedConcentratedDP(0.01, 40.0), rg.RenyiDP(rg.RenyiTable((2.0, 30.0), (0.1, 0.9)))
    together = rg.compose((first, 3), second)
    summed = rg.RenyiDP(rg.RenyiFunction(lambda a: 3 * first.rdp(a) + second.rdp(a), 30.0))
    assert together.epsilon(1e-6) == pytest.approx(rg.compose(summed).epsilon(1e-6), rel=1e-3)
    assert together.delta(2.0) <= 1e-2
    assert together.order_limit == pytest.approx(30.0)


def test_a_curve_of_nothing_costs_nothing():
    beside = rg.compose(rg.ZeroConcentratedDP(0.0), rg.GaussianDP(0.5)).epsilon(1e-6)
    assert beside == pytest.approx(gdp.epsilon(0.5, 1e-6), rel=1e-12)


def test_a_bare_curve_is_refused():
    for curve in (rg.GaussianDP(1.0).rdp, rg.GaussianDP(1.0), 0.1, None):
        with pytest.raises(InvalidParameterError, match="curve"):
            rg.RenyiDP(curve)
