"""How near private least squares comes to least squares, on data that is made for it."""

from typing import Any

import numpy as np
import pytest

from relgauss.linear_model import Fitted, PrivateRidge

pytestmark = pytest.mark.statistical

SLOPES = np.array([1.0, -2.0, 0.5, 0.0])
INTERCEPT = 3.0
SEEDS = range(7)
BOUNDS = {"feature_bounds": (-4.0, 4.0), "label_bounds": (-9.0, 15.0)}


def made(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(count, 4)).clip(-4, 4)
    labels = features @ SLOPES + INTERCEPT + 0.5 * rng.normal(size=count)
    return features, labels.clip(-9, 15)


def excess(model: PrivateRidge, features: np.ndarray, labels: np.ndarray) -> float:
    """The training error beyond least squares, of the error that a constant would make beyond it."""
    design = np.column_stack([features, np.ones(len(labels))])
    best = labels - design @ np.linalg.lstsq(design, labels, rcond=None)[0]
    error = np.mean((labels - model.predict(features)) ** 2) - np.mean(best**2)
    return float(error / (labels.var() - np.mean(best**2)))


def median_excess(count: int, epsilon: float = 1.0, **options: Any) -> float:
    features, labels = made(count)
    return float(
        np.median(
            [
                excess(
                    PrivateRidge(epsilon, random_state=seed, **options).fit(features, labels),
                    features,
                    labels,
                )
                for seed in SEEDS
            ]
        )
    )


@pytest.mark.parametrize("options", [{}, BOUNDS], ids=["nothing", "bounds"])
def test_the_error_of_a_plain_model_shrinks_with_the_records(options: dict[str, Any]):
    """By the square of their number, or nearly: ten times the records, a tenth of the excess at most."""
    few, many = (median_excess(count, clip_features=False, **options) for count in (4_000, 40_000))
    assert few < 0.05
    assert many < few / 10


@pytest.mark.parametrize("options", [{}, BOUNDS], ids=["nothing", "bounds"])
def test_clipping_costs_next_to_nothing_where_a_line_is_the_truth(options: dict[str, Any]):
    for count in (4_000, 40_000):
        assert median_excess(count, **options) < 0.005


def test_a_clipped_model_beats_least_squares_where_a_line_is_not():
    """Labels that level off, and a few rows far out, to which least squares bends."""
    rng = np.random.default_rng(3)
    features = rng.standard_t(2.0, size=(20_000, 4))
    labels = features.clip(-3, 3) @ SLOPES + 0.5 * rng.normal(size=20_000)
    models = [PrivateRidge(random_state=seed).fit(features, labels) for seed in SEEDS]
    assert np.median([excess(model, features, labels) for model in models]) < -0.1


@pytest.mark.parametrize("mechanism", ["clipped", "public-iterate", "isometric", "relative"])
def test_every_mechanism_learns_from_a_larger_budget(mechanism: str):
    small, large = (median_excess(20_000, epsilon, mechanism=mechanism, **BOUNDS) for epsilon in (1.0, 20.0))
    assert large < small < 0.5
    assert large < 0.02


def test_true_coefficients_are_recovered():
    features, labels = made(40_000)
    model = PrivateRidge(random_state=0).fit(features, labels)
    assert model.coef_ == pytest.approx(SLOPES, abs=0.05)
    assert model.intercept_ == pytest.approx(INTERCEPT, abs=0.05)
    clipped = features.clip(*model.feature_range_) @ model.coef_ + model.intercept_
    assert model.predict(features) == pytest.approx(clipped.clip(*model.prediction_range_))
    plain = PrivateRidge(random_state=0, clip_features=False).fit(features, labels)
    assert plain.predict(features) == pytest.approx(features @ plain.coef_ + plain.intercept_)


def test_nothing_given_is_within_a_factor_of_bounds_given():
    assert median_excess(20_000) < 3 * median_excess(20_000, **BOUNDS) + 1e-5


@pytest.mark.parametrize(
    ("scales", "shifts"),
    [
        (2.0 ** np.array([10, -10, 3, 0]), np.zeros(4)),
        (np.ones(4), np.array([100.0, -50.0, 0.0, 1e4])),
        (np.array([1e6, 1e-6, -1.0, 7.0]), np.array([0.0, 1e-4, -9.0, 300.0])),
    ],
    ids=["powers of two", "shifts", "both"],
)
def test_units_hardly_matter(scales: np.ndarray, shifts: np.ndarray):
    """Predictions in other units differ by noise only."""
    features, labels = made(20_000)
    moved = features * scales + shifts
    error = [excess(PrivateRidge(random_state=seed).fit(moved, labels), moved, labels) for seed in SEEDS]
    assert np.median(error) < 0.02


