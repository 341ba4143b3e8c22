"""Private logistic regression."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted

from relgauss.arrays import FloatArray
from relgauss.descent.objectives import Logistic
from relgauss.errors import InvalidValueError
from relgauss.linear_model.checked import checked_data, checked_features
from relgauss.linear_model.estimator import PrivateLinearModel, assumed_of, named_rows
from relgauss.linear_model.solvers.clipped import ClippedRoute
from relgauss.records.blocks import ArrayRows, Rows
from relgauss.records.read import Records


class PrivateLogisticRegression(ClassifierMixin, PrivateLinearModel):  # type: ignore[misc]
    """Logistic regression for two classes, private in every record; nothing but the budget to choose.

        minimise  Σ log(1 + e^s) - y s + ½ alpha ||coef||²,   s = intercept + x · coef,   y = 0 or 1

    Which classes there are is public; which one a record has is not. Otherwise as PrivateRidge. A record's
    gradient is bounded by its row's norm, so the absolute bound is never above the relative one of general
    objectives (proofs/regression.md), and clipping in whitened coordinates is the one mechanism here.

    Fitted: ``classes_``, ``coef_`` of shape (1, d), ``intercept_`` of shape (1,), ``outcome_``, ``privacy_``,
    ``n_passes_``.
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 1e-6,
        *,
        alpha: float = 0.0,
        fit_intercept: bool = True,
        feature_bounds: tuple[ArrayLike, ArrayLike] | None = None,
        preconditioner: ArrayLike | tuple[ArrayLike, ArrayLike] | None = None,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.feature_bounds = feature_bounds
        self.preconditioner = preconditioner
        self.random_state = random_state

    def fit(self, X: ArrayLike | Records, y: ArrayLike | None = None) -> Self:
        """Fit to records, a row each, labelled with one of two classes.

        The target of ``read_records`` is a number: the classes are 0 and 1, and what is above ½ is a 1.
        """
        rows = self._numbered_rows(X, y) if isinstance(X, Records) else self._labelled_rows(X, y)
        solution = self._solve(rows, Logistic(), ClippedRoute, (0.0, 1.0), assumed=assumed_of(X))
        self.coef_ = solution.coefficients[None, :]
        self.intercept_ = np.array([solution.intercept])
        return self

    def _numbered_rows(self, records: Records, y: ArrayLike | None) -> Rows:
        rows = named_rows(self, records, y)
        self.classes_ = np.array([0, 1])
        return rows.changed(
            lambda block: (block.features, np.where(block.labels > 0.5, 1.0, 0.0)), rows.columns
        )

    def _labelled_rows(self, X: ArrayLike, y: ArrayLike | None) -> Rows:
        features, labels = checked_data(self, X, y, y_numeric=False)
        with np.errstate(all="ignore"):  # a warning would tell of a record
            check_classification_targets(labels)
        self.classes_ = np.unique(labels)
        if len(self.classes_) > 2:
            raise InvalidValueError(
                f"Only binary classification is supported. The target is {type_of_target(labels)}.",
                "Pass labels of two classes.",
            )
        return ArrayRows(features, (labels == self.classes_[-1]).astype(np.float64))

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """intercept + X coef: above zero, the second class is the likelier."""
        check_is_fitted(self)
        features = checked_features(self, X)
        scores: FloatArray = features @ self.coef_[0] + self.intercept_[0]
        return scores

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
