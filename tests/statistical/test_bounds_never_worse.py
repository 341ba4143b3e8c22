"""Being told bounds makes no model worse, however wide they are: on made-up tables no rule was chosen on."""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from relgauss.accounting import gdp
from relgauss.linear_model import PrivateLogisticRegression, PrivateRidge

pytestmark = [pytest.mark.statistical, pytest.mark.filterwarnings("ignore::UserWarning")]
WIDER = 1.0, 8.0, 1000.0
SEEDS = 9


def stated(values: np.ndarray, times: float, *, upwards: bool = False) -> tuple[Any, Any]:
    """The range of the values, made wider: about its middle, or upwards only."""
    low, high = values.min(axis=0), values.max(axis=0)
    if upwards:
        return low, low + times * (high - low)
    middle, half = (low + high) / 2, times * (high - low) / 2
    return middle - half, middle + half


def tables() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Labels and features of unlike forms: skewed, heavy tails, mostly zeros, far from zero."""
    rng = np.random.default_rng(77)
    plain = rng.normal(size=(3000, 4)) @ (np.eye(4) + 0.2)
    yield "plain", plain, plain @ [1.0, -1.0, 0.5, 0.0] + rng.normal(size=3000)
    yield "far", 700 + plain, 5e4 + 100 * (plain[:, 0] + plain[:, 1]) + 90 * rng.normal(size=3000)
    amounts = np.exp(1.2 * plain)
    yield "amounts", amounts, np.exp(7 + 0.5 * plain[:, 0] - 0.5 * plain[:, 2] + 0.4 * rng.normal(size=3000))
    some = np.where(rng.random((3000, 4)) < 0.6, 0.0, amounts)
    yield "zeros", some, np.log1p(some) @ [1.0, 1.0, -1.0, 1.0] + 0.7 * rng.normal(size=3000)
    late = np.where(rng.random(3000) < 0.08, rng.exponential(15, 3000), 0.0)
    yield "late", plain, plain @ [1.0, 0.0, -1.0, 1.0] + rng.normal(size=3000) + late


TABLES = {name: (features, labels) for name, features, labels in tables()}


def fit(model: Any, features: np.ndarray, labels: np.ndarray) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(features, labels)


def errors(table: str, signal: float, **options: Any) -> np.ndarray:
    """Of many fits, over that of the mean; labels are clipped to where all but one in 500 lie."""
    features, labels = TABLES[table]
    seen = labels.clip(*np.quantile(labels, [0.001, 0.999]))
    epsilon = gdp.epsilon(signal / len(labels), 1e-6)
    models = [
        fit(PrivateRidge(epsilon, random_state=seed, **options), features, labels) for seed in range(SEEDS)
    ]
    return np.array([np.mean((model.predict(features) - seen) ** 2) / seen.var() for model in models])


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("signal", [250.0, 1000.0])
def test_fits_within_bounds_err_no_more_than_those_without(table: str, signal: float):
    features, labels = TABLES[table]
    without = errors(table, signal)
    usual = float(np.median(without))
    spread = float(np.subtract(*np.quantile(without, [0.75, 0.25])))
    for times in WIDER:
        bounds = {"feature_bounds": stated(features, times), "label_bounds": stated(labels, times)}
        within = errors(table, signal, **bounds)
        assert np.median(within) <= 1.15 * usual + spread
        assert np.mean(within > 1.05) <= np.mean(without > 1.05) + 4 / SEEDS


def constants(labels: np.ndarray, signal: float, bounds: Any) -> np.ndarray:
    """How far constants of fits that are hopeless lie from the mean, in the labels' deviations."""
    features = np.random.default_rng(5).normal(size=(len(labels), 12))
    epsilon = gdp.epsilon(signal / len(labels), 1e-6)
    models = [
        fit(PrivateRidge(epsilon, random_state=seed, label_bounds=bounds), features, labels)
        for seed in range(25)
    ]
    return np.abs([model.intercept_ - labels.mean() for model in models]) / labels.std()


@pytest.mark.parametrize("upwards", [False, True])
@pytest.mark.parametrize("times", [1.0, 10.0, 1e4])
@pytest.mark.parametrize("signal", [6.0, 15.0, 60.0])
@pytest.mark.parametrize("kind", ["around zero", "amounts", "stars"])
def test_constants_within_bounds_that_are_far_too_wide(kind: str, signal: float, times: float, upwards: bool):
    """They end where they would without bounds, few of them by noise elsewhere."""
    rng = np.random.default_rng(3)
    labels = {
        "around zero": 2 * rng.normal(size=500),
        "amounts": np.exp(6 + 0.7 * rng.normal(size=500)),
        "stars": rng.integers(1, 6, 500).astype(float),
    }[kind]
    within = constants(labels, signal, stated(labels, times, upwards=upwards))
    without = constants(labels, signal, None)
    assert np.median(within) <= max(1.3 * np.median(without), np.quantile(without, 0.8)) + 0.3
    assert np.mean(within > without.max() + 1) <= 0.25


def test_tight_bounds_serve_a_constant():
    labels = 40 + 5 * np.random.default_rng(3).normal(size=500)
    within, without = (constants(labels, 15.0, bounds) for bounds in ((20.0, 60.0), None))
    assert np.median(within) < 0.5 * np.median(without)


@pytest.mark.parametrize("times", [1.0, 30.0])
def test_classifiers_within_bounds_err_no_more(times: float):
    features, values = TABLES["amounts"]
    labels = (values > np.quantile(values, 0.6)).astype(int)

    def losses(**options: Any) -> np.ndarray:
        found = []
        for seed in range(SEEDS):
            model = PrivateLogisticRegression(
                gdp.epsilon(0.15, 1e-6), classes=[0, 1], random_state=seed, **options
            )
            chances = fit(model, features, labels).predict_proba(features)
            found.append(-np.log(chances[np.arange(len(labels)), labels]).mean())
        return np.array(found)

    without = losses()
    assert np.median(losses(feature_bounds=stated(features, times))) <= 1.03 * np.median(without)
