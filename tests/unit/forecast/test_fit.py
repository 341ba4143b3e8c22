"""Forecasts of fits: laws, the way back from a target, and agreement with fits and their refusals."""

import warnings

import numpy as np
import pytest

from relgauss.errors import InvalidParameterError
from relgauss.forecast import FitForecast, forecast_fit
from relgauss.forecast.made_up_tables import Shape, make_up_table
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


def test_the_least_epsilon_to_try_is_named_where_none_makes_a_model_likely():
    why = forecast_fit(60, 3, epsilon=4.0, delta=1e-6).degraded
    tried = float(why.split("From epsilon ")[1].split()[0])
    assert 4 < tried <= 10
    assert not forecast_fit(60, 3, epsilon=tried, delta=1e-6).is_hopeless
    assert forecast_fit(60, 3, epsilon=0.94 * tried, delta=1e-6).is_hopeless
    assert "From epsilon" not in forecast_fit(300, 8, **BUDGET).degraded  # another is named


def test_where_features_explain_nothing_it_degrades_and_the_fit_agrees():
    assert "explain nothing" in forecast_fit(3_000, 4, r2=0.0, **BUDGET).degraded
    features, _ = made_up(3_000, 4)
    labels = np.random.default_rng(9).standard_normal(3_000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert isinstance(PrivateRidge(**BUDGET, random_state=1).fit(features, labels).outcome_, Degraded)


@pytest.mark.parametrize(
    ("records", "features", "epsilon", "more"),
    [(569, 30, 3.0, {"classes": 2}), (800, 5, 0.5, {"r2": 0.75}), (400, 3, 0.7, {"correlation": 0.4})],
)
def test_what_is_said_of_more_is_what_is_said_where_more_is_asked_about(
    records: int, features: int, epsilon: float, more: dict
):
    def forecast_of(records: int, epsilon: float) -> FitForecast:
        return forecast_fit(records, features, epsilon=epsilon, delta=1e-6, **more)

    found = forecast_of(records, epsilon)
    asked = {
        "data": (found.with_data(2), forecast_of(2 * records, epsilon)),
        "epsilon": (found.at(2 * epsilon), forecast_of(records, 2 * epsilon)),
    }
    for said, direct in asked.values():
        assert said.summary() == direct.summary()
    assert found.degraded is not None
    likely = found.smallest_usable
    assert f"at least {likely:,} records" in found.degraded
    enough, fewer = forecast_of(likely, epsilon), forecast_of(likely * 9 // 10, epsilon)
    assert enough.degraded is None
    assert fewer.degraded is not None
    assert enough.smallest_usable == likely


def test_constants_count_as_errors():
    """Of two even classes, half explained, a constant errs in about a quarter more of the records."""
    found = forecast_fit(1_000, 10, classes=2, **BUDGET)
    shares = np.linspace(0.6, 2.0, 15)
    errors, fitted = zip(*((each.error, each.fitted) for each in map(found.with_data, shares)), strict=True)
    assert min(fitted) < 0.2
    assert max(fitted) > 0.8
    constant = found.with_data(0.1).error
    assert 0.2 < constant < 0.3
    assert np.all(np.array(errors) > 0.9 * constant * (1 - np.array(fitted)))
    assert np.all(np.diff(errors) <= 0)


def test_clipping_is_no_matter_of_epsilon_and_told_apart():
    """Made-up features have long tails: a line of clipped ones is not the best line, however little noise."""
    found = forecast_fit(20_000, 7, r2=0.73, epsilon=10.0, delta=1e-6)
    assert found.error < 0.001 < found.clipping < 0.02
    assert found.epsilon_for(0.01) < 1
    assert found.to_dict()["clipping"] == found.at(0.1).clipping == found.clipping


def test_classes_that_are_likely_are_those_that_come():
    """Errors are measured by chances: of the labels that came as many are wrong as these say."""
    rng = np.random.default_rng(0)
    for classes, errors in ((2, "even"), (2, "skewed"), (3, "even")):
        shape = Shape(1, 3, 0.5, 0.0, False, False, classes, errors)
        table = make_up_table(shape, 100_000, rng)
        likeliest = table.chances.argmax(axis=1)
        assert np.mean(likeliest != table.labels) == pytest.approx(table.best, abs=0.005)
        shares = np.bincount(table.labels.astype(int)) / 100_000
        np.testing.assert_allclose(table.chances.mean(axis=0), shares, atol=0.01)


def test_bounds_change_nothing_in_whether_a_fit_is_tried():
    assert forecast_fit(300, 3, feature_bounds=True, label_bounds=True, **BUDGET).least == (
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
