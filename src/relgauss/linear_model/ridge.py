"""Private least squares: ``PrivateRidge``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from relgauss import validate
from relgauss.arrays import FloatArray
from relgauss.descent.objectives import Squared
from relgauss.ledger import Ledger
from relgauss.linear_model.estimator import PrivateLinearModel, assumed_of
from relgauss.linear_model.inputs import (
    features_and_labels,
    features_to_predict,
    named_rows,
    refuse_others,
    target_of,
    zero_or_one,
)
from relgauss.linear_model.public_knowledge import FeatureBounds
from relgauss.linear_model.solvers import SOLVERS
from relgauss.records.blocks import ArrayRows, Rows
from relgauss.records.columns import Missing
from relgauss.records.read import Records


class PrivateRidge(RegressorMixin, PrivateLinearModel):  # type: ignore[misc]
    """Least squares with an L2 penalty, private in every record; nothing but the budget to choose.

        minimise  ½ ||y - intercept - X coef||² + ½ alpha ||coef||²

    The whole fit, with all that it learns about the data on the way, is (epsilon, delta)-differentially
    private when one record is replaced; ``privacy_`` says how, stage by stage. Proof: proofs/regression.md.

    What is known publicly may be stated, and spares a stage and its share of the budget.

    Parameters
    ----------
    epsilon, delta : float
        The budget of the whole fit.
    alpha : float
        The weight of the L2 penalty, as in scikit-learn's Ridge.
    fit_intercept : bool
        Whether the model has an intercept.
    clip_features : bool
        Whether features, in the fit and in predictions, are clipped to ``feature_range_``, and predictions to
        ``prediction_range_``; False gives a plain linear model, which trusts its coefficients beyond what
        they were fitted to.
    mechanism : {"auto", "clipped", "public-iterate", "isometric", "relative"}
        How gradients are released; "auto" is "clipped".
    feature_bounds : (low, high), mapping of str to (low, high), or None
        Public ranges of the features: numbers or arrays of d, NaN where an end is not known, or those of some
        columns by name; values outside are clipped. What is not known is found.
    label_bounds : (low, high) or None
        The public range of the label; values outside are clipped. None: it is found.
    preconditioner : array of shape (d, d), (mean, covariance) or None
        The covariance of public data, or their mean and covariance, instead of ranges and a covariance.
    clip_radius : float or None
        The norm that whitened rows are clipped to, for all mechanisms but "clipped". None: it is found.
    rho : float or None
        A bound on the least eigenvalue, to be tested, for "isometric" and "relative". None: it is released.
    categories : mapping of str to list of str, or None
        The values of each column of a data frame that holds no numbers, all that there may be: each but the
        first becomes a column of 0 and 1, named column=value.
    missing : float, mapping of str to float or str, or None
        The number that a missing value counts as, in all columns or in each of some columns of a data frame.
        With one number a missing category counts as the first, in a mapping as the value that is named there.
        Missing values elsewhere are refused, and so is a number outside of stated bounds.
    verbose : bool
        Whether a bar on stderr shows how far the fit is.
    random_state : int, Generator, RandomState or None
        Asks for simulated noise, which is not private; None, for secure noise.
    n_jobs : int or None
        The threads that go over the records, -1 for one on every core; None for as many as BLAS may use, that
        is every core, unless the environment says otherwise. The result is the same to the last bit.
    ledger : Ledger, path of one, or None
        Where the fit is reserved before noise is drawn, and refused if the budget there does not hold it.

    Attributes
    ----------
    coef_ : array of shape (d,)
        The coefficients, of features that are clipped to ``feature_range_``.
    intercept_ : float
        The intercept.
    feature_range_ : (low, high), arrays of shape (d,)
        What each feature is clipped to: a released range, or public bounds; infinite where nothing is.
    prediction_range_ : (low, high)
        What predictions are clipped to.
    label_range_ : (low, high)
        What labels were clipped to in the fit, or for the mean that a constant is.
    standard_errors_ : array of shape (d + 1,)
        Of the coefficients and, last, of the intercept: privacy noise and sampling noise. NaN for what is
        not estimated, and for mechanisms other than "clipped".
    intervals_ : array of shape (2, d + 1)
        The lower and upper ends of 95 % intervals, the intercept last: for the coefficients of clipped labels
        on clipped features in the population that the records are drawn from.
    outcome_ : Fitted or Degraded
        How the fit ended: a model, or a constant and why.
    privacy_ : PrivacyStatement
        What was spent, stage by stage.
    cautions_ : list of str
        What the budget does not protect from: an epsilon above 10, a delta above one in so many records.
    n_passes_ : int
        How often the records were read.
    fitted_parameters_ : dict
        The parameters of the fit, which a saved model keeps, whatever ``set_params`` changes later.
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 1e-6,
        *,
        alpha: float = 0.0,
        fit_intercept: bool = True,
        clip_features: bool = True,
        mechanism: str = "auto",
        feature_bounds: FeatureBounds | None = None,
        label_bounds: tuple[float, float] | None = None,
        preconditioner: ArrayLike | tuple[ArrayLike, ArrayLike] | None = None,
        clip_radius: float | None = None,
        rho: float | None = None,
        categories: Mapping[str, Sequence[str]] | None = None,
        missing: Missing = None,
        verbose: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        ledger: Ledger | str | Path | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.clip_features = clip_features
        self.mechanism = mechanism
        self.feature_bounds = feature_bounds
        self.label_bounds = label_bounds
        self.preconditioner = preconditioner
        self.clip_radius = clip_radius
        self.rho = rho
        self.categories = categories
        self.missing = missing
        self.verbose = verbose
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.ledger = ledger

    def fit(self, X: ArrayLike | Records, y: ArrayLike | None = None, **others: Any) -> Self:
        """Fit to records.

        Parameters
        ----------
        X : array or frame of shape (n, d), or what ``read_records`` returns
            The features, a row for each record, which is one person.
        y : array of shape (n,) or None
            The labels; None for ``read_records``, which names its target.
        **others
            ``sample_weight``, ``groups`` and ``person`` are refused by name: a record counts once.

        Returns
        -------
        self
        """
        refuse_others(others)
        with self._anew():
            name = validate.choice("mechanism", self.mechanism, ("auto", *SOLVERS))
            rows = self._rows(X, y)
            solution = self._solve(
                rows,
                Squared(),
                SOLVERS["clipped" if name == "auto" else name],
                self.label_bounds,
                self.clip_radius,
                self.rho,
                assumed_of(X),
                zero_or_one(self, X),
                target=target_of(X, y),
            )
            self.coef_ = solution.coefficients[0]
            self.intercept_ = float(solution.intercept[0])
            low, high = solution.prediction_range
            self.prediction_range_ = float(low[0]), float(high[0])
            self.label_range_ = solution.label_range
            self.standard_errors_ = solution.standard_errors[0]
        return self

    def _rows(self, X: ArrayLike | Records, y: ArrayLike | None) -> Rows:
        if isinstance(X, Records):
            return named_rows(self, X, y)
        features, labels = features_and_labels(self, X, y, y_numeric=True)
        return ArrayRows(features, labels, self.n_jobs)

    def predict(self, X: ArrayLike | Records) -> FloatArray:
        """intercept + X coef, of features that are clipped as they were for the fit.

        Parameters
        ----------
        X : array or frame of shape (n, d), or what ``read_records`` returns
            What ``fit`` takes, with categories and missing values as there; further columns of a frame do
            not matter.

        Returns
        -------
        array of shape (n,)
        """
        check_is_fitted(self)
        features = np.clip(features_to_predict(self, X), *self.feature_range_, order="C")
        prediction: FloatArray = features @ self.coef_ + self.intercept_
        return np.clip(prediction, *self.prediction_range_)

    def score(
        self, X: ArrayLike | Records, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> float:
        """R² of the predictions for records that need no protection: it is exact, and warns of that.

        ``warnings.simplefilter("ignore", UnprotectedScoreWarning)`` silences it.

        Parameters
        ----------
        X, y : as for ``fit``
            Records and their labels.
        sample_weight : array of shape (n,) or None
            How much each record counts.

        Returns
        -------
        float
        """
        return float(super().score(X, self._labels_to_score(X, y), sample_weight))

    def _prediction_note(self) -> str:
        low, high = self.prediction_range_
        return f"predictions lie between {low:.5g} and {high:.5g}" if math.isfinite(low) else ""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # on the checks' few records, a constant is all that is private
        return tags
