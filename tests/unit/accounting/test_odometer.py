"""The odometer: a reading of what was spent that holds at every moment."""

import math

import pytest

import relgauss as rg
from relgauss.accounting import GaussianPairDP, Odometer, gdp
from relgauss.errors import InvalidParameterError, RelgaussError


def test_nothing_spent_reads_nothing():
    assert Odometer(1e-6).epsilon == 0
    assert Odometer(1e-6).total_delta == 1e-6


@pytest.mark.parametrize("mu", [0.001, 0.05, 0.3, 1.0, 4.0])
def test_a_reading_is_above_the_tight_figure_and_not_far(mu):
    reading = Odometer(1e-6, start=0.01).after(rg.GaussianDP(mu)).epsilon
    tight = gdp.epsilon(mu, 1e-6)
    assert tight <= reading <= max(0.01, 1.5 * tight)


def test_the_levels_share_delta():
    """Every level's own promise: at epsilon_k all spends cost at most delta/((k + 1)(k + 2))."""
    odometer = Odometer(1e-6)
    levels = set()
    for _ in range(20):
        odometer = odometer.after((rg.GaussianDP(0.15), 3))
        k = round(8 * math.log2(odometer.epsilon / odometer.start))
        assert rg.compose(*odometer.spends).delta(odometer.epsilon) <= 1e-6 / ((k + 1) * (k + 2))
        levels.add(k)
    assert len(levels) > 10


def test_readings_only_rise_and_forget_no_order():
    parts = [rg.GaussianDP(0.1), rg.PureDP(0.3), rg.GaussianDP(0.7), rg.ApproximateDP(0.1, 1e-9)]
    readings, odometer = [], Odometer(1e-6)
    for part in parts:
        odometer = odometer.after(part)
        readings.append(odometer.epsilon)
    assert readings == sorted(readings)
    assert Odometer(1e-6).after(*reversed(parts)).epsilon == readings[-1]


def test_leaks_and_failures_are_read_as_delta():
    odometer = Odometer(1e-6).after(rg.ApproximateDP(0.1, 1e-7), (rg.Failure(1e-8), 3))
    assert 1.13e-6 <= odometer.total_delta <= 1.13e-6 * (1 + 1e-12)
    assert math.isfinite(odometer.epsilon)


def test_what_is_not_gaussian_reads_infinity():
    assert Odometer(1e-6).after(GaussianPairDP(0.1, 0.1, 2)).epsilon == math.inf


@pytest.mark.parametrize("orders", [(12.0,), (6.0, 12.0, 40.0)])
def test_at_renyi_orders_it_reads_what_has_a_curve(orders):
    odometer, readings = Odometer(1e-6, orders=orders), []
    for part in (GaussianPairDP(0.1, 0.01, 2), rg.Subsampled(rg.GaussianDP(0.5), 0.1), rg.PureDP(0.3)):
        odometer = odometer.after(part)
        readings.append(odometer.epsilon)
        k = round(8 * math.log2(odometer.epsilon / odometer.start))
        assert rg.compose(*odometer.spends).delta(odometer.epsilon) <= 1e-6 / ((k + 1) * (k + 2))
    assert readings == sorted(readings)
    assert readings[-1] < 6


def test_neighbours_are_not_mixed():
    odometer = Odometer(1e-6).after(rg.GaussianDP(0.1))
    with pytest.raises(InvalidParameterError, match="as_replace_one"):
        odometer.after(rg.GaussianDP(0.1, "add-or-remove"))


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("delta", {"delta": math.nan}),
        ("delta", {"delta": 0}),
        ("start", {"delta": 1e-6, "start": -1}),
        ("orders", {"delta": 1e-6, "orders": (1.0,)}),
    ],
)
def test_hostile_numbers_are_refused_by_name(name, arguments):
    with pytest.raises(InvalidParameterError, match=name):
        Odometer(**arguments)


def test_what_is_no_guarantee_is_refused():
    with pytest.raises(RelgaussError):
        Odometer(1e-6).after(0.1)
