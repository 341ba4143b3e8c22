"""What the baselines share: public bounds, the rows inside them, one budget and its statement."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from relgauss.accounting import GaussianDP
from relgauss.arrays import FloatArray
from relgauss.budget import Budget, PrivacyStatement
from relgauss.errors import InvalidParameterError
from relgauss.ledger import Ledger
from relgauss.ledger.charged import charged
from relgauss.linear_model.callers import warn_of_callers, warn_of_score
from relgauss.linear_model.checked import checked_data, checked_features
from relgauss.linear_model.estimator import OWN_COLUMNS, generator
from relgauss.linear_model.outcome import Fitted
from relgauss.linear_model.public_knowledge import read_public_knowledge
from relgauss.linear_model.units import FeatureUnits, LabelUnits, feature_units, label_units
from relgauss.records.blocks import ArrayRows, Block, Rows
from relgauss.spending import Spending

Bounds = tuple[ArrayLike, ArrayLike]


@dataclass(frozen=True, eq=False)
class BoundedUnits:
    """Units in which every feature and the label lie in [-1, 1], whatever the records hold."""

    features: FeatureUnits
    label: LabelUnits
    has_intercept: bool

    def rows(self, features: FloatArray, labels: FloatArray) -> Rows:
        """Scaled rows, zero for columns of one public value, a last column of ones for the intercept."""
        columns, ones = features.shape[1], int(self.has_intercept)

        def change(block: Block) -> tuple[FloatArray, FloatArray]:
            scaled = np.zeros((len(block.labels), columns + ones))
            scaled[:, np.flatnonzero(self.features.seen)] = self.features.scaled(block.features)
            scaled[:, columns:] = 1.0
            return scaled, self.label.scaled(block.labels)

        return ArrayRows(features, labels).changed(change, columns + ones)

    def to_user(self, theta: FloatArray) -> tuple[FloatArray, float]:
        """Coefficients and intercept that predict the label in its own units."""
        columns = len(self.features.middle)
        slopes = self.features.coefficients(theta[:columns][self.features.seen])
        if not self.has_intercept:
            return self.label.half * slopes, 0.0
        constant = float(theta[-1] - self.features.middle @ slopes)
        return self.label.half * slopes, self.label.to_user(constant)


class BoundedRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """The fit around a solver of scaled rows; values beyond the bounds are clipped to them."""

    epsilon: float
    delta: float
    feature_bounds: Bounds
    label_bounds: tuple[float, float]
    fit_intercept: bool
    random_state: Any
    ledger: Ledger | None

    @abstractmethod
    def _solve(self, rows: Rows, spending: Spending) -> FloatArray:
        """The solution for scaled rows and labels in [-1, 1], spending what ``spending`` holds."""

    @abstractmethod
    def _check_parameters(self, columns: int) -> None:
        """Raise for a parameter that no fit could use, before anything is charged."""

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit to records.

        Parameters
        ----------
        X : array or frame of shape (n, d)
            The features, a row for each record.
        y : array of shape (n,)
            The labels.

        Returns
        -------
        self
        """
        features, labels = checked_data(self, X, y, y_numeric=True)
        budget = Budget(self.epsilon, self.delta)
        units = self._units(features.shape[1])
        self._check_parameters(features.shape[1])
        rng = generator(self.random_state)
        warn_of_callers(budget.epsilon)
        spending = Spending(GaussianDP(budget.mu), rng)
        most = PrivacyStatement(spending.at_most("a linear model"), budget.delta, simulated=rng is not None)
        with charged(self.ledger, most, type(self).__name__) as spent:
            theta = self._solve(units.rows(features, labels), spending)
            self.privacy_ = PrivacyStatement(
                spending.close((OWN_COLUMNS,)), budget.delta, simulated=rng is not None
            )
            spent.append(self.privacy_)
        self.coef_, self.intercept_ = units.to_user(theta)
        self.outcome_ = Fitted(tuple(int(j) for j in np.flatnonzero(~units.features.seen)))
        return self

    def predict(self, X: ArrayLike) -> FloatArray:
        """intercept + X coef."""
        check_is_fitted(self)
        features = checked_features(self, X)
        prediction: FloatArray = features @ self.coef_ + self.intercept_
        return prediction

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """R² of the predictions for records that need no protection: it is exact, and warns of that."""
        warn_of_score()
        return float(super().score(X, y, sample_weight))

    def _units(self, columns: int) -> BoundedUnits:
        names = [f"x{j}" for j in range(columns)]
        known = read_public_knowledge(names, self.feature_bounds, self.label_bounds, None, None, None)
        if known.features is None or known.unknown_features or known.label is None:
            name = "label_bounds" if known.label is None else "feature_bounds"
            fix = "Pass public bounds (low, high), or use PrivateRidge, which needs none."
            raise InvalidParameterError(name, None, "a pair: this method needs bounds", fix)
        centred = bool(self.fit_intercept)
        every = np.ones(columns, dtype=bool)
        return BoundedUnits(
            feature_units(*known.features, every, centred=centred, reach=1.0, within=known.features),
            label_units(*known.label, centred=centred, reach=1.0, within=known.label),
            centred,
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # the checks' records lie outside the default bounds
        return tags
