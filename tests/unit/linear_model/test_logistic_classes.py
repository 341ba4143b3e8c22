"""Several classes at once: as scikit-learn has them, out of one budget."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression

from relgauss.linear_model import (
    Degraded,
    DegradedFitWarning,
    Fitted,
    PrivateLogisticRegression,
    load_model,
    save_model,
)

N = 12_000
RNG = np.random.default_rng(0)
FEATURES = RNG.normal(size=(N, 3))
SLOPES = np.array([[1.0, 0.0, -1.0], [-0.5, 1.0, 0.0], [-0.5, -1.0, 1.0]])
SHIFTS = np.array([0.6, 0.1, -0.7])
CHANCES = softmax(FEATURES @ SLOPES.T + SHIFTS, axis=1)
NUMBERS = (CHANCES.cumsum(axis=1) < RNG.random(N)[:, None]).sum(axis=1)
NAMED = np.array(["apple", "bread", "cheese"])[NUMBERS]


def fitted(labels: Any = NUMBERS, **options: Any) -> PrivateLogisticRegression:
    model = PrivateLogisticRegression(**({"epsilon": 3.0, "random_state": 0} | options))
    return model.fit(FEATURES[: len(labels)], labels)


@pytest.fixture(scope="module")
def model() -> PrivateLogisticRegression:
    return fitted(NAMED, classes=["cheese", "apple", "bread"])


def test_coefficients_are_those_of_scikit_learn(model: PrivateLogisticRegression):
    exact = LogisticRegression(C=np.inf).fit(FEATURES, NAMED)
    assert isinstance(model.outcome_, Fitted)
    assert model.classes_.tolist() == exact.classes_.tolist()
    assert model.coef_.shape == exact.coef_.shape
    assert model.coef_ == pytest.approx(exact.coef_, abs=0.15)
    assert model.intercept_ == pytest.approx(exact.intercept_, abs=0.15)


def test_predictions_have_the_shapes_and_the_sense_of_scikit_learns(model: PrivateLogisticRegression):
    exact = LogisticRegression(C=np.inf).fit(FEATURES, NAMED)
    scores, chances = model.decision_function(FEATURES), model.predict_proba(FEATURES)
    assert scores.shape == chances.shape == (N, 3)
    assert chances == pytest.approx(softmax(scores, axis=1))
    assert model.predict_log_proba(FEATURES) == pytest.approx(np.log(chances))
    assert (model.predict(FEATURES) == model.classes_[chances.argmax(axis=1)]).all()
    assert model.score(FEATURES, NAMED) > exact.score(FEATURES, NAMED) - 0.01
    assert np.abs(chances - exact.predict_proba(FEATURES)).mean() < 0.02


def test_far_features_and_scores_are_clipped(model: PrivateLogisticRegression):
    low, high = model.score_range_
    assert low.shape == high.shape == (3,)
    scores = model.decision_function(1e6 * FEATURES[:100])
    assert (scores >= low).all()
    assert (scores <= high).all()


def test_all_classes_cost_one_budget(model: PrivateLogisticRegression):
    assert model.privacy_.epsilon() <= 3
    assert model.privacy_.epsilon() == pytest.approx(3, rel=1e-3)
    stages = {charge.stage: charge.times for charge in model.privacy_.charges}
    assert stages["class shares"] == 1
    assert stages["gradients"] == 40
    assert "a label other than 'bread' or 'cheese' counts as 'apple'" in str(model.privacy_)


def test_intervals_hold_the_truth(model: PrivateLogisticRegression):
    low, high = model.intervals_
    assert low.shape == (3, 4)
    truth = np.column_stack([SLOPES, SHIFTS])
    assert ((low <= truth) & (truth <= high)).mean() >= 10 / 12
    assert (high - low).max() < 0.4


def test_the_table_names_classes_and_features(model: PrivateLogisticRegression):
    names = [line.name for line in model.summary().lines]
    assert names[:5] == ["apple: intercept", "apple: x0", "apple: x1", "apple: x2", "bread: intercept"]
    assert len(names) == 12
    assert "<td>cheese: x2</td>" in model.summary()._repr_html_()


def test_a_saved_model_is_the_same(model: PrivateLogisticRegression, tmp_path: Path):
    save_model(model, tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(loaded.predict_proba(FEATURES), model.predict_proba(FEATURES))
    np.testing.assert_array_equal(loaded.intervals_, model.intervals_)
    assert loaded.predict(FEATURES).tolist() == model.predict(FEATURES).tolist()
    assert str(loaded.summary()) == str(model.summary())


def test_classes_that_are_read_are_assumed_to_be_public():
    read, stated = fitted(NUMBERS), fitted(NUMBERS, classes=[2, 1, 0])
    assert (read.coef_ == stated.coef_).all()
    assert "which classes there are is public: 0, 1 and 2" in str(read.privacy_)


@pytest.mark.parametrize("other", [7, -1, np.inf, 0.5])
def test_a_label_outside_the_classes_counts_as_the_first(other: float):
    labels = NUMBERS[:4_000].astype(float)
    labels[:9] = 0
    expected = fitted(labels, classes=[0, 1, 2])
    labels[:9] = other
    changed = fitted(labels, classes=[0, 1, 2])
    assert (changed.coef_ == expected.coef_).all()
    assert changed.privacy_ == expected.privacy_


@pytest.mark.parametrize("labels", [np.zeros(N, int), np.ones(N, int), np.full(N, 9)], ids=str)
def test_where_one_class_is_all_there_is_the_released_shares_end_the_fit(labels: np.ndarray):
    """Nothing but a release may choose the way: until the shares it is that of any other labels."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegradedFitWarning)
        model = fitted(labels, classes=[0, 1, 2])
    full = [charge.stage for charge in fitted(NUMBERS, classes=[0, 1, 2]).privacy_.charges]
    *stages, last = [charge.stage for charge in model.privacy_.charges]
    assert (stages, last) == (full[: len(stages)], "class shares")  # once more, for the constant
    assert "Hardly any record was seen" in model.outcome_.reason
    assert model.predict_proba(FEATURES).shape == (N, 3)
    assert model.predict_proba(FEATURES).mean(axis=0).argmax() == (labels[0] if labels[0] < 3 else 0)


