"""What scikit-learn does with the records beside one fit is warned of: repetitions, seeds, earlier steps."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.feature_selection import RFE, RFECV, SequentialFeatureSelector
from sklearn.impute import SimpleImputer
from sklearn.linear_model import RANSACRegressor
from sklearn.model_selection import (
    GridSearchCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier, MultiOutputRegressor, RegressorChain
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    Normalizer,
    PolynomialFeatures,
    PowerTransformer,
    StandardScaler,
)

from relgauss.errors import SimulatedNoiseWarning
from relgauss.linear_model import (
    DegradedFitWarning,
    EarlierStepsWarning,
    PrivateLogisticRegression,
    PrivateRidge,
    RepeatedSpendWarning,
    UnprotectedScoreWarning,
)
from relgauss.linear_model.baselines import AdaSSP

N = 1_500
X = np.random.default_rng(0).normal(size=(N, 2))
Y = X @ [1.0, 2.0] + 0.1 * np.random.default_rng(1).normal(size=N)
CLASSES = (Y > 0).astype(int)
BOTH = np.column_stack([Y, -Y])


def ridge() -> PrivateRidge:
    return PrivateRidge(3.0)


def logistic() -> PrivateLogisticRegression:
    return PrivateLogisticRegression(3.0)


def warned(act: Callable[[], Any]) -> set[type[Warning]]:
    """The kinds of relgauss' warnings, but those about the result."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        act()
    kinds = {each.category for each in caught if each.category.__module__.startswith("relgauss")}
    return {kind for kind in kinds if not issubclass(kind, DegradedFitWarning | UnprotectedScoreWarning)}


REPEATED: dict[str, Callable[[], Any]] = {
    "a grid": lambda: GridSearchCV(ridge(), {"alpha": [0.0, 1.0]}, cv=2).fit(X, Y),
    "scores": lambda: cross_val_score(logistic(), X, CLASSES, cv=2),
    "cross_validate": lambda: cross_validate(ridge(), X, Y, cv=2),
    "predictions": lambda: cross_val_predict(ridge(), X, Y, cv=2),
    "a curve": lambda: learning_curve(ridge(), X, Y, cv=2, train_sizes=[0.9]),
    "a pipeline's scores": lambda: cross_val_score(make_pipeline(ridge()), X, Y, cv=2),
    "voting": lambda: VotingRegressor([("a", ridge()), ("b", ridge())]).fit(X, Y),
    "voting classes": lambda: VotingClassifier([("a", logistic()), ("b", logistic())]).fit(X, CLASSES),
    "stacking": lambda: StackingRegressor([("a", ridge())], cv=2).fit(X, Y),
    "two outputs": lambda: MultiOutputRegressor(ridge()).fit(X, BOTH),
    "two class outputs": lambda: MultiOutputClassifier(logistic()).fit(X, BOTH > 0),
    "a chain": lambda: RegressorChain(ridge()).fit(X, BOTH),
    "one against the rest": lambda: OneVsRestClassifier(logistic()).fit(X, np.digitize(Y, [-1, 1])),
    "elimination": lambda: RFE(ridge(), n_features_to_select=1).fit(X, Y),
    "elimination by scores": lambda: RFECV(ridge(), cv=2).fit(X, Y),
    "selection": lambda: SequentialFeatureSelector(ridge(), n_features_to_select=1, cv=2).fit(X, Y),
    "calibration": lambda: CalibratedClassifierCV(logistic(), cv=2).fit(X, CLASSES),
    "a baseline": lambda: cross_val_score(AdaSSP(3.0), X, Y, cv=2),
}
SEEDED: dict[str, Callable[[], Any]] = {
    "bagging": lambda: BaggingRegressor(ridge(), n_estimators=2).fit(X, Y),
    "bagging classes": lambda: BaggingClassifier(logistic(), n_estimators=2).fit(X, CLASSES),
    "boosting": lambda: AdaBoostRegressor(ridge(), n_estimators=2).fit(X, Y),
    "robust subsets": lambda: RANSACRegressor(ridge(), min_samples=700, max_trials=2).fit(X, Y),
    "bagging a baseline": lambda: BaggingRegressor(AdaSSP(3.0), n_estimators=2).fit(X, Y),
}


@pytest.mark.parametrize("act", REPEATED.values(), ids=REPEATED.keys())
def test_what_fits_again_and_again_warns(act: Callable[[], Any]):
    assert warned(act) == {RepeatedSpendWarning}


@pytest.mark.parametrize("model", [ridge(), logistic(), AdaSSP(3.0)], ids=["ridge", "logistic", "baseline"])
def test_a_score_is_said_not_to_be_private_once_a_call_and_can_be_silenced(model: Any):
    labels = CLASSES if isinstance(model, PrivateLogisticRegression) else Y
    model.fit(X, labels)
    with pytest.warns(UnprotectedScoreWarning, match="no epsilon covers it") as caught:
        scored = model.score(X, labels)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UnprotectedScoreWarning)
        assert model.score(X, labels) == scored
        model.predict(X)


