"""Odd data: a private fit ends with finite numbers and a typed outcome, whatever the records are."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from relgauss.accounting import GaussianDP
from relgauss.budget import Budget
from relgauss.errors import MostlyNoiseWarning, SimulatedNoiseWarning, UnreachableTargetError
from relgauss.linear_model import IgnoredFeaturesWarning, PrivateRidge, WrongBoundsWarning
from relgauss.linear_model.calibrate_beside import mu_beside
from relgauss.linear_model.outcome import Degraded, DegradedFitWarning, Fitted, PlainModelWarning

N = 4_000
RNG = np.random.default_rng(0)
FEATURES = RNG.normal(size=(N, 3))
SLOPES = np.array([1.0, 2.0, -3.0])
LABELS = FEATURES @ SLOPES + 0.5 + 0.1 * RNG.normal(size=N)
CAUCHY = np.random.default_rng(1).standard_cauchy((N, 3))
ONE_HUGE = FEATURES * 1e-17
ONE_HUGE[0] = 1.7e308
MECHANISMS = ["clipped", "public-iterate", "isometric", "relative"]

Table = tuple[np.ndarray, np.ndarray]
TABLES: dict[str, Table] = {
    "one row": (FEATURES[:1], LABELS[:1]),
    "two rows": (FEATURES[:2], LABELS[:2]),
    "fewer rows than columns": (np.tile(FEATURES, 10)[:20], LABELS[:20]),
    "all zero": (0 * FEATURES, LABELS),
    "all zero, labels too": (0 * FEATURES, 0 * LABELS),
    "all the same": (0 * FEATURES + 3, 0 * LABELS + 7),
    "constant labels": (FEATURES, np.full(N, 7.0)),
    "a constant column": (np.column_stack([FEATURES, np.full(N, 5.0)]), LABELS),
    "duplicated columns": (np.column_stack([FEATURES, FEATURES]), LABELS),
    "wild scales": (FEATURES * [1e9, 1e-9, 1.0], LABELS),
    "far from zero": (FEATURES + np.array([1e6, 0.0, -1e6]), LABELS + 1e6),
    "heavy tails": (CAUCHY, CAUCHY @ SLOPES),
    "near 1e300": (FEATURES * 1e300, LABELS * 1e300),
    "near 1e-300": (FEATURES * 1e-300, LABELS * 1e-300),
    "1e300 by 1e-300": (FEATURES * 1e300, LABELS * 1e-300),
    "1e-300 by 1e300": (FEATURES * 1e-300, LABELS * 1e300),
    "one huge row": (ONE_HUGE, LABELS),
    "one huge label": (FEATURES, np.where(np.arange(N) == 0, -1.7e308, 1e-17 * LABELS)),
    "two values": (np.sign(FEATURES), np.sign(LABELS)),
    "whole numbers": (np.rint(FEATURES * 3).astype(int), np.rint(LABELS).astype(int)),
}


def fitted(model: PrivateRidge, table: Table) -> PrivateRidge:
    """Fit; no warning but those that say that little can be known."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", DegradedFitWarning)
        warnings.simplefilter("ignore", IgnoredFeaturesWarning)
        warnings.simplefilter("ignore", MostlyNoiseWarning)
        warnings.simplefilter("ignore", SimulatedNoiseWarning)
        warnings.simplefilter("ignore", WrongBoundsWarning)
        model.fit(*table)
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.intercept_)
    assert isinstance(model.outcome_, Fitted | Degraded)
    assert model.privacy_.epsilon() <= model.epsilon
    return model


@pytest.mark.parametrize("fit_intercept", [True, False], ids=["intercept", "no intercept"])
@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("name", TABLES)
def test_every_table_ends_with_finite_numbers(name: str, mechanism: str, fit_intercept: bool):
    model = PrivateRidge(3.0, mechanism=mechanism, fit_intercept=fit_intercept, random_state=0)
    fitted(model, TABLES[name])
    assert model.coef_.shape == (TABLES[name][0].shape[1],)
    if not fit_intercept:
        assert model.intercept_ == 0


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(1e-9, 1e-6), (1e-3, 0.99), (1.0, 1e-300), (1e4, 1e-6), (1e9, 0.5)]
)
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_every_budget_ends_with_finite_numbers(mechanism: str, epsilon: float, delta: float):
    fitted(PrivateRidge(epsilon, delta, mechanism=mechanism, random_state=0), (FEATURES[:500], LABELS[:500]))


