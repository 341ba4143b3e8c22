"""Forecasts of fits: laws, the way back from a target, and agreement with fits and their refusals."""

import warnings

import numpy as np
import pytest

from relgauss.errors import InvalidParameterError
from relgauss.forecast import FitForecast, forecast_fit
from relgauss.linear_model import Degraded, HopelessFitWarning, PrivateLogisticRegression, PrivateRidge

BUDGET = {"epsilon": 1.0, "delta": 1e-6}


@pytest.fixture(scope="module")
def forecast() -> FitForecast:
    return forecast_fit(8_000, 5, **BUDGET)


def made_up(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    features = rng.standard_normal((rows, columns))
    return 5 + 2 * features, features @ np.ones(columns) / np.sqrt(columns) + rng.standard_normal(rows)


def test_more_data_and_more_epsilon_never_hurt(forecast: FitForecast):
    for better in (forecast.with_data(2), forecast.at(2.0)):
        assert better.error <= forecast.error
        assert better.width < forecast.width
        assert better.fitted >= forecast.fitted


def test_the_width_is_that_of_a_fit(forecast: FitForecast):
    features, labels = made_up(8_000, 5)
    model = PrivateRidge(1.0, 1e-6, random_state=1).fit(features, labels)
    low, high = model.intervals_
    ratio = forecast.width / ((high - low)[:-1] * features.std(axis=0) / labels.std())
    assert np.all((ratio > 0.6) & (ratio < 1.6)), ratio


def test_a_target_gives_the_least_epsilon_that_meets_it(forecast: FitForecast):
    epsilon = forecast.epsilon_for(0.02)
    assert forecast.at(epsilon).error <= 0.02
    assert forecast.at(epsilon).degraded is None
    before = forecast.at(0.9 * epsilon)
    assert before.error > 0.02 or before.degraded is not None
    assert forecast_fit(60, 5, **BUDGET).epsilon_for(0.0001) is None


def test_what_public_numbers_rule_out_is_degraded_and_the_fit_agrees():
    forecast = forecast_fit(300, 8, **BUDGET)
    assert forecast.is_hopeless
    assert "300 records are too few for 8 features" in forecast.degraded
    with pytest.warns(HopelessFitWarning):
        PrivateRidge(**BUDGET, random_state=1).fit(*made_up(300, 8))
    epsilon = float(forecast.degraded.split("epsilon ")[1].removesuffix("."))
    assert forecast.at(epsilon).degraded is None


def test_where_features_explain_nothing_it_degrades_and_the_fit_agrees():
    assert "explain nothing" in forecast_fit(3_000, 4, r2=0.0, **BUDGET).degraded
    features, _ = made_up(3_000, 4)
    labels = np.random.default_rng(9).standard_normal(3_000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert isinstance(PrivateRidge(**BUDGET, random_state=1).fit(features, labels).outcome_, Degraded)


def test_bounds_spare_a_search():
    assert forecast_fit(300, 3, feature_bounds=True, label_bounds=True, **BUDGET).least < (
        forecast_fit(300, 3, **BUDGET).least
    )


def test_widening_is_against_the_same_fit_without_noise(forecast: FitForecast):
    assert 1 < forecast.at(3.0).widening < forecast.widening
    correlated = forecast_fit(8_000, 5, correlation=0.6, **BUDGET)
    assert correlated.width > 1.25 * forecast.width
    assert 0.7 < correlated.widening / forecast.widening < 1.4


def test_a_matrix_of_correlations_tells_slopes_apart():
    """The first two features are nearly the same: their slopes are known far less well than the third."""
    matrix = [[1, 0.9, 0, 0.3], [0.9, 1, 0, 0.3], [0, 0, 1, 0.5], [0.3, 0.3, 0.5, 1]]
    found = forecast_fit(6_000, 3, correlation=matrix, **BUDGET)
    assert found.shape.r2 == pytest.approx(0.5**2 + 2 * 0.3 * 0.3 / 1.9)
    assert np.all(found.widths[:2] > 1.8 * found.widths[2])
    rng = np.random.default_rng(8)
    everything = rng.multivariate_normal(np.zeros(4), matrix, 6_000)
    model = PrivateRidge(1.0, 1e-6, random_state=1).fit(everything[:, :3], everything[:, 3])
    ratio = found.widths / (model.intervals_[1] - model.intervals_[0])[:-1]
    assert np.all((ratio > 0.5) & (ratio < 2)), ratio
    assert found.to_dict()["widths"] == found.widths.tolist()
    alike = forecast_fit(6_000, 3, **BUDGET)
    assert np.all(alike.widths == alike.width)


def test_skewed_errors_are_forecast_as_they_are_fitted():
    """Labels of another law than the made-up ones: lognormal errors that grow."""
    rng = np.random.default_rng(4)
    features = rng.uniform(size=(20_000, 3))
    labels = (1 + features @ [2.0, 1.0, 1.0]) * np.exp(0.7 * rng.standard_normal(20_000))
    model = PrivateRidge(2.0, 1e-6, random_state=1).fit(features, labels)
    low, high = model.label_range_
    width = (
        np.median(np.diff(model.intervals_, axis=0)[0, :3]) * features.std() / labels.clip(low, high).std()
    )
    even, skewed = (
        forecast_fit(20_000, 3, epsilon=2.0, delta=1e-6, r2=0.2, errors=errors).width
        for errors in ("even", "skewed")
    )
    assert even < skewed
    assert width / 2 < skewed < 2 * width


def test_two_classes_have_a_forecast_of_their_own():
    found = forecast_fit(8_000, 3, classes=True, **BUDGET)
    assert found.degraded is None
    assert 0 <= found.error < 0.05
    assert "2 classes about as frequent as each other" in found._repr_html_()


def test_more_classes_are_forecast_as_they_are_fitted():
    rows = 12_000
    three = forecast_fit(rows, 2, classes=3, **BUDGET)
    rng = np.random.default_rng(2)
    features = rng.standard_normal((rows, 2))
    scores = features @ rng.choice([-1, 1], (2, 3)) / np.sqrt(2) + rng.gumbel(size=(rows, 3)) / 1.28
    widths = []
    for seed in range(7):  # some of them have wide intervals, as noise makes directions look alike
        model = PrivateLogisticRegression(1.0, 1e-6, random_state=seed).fit(features, scores.argmax(axis=1))
        low, high = model.intervals_
        widths.append(np.median((high - low)[:, :-1] * features.std(axis=0)))
    ratio = three.width / np.median(widths)
    assert 0.5 < ratio < 2, ratio
    assert three.degraded is None


def test_a_table_too_large_to_make_up_is_stood_for_by_a_smaller_one():
    found = forecast_fit(400_000, 2, **BUDGET)
    assert found.error < 0.02
    sampling = 4 * np.sqrt(0.5 / 400_000)  # two standard errors on either side; privacy adds less here
    assert sampling < found.width < 3 * sampling


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"records": 0}, "records"),
        ({"features": 1.5}, "features"),
        ({"r2": 1.0}, "r2"),
        ({"correlation": -0.1}, "corr"),
        ({"correlation": "much"}, "corr"),
        ({"correlation": np.eye(2)}, "corr"),
        ({"correlation": np.ones((3, 3)) - 0.5}, "corr"),
        ({"correlation": [[1, 0.9, 0.9], [0.9, 1, -0.9], [0.9, -0.9, 1]]}, "corr"),
        ({"correlation": np.eye(3), "r2": 0.3}, "r2"),
        ({"classes": 1}, "classes"),
        ({"classes": 2.5}, "classes"),
        ({"classes": 3, "correlation": np.eye(3)}, "no number that correlates"),
    ],
)
def test_a_mistake_is_named(change: dict, name: str):
    arguments = {"records": 100, "features": 2, **BUDGET} | change
    with pytest.raises(InvalidParameterError, match=name):
        forecast_fit(**arguments)