@pytest.mark.parametrize("act", SEEDED.values(), ids=SEEDED.keys())
def test_a_seed_that_an_ensemble_sets_is_warned_of_too(act: Callable[[], Any]):
    assert warned(act) == {RepeatedSpendWarning, SimulatedNoiseWarning}


@pytest.mark.filterwarnings("ignore::relgauss.linear_model.outcome.HopelessFitWarning")
def test_the_warning_names_what_each_fit_spends():
    with pytest.warns(RepeatedSpendWarning, match="spends epsilon=3 anew"):
        cross_val_score(ridge(), X, Y, cv=2)


@pytest.mark.filterwarnings("ignore::relgauss.linear_model.outcome.HopelessFitWarning")
@pytest.mark.parametrize("name", ["scores", "elimination", "voting", "two outputs", "calibration"])
def test_only_who_chooses_is_told_to_choose_on_public_data(name: str):
    expected = "Choose parameters" if name in ("scores", "elimination") else "Give each a part of the epsilon"
    with pytest.warns(RepeatedSpendWarning, match=expected):
        REPEATED[name]()


def test_boosting_needs_weights_that_no_private_classifier_takes():
    with pytest.raises(ValueError, match="sample_weight"):
        AdaBoostClassifier(logistic(), n_estimators=2).fit(X, CLASSES)


LEARNT: dict[str, Callable[[], Any]] = {
    "scaling": lambda: make_pipeline(StandardScaler(), ridge()).fit(X, Y),
    "imputing": lambda: make_pipeline(SimpleImputer(), logistic()).fit(X, CLASSES),
    "a pipeline in a pipeline": lambda: make_pipeline(make_pipeline(StandardScaler()), ridge()).fit(X, Y),
    "further out": lambda: make_pipeline(StandardScaler(), make_pipeline(ridge())).fit(X, Y),
    "a learnt target": lambda: TransformedTargetRegressor(ridge(), transformer=PowerTransformer()).fit(X, Y),
    "fit and predict": lambda: make_pipeline(StandardScaler(), Predicting(3.0)).fit_predict(X, Y),
    "a baseline": lambda: make_pipeline(StandardScaler(), AdaSSP(3.0)).fit(X, Y),
}


class Predicting(PrivateRidge):
    def fit_predict(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        return self.fit(X, y).predict(X)


@pytest.mark.parametrize("act", LEARNT.values(), ids=LEARNT.keys())
def test_steps_that_learnt_from_the_same_records_are_warned_of(act: Callable[[], Any]):
    assert warned(act) == {EarlierStepsWarning}


def test_the_warning_names_the_steps_and_a_safe_way():
    pipeline = make_pipeline(SimpleImputer(), FunctionTransformer(), StandardScaler(), ridge())
    with pytest.warns(EarlierStepsWarning, match="^SimpleImputer, StandardScaler: .*feature_bounds"):
        pipeline.fit(X, Y)


def test_a_step_that_cannot_be_seen_into_is_not_said_to_have_learned():
    with pytest.warns(EarlierStepsWarning, match="may have learned.*A step that learns nothing does no harm"):
        make_pipeline(PolynomialFeatures(2, include_bias=False), ridge()).fit(X, Y)


HARMLESS: dict[str, Callable[[], Any]] = {
    "by itself": lambda: ridge().fit(X, Y),
    "a fixed function": lambda: make_pipeline(FunctionTransformer(np.arctan), ridge()).fit(X, Y),
    "row by row": lambda: make_pipeline(Normalizer(), logistic()).fit(X, CLASSES),
    "passed through": lambda: Pipeline([("a", "passthrough"), ("b", None), ("c", ridge())]).fit(X, Y),
    "a fixed target": lambda: TransformedTargetRegressor(ridge(), func=np.sinh, inverse_func=np.arcsinh).fit(
        X, Y
    ),
}


@pytest.mark.parametrize("act", HARMLESS.values(), ids=HARMLESS.keys())
def test_one_fit_to_untouched_records_warns_of_nothing(act: Callable[[], Any]):
    assert warned(act) == set()


@pytest.mark.parametrize("model", [ridge(), logistic(), AdaSSP(3.0)], ids=["ridge", "logistic", "baseline"])
def test_what_no_warning_can_see_is_stated_as_assumed(model: Any):
    """Columns that were scaled before they came in look like any others."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(StandardScaler().fit_transform(X), CLASSES)
    assert "assumed     no column was computed or chosen from these records" in str(model.privacy_)
