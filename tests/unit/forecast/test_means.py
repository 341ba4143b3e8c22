"""Forecasts of means: laws, the way back from a target, and agreement with a release."""

import math

import numpy as np
import pandas
import pytest

from relgauss.errors import InvalidParameterError
from relgauss.forecast import MeansForecast, forecast_means
from relgauss.grouped import release_means

SIZES = {"few": 8, "some": 120, "more": 600, "many": 4_000}
RANGE = (1e3, 1e6)


@pytest.fixture(scope="module")
def forecast() -> MeansForecast:
    return forecast_means(SIZES, epsilon=1.0, delta=1e-6, value_range=RANGE)


def test_errors_and_widths_fall_with_rows_and_with_epsilon(forecast: MeansForecast):
    for better in (forecast.with_data(2), forecast.at(2.0)):
        assert np.all(better.error <= forecast.error)
        assert np.all(better.width <= forecast.width)
        assert better.smallest_usable <= forecast.smallest_usable or better.budget.epsilon == 1.0
    assert np.all(np.diff(forecast.error) < 0)
    assert np.all(np.diff(forecast.width) < 0)


def test_a_target_gives_the_least_epsilon_that_meets_it(forecast: MeansForecast):
    epsilon = forecast.epsilon_for(0.05)
    assert np.sum(forecast.at(epsilon).error <= 0.05) >= 2
    assert np.sum(forecast.at(0.9 * epsilon).error <= 0.05) < 2
    assert forecast.epsilon_for(0.05, share=1.0) is None
    assert forecast.epsilon_for(0.02) > epsilon


def test_groups_above_the_smallest_usable_size_are_usable_and_others_not(forecast: MeansForecast):
    least = forecast.smallest_usable
    again = forecast_means([2 * least, least // 2], epsilon=1.0, delta=1e-6, value_range=RANGE)
    assert again.usable.tolist() == [True, False]


def test_most_groups_too_small_is_degraded_and_says_what_would_help():
    small = forecast_means([60] * 12 + [5000], epsilon=0.5, delta=1e-6, value_range=RANGE)
    assert "12 of 13 groups are too small" in small.degraded
    epsilon = float(small.degraded.split("epsilon ")[1].split()[0])
    assert small.at(epsilon).degraded is None


def test_made_up_groups_are_like_released_ones():
    rng = np.random.default_rng(5)
    sizes = {"a": 300, "b": 1_000, "c": 5_000}
    keys = np.repeat(list(sizes), list(sizes.values()))
    values = np.exp(10.2 + 0.5 * rng.standard_normal(len(keys)))
    import pandas

    frame = pandas.DataFrame({"group": keys, "pay": values})
    widths = []
    for seed in range(3):
        noise = np.random.default_rng(seed)
        options = {"by": "group", "value": "pay", "value_range": RANGE, "rng": noise}
        release = release_means(frame, epsilon=1.0, delta=1e-6, **options)
        widths.append((release.upper - release.lower) / frame.groupby("group")["pay"].mean().to_numpy())
    forecast = forecast_means(sizes, epsilon=1.0, delta=1e-6, value_range=RANGE)
    ratio = forecast.width / np.median(widths, axis=0)
    assert np.all((ratio > 0.5) & (ratio < 2)), ratio
    assert not np.all(
        forecast.at(0.1).width / np.median(widths, axis=0) < 2
    )  # the check would see another budget


def test_small_groups_are_forecast_as_they_are_released():
    """Most of 40 groups, few of them usable: within 1.5 of the median width, or the whole range."""
    rng = np.random.default_rng(11)
    sizes, low, high = np.unique(np.geomspace(4, 200, 40).astype(int), return_counts=True), 10.0, 1e5
    sizes = np.repeat(*sizes)
    means = np.exp(rng.uniform(np.log(200), np.log(2_000), len(sizes)))
    keys, scale = np.repeat(np.arange(len(sizes)), sizes), np.repeat(means, sizes)
    frame = {"group": keys, "value": scale * np.maximum(1 + 0.15 * rng.standard_normal(len(keys)), 0.2)}
    truth = np.bincount(keys, frame["value"]) / sizes
    known = {"epsilon": 2.0, "delta": 1e-6, "value_range": (low, high)}
    runs = []
    for seed in range(5):
        noise = np.random.default_rng(seed)
        found = release_means(pandas.DataFrame(frame), by="group", value="value", rng=noise, **known)
        runs.append(found.upper - found.lower)
    widths = np.median(np.nan_to_num(runs, nan=np.inf), axis=0)
    said = np.isfinite(widths)
    forecast = forecast_means(sizes.tolist(), form="normal:0.15", typical=(200.0, 2_000.0), **known)
    assert np.array_equal(np.isfinite(forecast.width), said)  # by public numbers
    ratio = forecast.width[said] / (widths / truth)[said]
    close = (ratio < 1.5) & (ratio > 1 / 1.5)
    close = np.where(forecast.is_whole_range[said], widths[said] > high / 1.5, close)
    assert close.mean() >= 0.7, close.mean()
    assert 5 < forecast.is_whole_range.sum() < said.sum() - 5
    beside = forecast.at(8.0).width[said] / (widths / truth)[said]
    assert np.mean((beside < 1.5) & (beside > 1 / 1.5)) < 0.5  # the check would see another budget


def test_an_assumed_spread_is_forecast_as_it_is_released():
    found = forecast_means([50, 500], epsilon=1.0, delta=1e-6, value_range=RANGE, spread=0.2)
    deviates = 2 * 1.96 * 0.2 / (np.array([50, 500]) * found.budget.mu)
    np.testing.assert_allclose(found.width, deviates, rtol=0.1)


def test_zeros_and_forms_matter():
    budget = {"epsilon": 1.0, "delta": 1e-6, "value_range": RANGE}
    narrow = forecast_means([1_000], form="lognormal:0.1", **budget)
    wide = forecast_means([1_000], form="exponential", zeros=0.3, **budget)
    assert narrow.width[0] < wide.width[0]


def test_plain_values_have_no_infinity(forecast: MeansForecast):
    tiny = forecast_means([1, 400], epsilon=0.2, delta=1e-6, value_range=RANGE).to_dict()
    assert tiny["by_group"][0]["error"] is None
    assert all(math.isfinite(each["width"]) for each in forecast.to_dict()["by_group"][1:])


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"sizes": []}, "sizes"),
        ({"sizes": "400"}, "sizes"),
        ({"sizes": [0]}, "size of a group"),
        ({"sizes": 3}, "sizes"),
        ({"value_range": 3}, "value_range"),
        ({"spread": -1}, "spread"),
        ({"form": "flat"}, "form"),
        ({"confidence": 1.0}, "confidence"),
    ],
)
def test_a_mistake_is_named(change: dict, name: str):
    arguments = {"sizes": [50], "epsilon": 1.0, "delta": 1e-6} | change
    with pytest.raises(InvalidParameterError, match=name):
        forecast_means(arguments.pop("sizes"), **arguments)