def test_classes_that_no_feature_tells_apart_are_their_shares():
    coin = np.array([0, 0, 0, 1, 1, 2])[np.arange(N) % 6]
    for seed in range(5):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DegradedFitWarning)
            model = fitted(coin, classes=[0, 1, 2], random_state=seed)
        chances = model.predict_proba(FEATURES).mean(axis=0)
        assert chances == pytest.approx([1 / 2, 1 / 3, 1 / 6], abs=0.03)
        if isinstance(model.outcome_, Degraded):
            assert (model.coef_ == 0).all()
            assert np.isnan(model.intervals_).all()


def test_too_few_records_give_the_shares_and_say_so():
    with pytest.warns(DegradedFitWarning, match="too few"):
        model = fitted(np.array([0, 0, 1, 2])[np.arange(400) % 4], classes=[0, 1, 2], epsilon=0.5)
    assert isinstance(model.outcome_, Degraded)
    assert model.predict_proba(FEATURES[:1])[0] == pytest.approx([0.5, 0.25, 0.25], abs=0.15)
    assert len(model.summary().lines) == 3


def test_without_an_intercept_the_constant_is_even():
    model = fitted(NUMBERS, classes=[0, 1, 2], fit_intercept=False)
    assert isinstance(model.outcome_, Fitted)
    assert (model.intercept_ == 0).all()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegradedFitWarning)
        constant = fitted(NUMBERS[:50], classes=[0, 1, 2], fit_intercept=False)
    assert constant.predict_proba(FEATURES[:1])[0] == pytest.approx([1 / 3] * 3)


def test_a_penalty_shrinks_as_scikit_learns_does():
    exact = LogisticRegression(C=1 / 500).fit(FEATURES, NUMBERS)
    model = fitted(NUMBERS, classes=[0, 1, 2], epsilon=1e4, alpha=500.0, clip_features=False)
    assert model.coef_ == pytest.approx(exact.coef_, abs=0.05)
