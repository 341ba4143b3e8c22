"""Private logistic regression: classes, probabilities, odd data."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from relgauss.errors import MostlyNoiseWarning, SimulatedNoiseWarning
from relgauss.linear_model import IgnoredFeaturesWarning, PrivateLogisticRegression
from relgauss.linear_model.outcome import Degraded, DegradedFitWarning, Fitted, PlainModelWarning

N = 8_000
RNG = np.random.default_rng(0)
FEATURES = RNG.normal(size=(N, 3))
SCORES = FEATURES @ [1.0, 2.0, -1.0] + 0.5
CLASSES = (SCORES + RNG.logistic(size=N) > 0).astype(int)
ONE_HUGE = FEATURES.copy()
ONE_HUGE[0] = 1.7e308


def fitted(features: np.ndarray, classes: np.ndarray, **options: object) -> PrivateLogisticRegression:
    model = PrivateLogisticRegression(**({"epsilon": 3.0, "random_state": 0} | options))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", DegradedFitWarning)
        warnings.simplefilter("ignore", PlainModelWarning)
        warnings.simplefilter("ignore", IgnoredFeaturesWarning)
        warnings.simplefilter("ignore", MostlyNoiseWarning)
        warnings.simplefilter("ignore", SimulatedNoiseWarning)
        model.fit(features, classes)
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.intercept_).all()
    assert model.coef_.shape == (1, features.shape[1])
    assert model.intercept_.shape == (1,)
    assert model.privacy_.epsilon() <= model.epsilon
    if isinstance(model.outcome_, Fitted):
        assert model.privacy_.epsilon() == pytest.approx(model.epsilon, rel=1e-3)
    chances = model.predict_proba(features[:50].clip(-1e200, 1e200))
    assert chances.sum(axis=1) == pytest.approx(np.ones(len(chances)))
    assert ((chances >= 0) & (chances <= 1)).all()
    return model


ODD = {
    "one row": (FEATURES[:1], CLASSES[:1]),
    "fewer rows than columns": (np.tile(FEATURES, 10)[:20], CLASSES[:20]),
    "all zero": (0 * FEATURES, CLASSES),
    "one class": (FEATURES, 0 * CLASSES),
    "rare class": (FEATURES, (np.arange(N) < 5).astype(int)),
    "wild scales": (FEATURES * [1e9, 1e-9, 1.0], CLASSES),
    "near 1e300": (FEATURES * 1e300, CLASSES),
    "near 1e-300": (FEATURES * 1e-300, CLASSES),
    "one huge row": (ONE_HUGE, CLASSES),
    "a constant column": (np.column_stack([FEATURES, np.full(N, 5.0)]), CLASSES),
    "duplicated columns": (np.column_stack([FEATURES, FEATURES]), CLASSES),
    "separable": (FEATURES, (FEATURES[:, 0] > 0).astype(int)),
    "separable by far": (
        np.where(FEATURES[:, :1] > 0, 100.0, -100.0) + FEATURES,
        (FEATURES[:, 0] > 0).astype(int),
    ),
}


@pytest.mark.parametrize(
    "options", [{}, {"fit_intercept": False}, {"alpha": 1e3}, {"epsilon": 0.01}], ids=str
)
@pytest.mark.parametrize("name", ODD)
def test_every_table_ends_with_finite_numbers(name: str, options: dict[str, object]):
    fitted(*ODD[name], **options)


def test_coefficients_are_recovered():
    model = fitted(FEATURES, CLASSES)
    exact = LogisticRegression(C=np.inf).fit(FEATURES, CLASSES)
    assert isinstance(model.outcome_, Fitted)
    assert model.coef_[0] == pytest.approx(exact.coef_[0], abs=0.25)
    assert model.intercept_[0] == pytest.approx(exact.intercept_[0], abs=0.25)
    assert model.score(FEATURES, CLASSES) > exact.score(FEATURES, CLASSES) - 0.01


def test_with_a_huge_budget_it_is_penalised_logistic_regression():
    exact = LogisticRegression(C=1 / 500).fit(FEATURES, CLASSES)
    model = fitted(FEATURES, CLASSES, epsilon=1e4, alpha=500.0, clip_features=False)
    assert model.coef_[0] == pytest.approx(exact.coef_[0], abs=0.1)
    assert model.decision_function(FEATURES) == pytest.approx(exact.decision_function(FEATURES), abs=0.3)


def test_classes_keep_their_names_and_order():
    named = np.where(CLASSES == 1, "yes", "no")
    model, numbered = fitted(FEATURES, named), fitted(FEATURES, CLASSES)
    assert model.classes_.tolist() == ["no", "yes"]
    assert (model.coef_ == numbered.coef_).all()
    assert (model.predict(FEATURES) == np.where(numbered.predict(FEATURES) == 1, "yes", "no")).all()
    likelier = model.predict_proba(FEATURES)[:, 1] > 0.5
    assert (likelier == (model.predict(FEATURES) == "yes")).all()
    assert (likelier == (model.decision_function(FEATURES) > 0)).all()


def test_one_class_is_predicted_always():
    model = fitted(FEATURES, np.full(N, "only"))
    assert set(model.predict(FEATURES)) == {"only"}
    assert model.predict_proba(FEATURES).shape == (N, 1)


def test_a_rare_class_is_not_predicted_out_of_noise():
    model = fitted(*ODD["rare class"])
    assert model.predict(FEATURES).mean() < 0.01


def test_separable_classes_keep_finite_coefficients_and_are_told_apart():
    model = fitted(*ODD["separable"])
    assert np.abs(model.coef_).max() < 100
    assert model.score(*ODD["separable"]) > 0.97


def test_too_few_records_give_the_share_of_classes_and_say_so():
    mostly = (np.arange(100) % 5 > 0).astype(int)
    with pytest.warns(DegradedFitWarning, match="too few"):
        model = PrivateLogisticRegression(2.0, random_state=0).fit(FEATURES[:100], mostly)
    assert isinstance(model.outcome_, Degraded)
    assert (model.coef_ == 0).all()
    assert model.predict_proba(FEATURES[:1])[0, 1] == pytest.approx(0.8, abs=0.1)


def test_classes_that_have_nothing_to_do_with_the_features_are_a_constant():
    """Or a model that is hardly worse: its intercept may be better than the mean that was released."""
    coin = (np.arange(N) % 5 > 0).astype(int)
    for epsilon, count in ((1.0, N), (2.0, 300), (0.2, N)):
        for seed in range(10):
            model = PrivateLogisticRegression(epsilon, classes=[0, 1], random_state=seed)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model.fit(FEATURES[:count], coin[:count])
            if isinstance(model.outcome_, Fitted):
                chance = model.predict_proba(FEATURES[:count])[np.arange(count), coin[:count]]
                assert -np.log(chance).mean() < 1.1 * 0.5004
            else:
                # Of 300 records sixty are hardly seen at all.
                reasons = ("explain nothing", "Hardly any") if count == 300 else ("explain nothing",)
                assert any(reason in model.outcome_.reason for reason in reasons)
                assert (model.coef_ == 0).all()
                assert model.predict_proba(FEATURES[:1])[0, 1] == pytest.approx(0.8, abs=0.25)


def test_unbalanced_classes_are_fitted():
    rare = (FEATURES @ [1.0, 2.0, -1.0] - 4 + np.random.default_rng(5).logistic(size=N) > 0).astype(int)
    assert 0.05 < rare.mean() < 0.2
    model = fitted(FEATURES, rare)
    assert model.coef_[0] == pytest.approx([1.0, 2.0, -1.0], abs=0.4)
    assert model.predict_proba(FEATURES)[:, 1].mean() == pytest.approx(rare.mean(), abs=0.02)


def test_without_an_intercept_it_solves_the_same_problem_as_scikit_learn():
    rng = np.random.default_rng(0)
    features = rng.normal(size=(20_000, 3))
    labels = rng.random(20_000) < 1 / (1 + np.exp(-features @ [2.0, -1.0, 0.5]))
    model = PrivateLogisticRegression(50.0, random_state=0, fit_intercept=False).fit(features, labels)
    exact = LogisticRegression(C=1e9, fit_intercept=False).fit(features, labels)
    np.testing.assert_allclose(model.coef_, exact.coef_, atol=0.05)
    assert model.intercept_ == 0