KNOWN = {
    "tiny rho": {"rho": 1e-12},
    "small rho": {"rho": 1e-3},
    "large rho": {"rho": 1e6},
    "large rho and budget": {"rho": 0.01, "epsilon": 1e5},
    "small radius": {"clip_radius": 1e-3},
    "large radius": {"clip_radius": 1e3},
    "bounds far too wide": {"feature_bounds": (-1e40, 1e40), "label_bounds": (-1e40, 1e40)},
    "bounds far too narrow": {"feature_bounds": (0, 1e-9), "label_bounds": (0, 1e-9)},
    "bounds of one point": {"feature_bounds": (1.0, 1.0)},
    "bounds elsewhere": {"feature_bounds": (100.0, 101.0), "label_bounds": (-6.0, -5.0)},
    "preconditioner too small": {"preconditioner": 1e-12 * np.eye(3)},
    "preconditioner too large": {"preconditioner": 1e12 * np.eye(3)},
    "huge penalty": {"alpha": 1e50},
    "tiny penalty": {"alpha": 1e-50},
}


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("name", KNOWN)
def test_whatever_is_said_to_be_known_ends_with_finite_numbers(name: str, mechanism: str):
    fitted(
        PrivateRidge(**({"epsilon": 10.0, "mechanism": mechanism, "random_state": 0} | KNOWN[name])),
        (FEATURES, LABELS),
    )


@pytest.mark.parametrize("mechanism", ["isometric", "relative"])
@pytest.mark.parametrize("random_state", [0, None])
def test_records_too_small_to_have_a_norm_raise_nothing(mechanism: str, random_state: int | None):
    """An error here would tell neighbours apart: one larger label, and there would be none."""
    options = {"feature_bounds": (-1.0, 1.0), "label_bounds": (-1.0, 1.0), "fit_intercept": False}
    model = PrivateRidge(20.0, mechanism=mechanism, random_state=random_state, **options)
    fitted(model, (FEATURES, 1e-160 * LABELS))
    assert isinstance(model.outcome_, Degraded)
    assert "shows no spread" in model.outcome_.reason


def test_one_record_cannot_cause_a_warning():
    """Without the one huge row there is silence; with it, too."""
    for table in ((FEATURES * 1e-17, LABELS), TABLES["one huge row"], TABLES["one huge label"]):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            PrivateRidge(3.0, random_state=0).fit(*table)
        assert [each.category for each in caught] == [SimulatedNoiseWarning]


def test_constant_labels_are_predicted():
    for value in (7.0, -1e6, 0.0, 3e-5):
        with pytest.warns(DegradedFitWarning, match="no spread"):
            model = PrivateRidge(random_state=0).fit(FEATURES, np.full(N, value))
        assert isinstance(model.outcome_, Degraded)
        assert model.predict(FEATURES[:1])[0] == pytest.approx(value, rel=0.01, abs=1e-12)


def test_labels_far_from_zero_whose_spread_is_not_seen_get_their_mean():
    """Fifty million times as far from zero as they spread: a search shows about where they lie."""
    labels = 1e9 + 20 * LABELS
    for seed in range(4):
        with pytest.warns(DegradedFitWarning, match="shows no spread"):
            model = PrivateRidge(1.0, random_state=seed).fit(FEATURES, labels)
        assert abs(model.intercept_ - labels.mean()) < labels.std()


def test_too_few_records_give_their_mean_and_say_so():
    """The label's range is found from noisy counts, so a constant is now and then further off."""
    misses = []
    for seed in range(20):
        with pytest.warns(DegradedFitWarning, match="too few for 60 features"):
            model = PrivateRidge(3.0, random_state=seed).fit(np.tile(FEATURES, 20)[:400], LABELS[:400] + 100)
        assert "at least 2,242 records" in model.outcome_.fix
        assert (model.coef_ == 0).all()
        misses.append(abs(model.intercept_ - 100.5))
    assert sum(miss > 1.5 for miss in misses) <= 2
    assert max(misses) < 10


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_little_data_degrades_every_mechanism(mechanism: str):
    with pytest.warns(DegradedFitWarning):
        model = PrivateRidge(mechanism=mechanism, random_state=0).fit(FEATURES[:10], LABELS[:10])
    assert isinstance(model.outcome_, Degraded)


def test_a_constant_column_is_ignored_and_named():
    model = PrivateRidge(3.0, random_state=0).fit(*TABLES["a constant column"])
    assert model.outcome_.ignored == (3,)
    assert model.coef_ == pytest.approx([*SLOPES, 0.0], abs=0.1)


def test_duplicated_columns_share_a_coefficient():
    model = PrivateRidge(3.0, random_state=0).fit(*TABLES["duplicated columns"])
    assert model.coef_[:3] + model.coef_[3:] == pytest.approx(SLOPES, abs=0.1)