def test_bounds_in_other_units_give_the_same_model():
    """Powers of two are exact: the same noise, the same predictions but for rounding."""
    features, labels = made(5_000)
    plain = PrivateRidge(random_state=0, **BOUNDS).fit(features, labels)
    scales = 2.0 ** np.array([5.0, -7.0, 1.0, 20.0])
    options = {"feature_bounds": (-4 * scales, 4 * scales), "label_bounds": (-9.0 * 8, 15.0 * 8)}
    scaled = PrivateRidge(random_state=0, **options).fit(features * scales, 8 * labels)
    assert scaled.predict(features * scales) == pytest.approx(8 * plain.predict(features), rel=1e-6, abs=1e-6)


def test_a_label_of_noise_is_not_fitted():
    features, labels = made(5_000)
    noise = np.random.default_rng(9).normal(size=5_000)
    sizes = [
        np.linalg.norm(PrivateRidge(0.3, random_state=seed, **BOUNDS).fit(features, noise).coef_)
        for seed in SEEDS
    ]
    assert np.median(sizes) < 0.5 * np.linalg.norm(SLOPES)
    assert labels.std() > 1


@pytest.mark.filterwarnings("ignore::relgauss.linear_model.outcome.DegradedFitWarning")
def test_no_fit_is_much_worse_than_a_constant():
    features, labels = made(3_000)
    for epsilon in (0.05, 0.2, 0.5, 1.0):
        for seed in range(10):
            model = PrivateRidge(epsilon, random_state=seed, **BOUNDS).fit(features, labels)
            assert excess(model, features, labels) < 2  # at epsilon 0.2 a mean itself is off by so much


def test_outliers_do_little_harm():
    features, labels = made(20_000)
    features[:20] *= 1e6
    labels[:20] = 1e9
    model = PrivateRidge(random_state=0).fit(features, labels)
    assert excess(model, features[20:], labels[20:]) < 0.05


@pytest.mark.filterwarnings("ignore::relgauss.linear_model.outcome.DegradedFitWarning")
def test_a_label_a_little_off_zero_is_not_taken_for_constant():
    """Labels of mean 3 and deviation 2.3, most of them in two cells of the first grid."""
    features, labels = made(3_500)
    errors = [
        excess(PrivateRidge(random_state=seed).fit(features, labels), features, labels) for seed in range(30)
    ]
    assert max(errors) < 0.5


def test_years_are_not_ignored():
    """Columns whose mean is 400 times their deviation, at n epsilon = 5000."""
    features, labels = made(5_000)
    years = 2000 + 5 * features
    errors = [excess(PrivateRidge(random_state=seed).fit(years, labels), years, labels) for seed in range(15)]
    assert np.median(errors) < 0.1


@pytest.mark.filterwarnings("ignore::relgauss.linear_model.outcome.DegradedFitWarning")
def test_skewed_labels_are_not_fitted_worse_than_by_a_constant():
    """One label in ten is not zero: most fits end with the mean label, which has noise."""
    features, labels = made(5_000)
    skewed = np.where(np.random.default_rng(3).random(5_000) < 0.1, 100 * labels, 0.0)
    errors = [
        excess(PrivateRidge(random_state=seed).fit(features, skewed), features, skewed) for seed in range(15)
    ]
    assert np.median(errors) < 1.1


@pytest.mark.filterwarnings("ignore::relgauss.linear_model.outcome.DegradedFitWarning")
@pytest.mark.parametrize("part", [0.05, 0.02])
def test_where_nearly_all_labels_are_zero_the_constant_is_the_mean(part: float):
    """One release hides so few among the noise of all columns; a second, of the label alone, shows them."""
    rng = np.random.default_rng(5)
    features = rng.normal(size=(20_000, 6))
    labels = np.where(rng.random(20_000) < part, np.exp(rng.normal(5, 1, 20_000)), 0.0)
    constants = [PrivateRidge(random_state=seed).fit(features, labels).intercept_ for seed in range(9)]
    assert 0.4 < np.median(constants) / labels.mean() < 1.3


@pytest.mark.filterwarnings("ignore")
def test_what_noise_hides_is_not_put_back():
    """Delays: one in eight is late by an hour, whatever its features, so gradients are cut on one side, and
    what was cut is released with more noise than it is long. With that put back one of eight fits passed.
    """
    rng = np.random.default_rng(7)
    features = rng.uniform(-1, 1, (20_000, 12))
    late = np.where(rng.random(20_000) < 0.12, rng.exponential(60, 20_000), 0.0)
    labels = 4 * features[:, :6].sum(axis=1) + 9 * rng.normal(size=20_000) + late
    bounds = {"feature_bounds": (-1, 1), "label_bounds": (-50, 500)}
    models = [PrivateRidge(0.7, random_state=seed, **bounds).fit(features, labels) for seed in range(8)]
    assert sum(isinstance(model.outcome_, Fitted) for model in models) >= 4
