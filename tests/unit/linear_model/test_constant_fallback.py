"""What is left of a fit without a model: a constant, how far it is to be trusted, and where it comes from."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from relgauss.linear_model import (
    Degraded,
    DegradedFitWarning,
    HopelessFitWarning,
    PrivateLogisticRegression,
    PrivateRidge,
    fit,
    load_model,
    save_model,
)
from relgauss.linear_model.constant_fallback import steadied, together

pytestmark = pytest.mark.filterwarnings("ignore::relgauss.linear_model.DegradedFitWarning")
NOTHING = np.random.default_rng(0).normal(size=(600, 4))  # features that say nothing of any label here


def constants(labels: np.ndarray, epsilon: float, fits: int = 40, **options: Any) -> list[PrivateRidge]:
    """Fits that end with a constant."""
    models = [
        PrivateRidge(epsilon, random_state=seed, **options).fit(NOTHING[: len(labels)], labels)
        for seed in range(fits)
    ]
    return [model for model in models if isinstance(model.outcome_, Degraded)]


@pytest.mark.parametrize(("epsilon", "bounds"), [(0.3, (0, 100)), (0.3, None), (1.2, None), (1.2, (0, 100))])
def test_constants_are_as_near_as_is_told(epsilon: float, bounds: Any):
    """In hopeless fits and in those that were tried."""
    labels = np.random.default_rng(1).normal(40, 8, 600)
    found = constants(labels, epsilon, label_bounds=bounds)
    told = np.array([model.outcome_.give_or_take for model in found])
    away = np.abs([model.intercept_ - labels.mean() for model in found])
    assert len(found) > 30
    assert np.mean(away <= told) >= 0.85
    assert np.mean(away > told / 8) > 0.3  # it is not told so wide that it says nothing
    text = str(found[0].summary())
    assert f"give or take {told[0]:.3g} (95 %)" in text
    assert f"{found[0].intercept_ - told[0]:.5g}" in text


@pytest.mark.parametrize("form", ["two values", "lognormal", "zeros"])
def test_they_are_of_labels_that_hardly_any_budget_sees_too(form: str):
    """Half of the labels may lie beyond the range that is seen: its ends are told."""
    rng = np.random.default_rng(2)
    labels = {
        "two values": np.where(rng.random(300) < 0.5, 1000.0, 1.0),
        "lognormal": rng.lognormal(6, 0.5, 300),
        "zeros": np.where(rng.random(300) < 0.8, 0.0, rng.exponential(50, 300)),
    }[form]
    found = [each for each in constants(labels, 1.0) if each.outcome_.give_or_take is not None]
    held = [
        abs(each.intercept_ - labels.clip(*each.outcome_.clipped_to).mean()) <= each.outcome_.give_or_take
        for each in found
    ]
    assert len(found) >= 10
    assert np.mean(held) >= 0.85
    for each in found:
        assert each.label_range_ == each.outcome_.clipped_to
        assert f"{each.outcome_.clipped_to[1]:.3g}" in each.outcome_.about_constant


def test_a_saved_constant_says_what_it_is_the_mean_of(tmp_path: Path):
    (model, *_) = constants(np.random.default_rng(1).normal(40, 8, 600), 0.3)
    save_model(model, tmp_path / "model.json")
    assert load_model(tmp_path / "model.json").outcome_ == model.outcome_


@pytest.mark.parametrize("epsilon", [0.3, 1.2])
@pytest.mark.parametrize("classes", [2, 3])
def test_shares_of_classes_are_as_near_as_is_told(epsilon: float, classes: int):
    labels = np.random.default_rng(1).choice(classes, size=600, p=[0.3, 0.7, 0.0][:classes])
    labels[:60] = classes - 1
    shares, near = np.bincount(labels) / 600, []
    for seed in range(30):
        model = PrivateLogisticRegression(epsilon, classes=range(classes), random_state=seed)
        model.fit(NOTHING, labels)
        if isinstance(model.outcome_, Degraded):
            near += [*(np.abs(model.predict_proba(NOTHING[:1])[0] - shares) <= model.outcome_.give_or_take)]
    assert len(near) > 20 * classes
    assert np.mean(near) > 0.85


def test_a_mean_is_moved_towards_an_intercept_that_is_known_better():
    assert steadied(5.0, 3.0, 1.0, 0.01) == pytest.approx(1.0, abs=1e-3)
    assert steadied(5.0, 0.01, 1.0, 3.0) == pytest.approx(5.0, abs=1e-3)
    assert steadied(5.0, 1.0, 4.0, 1.0) == pytest.approx(4.5)
    assert steadied(5.0, 1.0, -100.0, 0.1) == pytest.approx(5 - 1.96)  # noise is seldom as large
    assert steadied(5.0, 0.0, 1.0, 0.0) == 5.0


def test_two_means_count_by_their_noise():
    assert together(2.0, 1.0, 0.0, 1.0) == pytest.approx((1.0, np.sqrt(0.5)))
    assert together(2.0, 1.0, 0.0, 2.0) == pytest.approx((1.6, np.sqrt(0.8)))
    assert together(2.0, 1.0, 7.0, 0.0) == (2.0, 1.0)


def test_where_a_range_is_far_too_wide_the_intercept_tells_more(monkeypatch: pytest.MonkeyPatch):
    """Labels that are narrow beside their size: few are seen, and the mean of a wide range is noisy."""
    labels = 1985 + 12 * np.random.default_rng(2).standard_t(4, 600)

    def error() -> float:
        found = [model.intercept_ - labels.mean() for model in constants(labels, 1.0)]
        assert len(found) > 30
        return float(np.sqrt(np.mean(np.square(found))))

    steady = error()
    monkeypatch.setattr(fit, "steadied", lambda mean, *_: mean)
    assert steady < 0.7 * error()


@pytest.mark.parametrize("labels", [np.full(100, 1985.0), np.zeros(100)])
def test_where_no_label_is_seen_away_from_zero_it_is_told(labels: np.ndarray, tmp_path: Path):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = PrivateRidge(0.02, random_state=0).fit(NOTHING[:100], labels)
    told = [each for each in caught if issubclass(each.category, DegradedFitWarning)]
    assert [each.category for each in told] == [HopelessFitWarning, DegradedFitWarning]
    assert "No label was seen away from 0" in str(told[1].message)
    assert "No label was seen away from 0" in str(model.summary())
    assert (model.intercept_, model.outcome_.is_placed, model.outcome_.give_or_take) == (0.0, False, None)
    save_model(model, tmp_path / "model.json")
    assert load_model(tmp_path / "model.json").outcome_ == model.outcome_


def test_a_saved_constant_keeps_how_near_it_is(tmp_path: Path):
    model = PrivateRidge(0.3, random_state=0).fit(NOTHING, 40 + NOTHING[:, 0])
    assert model.outcome_.give_or_take > 0
    save_model(model, tmp_path / "model.json")
    assert load_model(tmp_path / "model.json").outcome_ == model.outcome_


def test_what_is_no_estimate_has_no_noise():
    model = PrivateRidge(0.3, fit_intercept=False, random_state=0).fit(NOTHING, NOTHING[:, 0])
    assert (model.intercept_, model.outcome_.give_or_take, model.outcome_.about_constant) == (0.0, None, "")