@pytest.mark.parametrize(
    ("name", "slopes"),
    [("wild scales", SLOPES / [1e9, 1e-9, 1.0]), ("far from zero", SLOPES)],
)
def test_wild_columns_do_not_hurt(name: str, slopes: np.ndarray):
    model = PrivateRidge(3.0, random_state=0).fit(*TABLES[name])
    assert model.coef_ / slopes == pytest.approx(np.ones(3), abs=0.15)


@pytest.mark.parametrize("mechanism", ["clipped", "public-iterate", "isometric"])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(("alpha", "scales"), [(0.0, 1.0), (1e4, 1.0), (1e3, np.array([1.0, 1e-2, 30.0]))])
def test_with_a_huge_budget_it_is_ridge(alpha: float, scales: Any, mechanism: str, fit_intercept: bool):
    """Unlike scales too: a penalty that is heavy on one column does not hold the others back."""
    features = FEATURES * scales
    exact = Ridge(alpha=alpha, fit_intercept=fit_intercept).fit(features, LABELS)
    model = PrivateRidge(1e4, alpha=alpha, mechanism=mechanism, fit_intercept=fit_intercept, random_state=0)
    model.fit(features, LABELS)
    error = model.predict(features) - exact.predict(features)
    assert np.sqrt(np.mean(error**2)) < (0.02 if mechanism == "clipped" else 0.08) * LABELS.std()


