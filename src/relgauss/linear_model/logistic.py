"""Private logistic regression."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from relgauss.arrays import FloatArray
from relgauss.descent.objectives import Logistic
from relgauss.errors import InvalidParameterError
from relgauss.ledger import Ledger
from relgauss.linear_model.checked import checked_data, checked_features
from relgauss.linear_model.classes import (
    check_zero_or_one,
    classes_condition,
    label_column,
    read_classes,
    stated_classes,
)
from relgauss.linear_model.estimator import PrivateLinearModel, assumed_of, named_rows
from relgauss.linear_model.solvers import ClippedSolver
from relgauss.records.blocks import ArrayRows, Rows
from relgauss.records.passes import CountedRows
from relgauss.records.read import Records


class PrivateLogisticRegression(ClassifierMixin, PrivateLinearModel):  # type: ignore[misc]
    """Logistic regression for two classes, private in every record; nothing but the budget to choose.

        minimise  Σ log(1 + e^s) - y s + ½ alpha ||coef||²,   s = intercept + x · coef,   y = 0 or 1

    A record's gradient is bounded by its row's norm, so the absolute bound is never above the relative one of
    general objectives (proofs/regression.md), and clipping in whitened coordinates is the one mechanism here.

    Parameters
    ----------
    epsilon, delta : float
        The budget of the whole fit.
    alpha : float
        The weight of the L2 penalty.
    fit_intercept : bool
        Whether the model has an intercept.
    clip_features : bool
        Whether features are clipped to ``feature_range_``, in the fit and in predictions.
    feature_bounds : (low, high) or None
        Public ranges of the features, numbers or arrays of d; values outside are clipped. None: they are
        found.
    preconditioner : array of shape (d, d), (mean, covariance) or None
        The covariance of public data, or their mean and covariance, instead of ranges and a covariance.
    classes : list of two labels, or None
        The two labels that there may be, in any order; every other label counts as the first of the sorted
        two, be it missing, and one class or none among the records makes no difference. None: they are read
        from the labels (of ``read_records``: are 0 and 1), and the statement lists as *assumed* that they are
        public.
    random_state : int, Generator, RandomState or None
        Asks for simulated noise, which is not private; None, for secure noise.
    ledger : Ledger or None
        Where the fit is reserved before noise is drawn, and refused if the budget there does not hold it.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The classes, sorted as in scikit-learn: y = 1 is the second. One, if the labels held one only.
    coef_ : array of shape (1, d)
        The coefficients.
    intercept_ : array of shape (1,)
        The intercept.
    feature_range_ : (low, high), arrays of shape (d,)
        What each feature is clipped to: a released range, or public bounds; infinite where nothing is.
    score_range_ : (low, high)
        What scores, the log-odds of the second class, are clipped to.
    outcome_ : Fitted or Degraded
        How the fit ended: a model, or a constant and why.
    privacy_ : PrivacyStatement
        What was spent, stage by stage.
    n_passes_ : int
        How often the records were read.
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 1e-6,
        *,
        alpha: float = 0.0,
        fit_intercept: bool = True,
        clip_features: bool = True,
        feature_bounds: tuple[ArrayLike, ArrayLike] | None = None,
        preconditioner: ArrayLike | tuple[ArrayLike, ArrayLike] | None = None,
        classes: ArrayLike | None = None,
        random_state: Any = None,
        ledger: Ledger | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.clip_features = clip_features
        self.feature_bounds = feature_bounds
        self.preconditioner = preconditioner
        self.classes = classes
        self.random_state = random_state
        self.ledger = ledger

    def fit(self, X: ArrayLike | Records, y: ArrayLike | None = None) -> Self:
        """Fit to records.

        Parameters
        ----------
        X : array or frame of shape (n, d), or what ``read_records`` returns
            The features, a row for each record.
        y : array of shape (n,) or None
            The labels, of two classes; None for ``read_records``, which names its target.

        Returns
        -------
        self
        """
        stated = None if self.classes is None else stated_classes(self.classes)
        if isinstance(X, Records):
            rows, self.classes_ = self._numbered_rows(X, y, stated)
        else:
            rows, self.classes_ = self._labelled_rows(X, y, stated)
        condition = classes_condition(self.classes_, are_stated=stated is not None)
        rests_on = (*assumed_of(X), condition)
        solution = self._solve(rows, Logistic(), ClippedSolver, (0.0, 1.0), rests_on=rests_on)
        self.coef_ = solution.coefficients[None, :]
        self.intercept_ = np.array([solution.intercept])
        self.score_range_ = solution.prediction_range
        return self

    def _numbered_rows(
        self, records: Records, y: ArrayLike | None, stated: NDArray[Any] | None
    ) -> tuple[Rows, NDArray[Any]]:
        if stated is not None and stated.dtype.kind == "U":
            fix = "The target of read_records is a number."
            raise InvalidParameterError("classes", self.classes, "two numbers", fix)
        rows = CountedRows(named_rows(self, records, y))
        if stated is None:
            stated = np.array([0, 1])
            check_zero_or_one(rows)
        second = float(stated[1])
        labelled = rows.changed(
            lambda block: (block.features, np.where(block.labels == second, 1.0, 0.0)), rows.columns
        )
        return labelled, stated

    def _labelled_rows(
        self, X: ArrayLike, y: ArrayLike | None, stated: NDArray[Any] | None
    ) -> tuple[Rows, NDArray[Any]]:
        if stated is not None and y is not None:
            features, coded = checked_data(self, X, label_column(y, stated), y_numeric=False)
            return ArrayRows(features, coded), stated
        features, labels = checked_data(self, X, y, y_numeric=False)
        read = read_classes(labels)
        return ArrayRows(features, (labels == read[-1]).astype(np.float64)), read

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """intercept + X coef, of clipped features, and clipped: above zero, the second class is likelier."""
        check_is_fitted(self)
        features = np.clip(checked_features(self, X), *self.feature_range_)
        scores: FloatArray = features @ self.coef_[0] + self.intercept_[0]
        return np.clip(scores, *self.score_range_)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The likelier class."""
        second = (self.decision_function(X) > 0).astype(np.intp)
        classes: NDArray[Any] = self.classes_[np.minimum(second, len(self.classes_) - 1)]
        return classes

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """The probability of each class, a column each."""
        second = expit(self.decision_function(X))
        if len(self.classes_) == 1:
            return np.ones((len(second), 1))
        return np.column_stack([1 - second, second])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True  # on the checks' few records a constant is all that is private
        return tags