def test_the_penalty_shrinks_coefficients():
    sizes = [
        float(np.linalg.norm(PrivateRidge(10.0, alpha=alpha, random_state=0).fit(FEATURES, LABELS).coef_))
        for alpha in (0.0, 1e3, 1e4, 1e6)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < 0.02 * sizes[0]


def test_a_penalty_beyond_all_scales_leaves_the_mean():
    model = fitted(PrivateRidge(10.0, alpha=1e50, random_state=0), (FEATURES * 1e-9, LABELS))
    assert model.predict(FEATURES * 1e-9) == pytest.approx(np.full(N, 0.5), abs=0.2)


@pytest.mark.parametrize("alpha", [1e5, 1e20])
@pytest.mark.parametrize("mechanism", ["clipped", "isometric"])
def test_a_penalty_on_wild_scales_ends_with_finite_numbers(mechanism: str, alpha: float):
    table = FEATURES[:600] * [1e9, 1e-9, 1.0], LABELS[:600]
    for seed in range(10):
        fitted(PrivateRidge(40.0, alpha=alpha, mechanism=mechanism, random_state=seed), table)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_too_few_records_with_a_label_far_from_zero(mechanism: str):
    for seed in range(3):
        model = fitted(
            PrivateRidge(2.3, mechanism=mechanism, random_state=seed),
            (FEATURES[:495, :1], 1e6 + 0.25 * LABELS[:495]),
        )
        assert model.predict(FEATURES[:1, :1])[0] == pytest.approx(1e6, abs=50)


def test_too_few_records_where_most_of_the_budget_is_planned():
    """The gradients' part is set aside before it is known that there will be none."""
    options = {"rho": 0.06, "clip_radius": 0.4, "mechanism": "relative"}
    for seed in range(8):
        model = fitted(
            PrivateRidge(5.73, random_state=seed, **options), (FEATURES[:59, :2], 1e6 + 0.25 * LABELS[:59])
        )
        assert isinstance(model.outcome_, Degraded)


def test_a_budget_that_is_just_missed_is_unreachable():
    """What is beside takes all of the budget but a share in which nothing can be learned."""
    budget = Budget(1.0, 1e-6)
    with pytest.raises(UnreachableTargetError):
        mu_beside(budget, GaussianDP(budget.mu * (1 - 1e-8)))
    assert mu_beside(budget, GaussianDP(budget.mu * 0.6)) == pytest.approx(0.8 * budget.mu, rel=1e-3)


def unchanged(make: Callable[[], Table]) -> None:
    features, labels = make()
    before = features.copy(), labels.copy()
    features.flags.writeable = labels.flags.writeable = False
    PrivateRidge(3.0, random_state=0).fit(features, labels)
    assert (features == before[0]).all()
    assert (labels == before[1]).all()


def test_the_records_are_not_written_to():
    unchanged(lambda: (FEATURES.copy(), LABELS.copy()))
    unchanged(lambda: (np.asfortranarray(FEATURES), LABELS.copy()))
    unchanged(lambda: (np.repeat(FEATURES, 2, axis=0)[::2], np.repeat(LABELS, 2)[::2]))


def test_the_order_in_memory_does_not_matter():
    rowwise = PrivateRidge(3.0, random_state=0).fit(FEATURES, LABELS)
    columnwise = PrivateRidge(3.0, random_state=0).fit(np.asfortranarray(FEATURES), LABELS)
    assert columnwise.coef_ == pytest.approx(rowwise.coef_, rel=1e-9)


def test_heavy_tails_are_clipped_to_a_model_that_predicts():
    features, labels = TABLES["heavy tails"]
    model = PrivateRidge(3.0, random_state=0).fit(features, labels)
    seen = labels.clip(*model.prediction_range_)
    assert np.mean((model.predict(features) - seen) ** 2) < 0.3 * seen.var()
    with pytest.warns(PlainModelWarning, match="clip_features=True"):
        plain = PrivateRidge(20.0, random_state=0, clip_features=False).fit(features, labels)
    assert plain.coef_ / SLOPES == pytest.approx(np.ones(3), abs=0.25)


def test_bounds_far_too_wide_do_not_make_a_model_worse():
    for factor in (1e3, 1e7, 1e20):
        bounds = {"feature_bounds": (-10 * factor, 10 * factor), "label_bounds": (-20 * factor, 20 * factor)}
        model = PrivateRidge(3.0, random_state=0, **bounds).fit(FEATURES, LABELS)
        assert isinstance(model.outcome_, Fitted)
        assert not model.outcome_.ignored
        assert model.coef_ == pytest.approx(SLOPES, abs=0.2)


@pytest.mark.parametrize("low", [0.0, -1.0, 50.0, -3e6])
@pytest.mark.parametrize("width", [1.0, 3.0, 1e-3])
def test_a_column_of_two_values_at_its_own_bounds_is_seen(low: float, width: float):
    """Zeros count apart, and a value at the upper end must not count as outside."""
    rng = np.random.default_rng(0)
    high = low + width
    two = np.where(rng.random(8_000) < 0.2, high, low)
    other = rng.normal(size=8_000)
    labels = 3 * (two - low) / width + other + rng.normal(size=8_000)
    bounds = (np.array([low, -5.0]), np.array([high, 5.0]))
    model = PrivateRidge(2.0, random_state=0, feature_bounds=bounds).fit(np.c_[two, other], labels)
    assert model.outcome_.ignored == ()
    assert model.coef_ * [width, 1] == pytest.approx([3, 1], abs=0.3)


def test_a_label_of_two_values_at_its_own_bounds_is_seen():
    rng = np.random.default_rng(0)
    labels = (rng.random(8_000) < 0.3).astype(float)
    features = labels[:, None] + rng.normal(size=(8_000, 1))
    model = PrivateRidge(2.0, random_state=0, label_bounds=(0, 1)).fit(features, labels)
    assert isinstance(model.outcome_, Fitted)


def test_label_bounds_that_hold_nobody_are_named():
    with pytest.warns(DegradedFitWarning, match="label_bounds"):
        model = PrivateRidge(3.0, random_state=0, label_bounds=(1e4, 2e4)).fit(FEATURES, LABELS)
    assert isinstance(model.outcome_, Degraded)


def test_a_table_of_constant_columns_is_degraded():
    features = np.column_stack([np.full(N, 5.0), np.zeros(N)])
    with pytest.warns(DegradedFitWarning, match="No feature shows a spread"):
        model = PrivateRidge(3.0, random_state=0).fit(features, LABELS)
    assert isinstance(model.outcome_, Degraded)
    assert model.intercept_ == pytest.approx(LABELS.mean(), abs=0.2)


@pytest.mark.parametrize(("bounds", "expected"), [((1000.0, 2000.0), 1000.0), ((-90.0, -40.0), -40.0)])
def test_a_constant_lies_within_label_bounds_that_hold_nobody(bounds: tuple[float, float], expected: float):
    model = PrivateRidge(1.0, 1e-6, random_state=0, label_bounds=bounds)
    with pytest.warns(DegradedFitWarning, match=r"constant, -?\d.*Check label_bounds"):
        model.fit(FEATURES, LABELS)
    assert bounds[0] <= model.intercept_ <= bounds[1]
    assert model.intercept_ == pytest.approx(expected, abs=0.02 * (bounds[1] - bounds[0]))


@pytest.mark.parametrize("others", [0.0, 1.0])
def test_bounds_that_hold_nobody_are_named_whether_or_not_there_is_a_model(others: float):
    """Neither more records nor bounds, which were passed, would help."""
    labels = FEATURES[:, 0] + others * 20 * FEATURES[:, 1]
    kind = IgnoredFeaturesWarning if others else DegradedFitWarning
    bounds = [200.0, np.nan, np.nan], [300.0, np.nan, np.nan]
    model = PrivateRidge(1.0, 1e-6, random_state=0, feature_bounds=bounds)
    with pytest.warns(kind, match="Check feature_bounds of x0: no spread was seen within them") as told:
        model.fit(FEATURES, labels)
    assert "Pass feature_bounds" not in str([each.message for each in told])
    assert model.outcome_.ignored == (0,)
    if not others:
        assert "Check feature_bounds of x0" in str(model.summary())
