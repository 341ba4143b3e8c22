"""Private logistic regression: ``PrivateLogisticRegression``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, softmax
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from relgauss.arrays import FloatArray
from relgauss.descent.objectives import Logistic, Objective
from relgauss.descent.softmax import Softmax
from relgauss.ledger import Ledger
from relgauss.linear_model.class_rows import class_rows
from relgauss.linear_model.classes import classes_condition
from relgauss.linear_model.estimator import PrivateLinearModel, assumed_of
from relgauss.linear_model.inputs import features_to_predict, refuse_others, target_of, zero_or_one
from relgauss.linear_model.public_knowledge import FeatureBounds
from relgauss.linear_model.solvers import ClippedSolver
from relgauss.records.columns import Missing
from relgauss.records.read import Records


class PrivateLogisticRegression(ClassifierMixin, PrivateLinearModel):  # type: ignore[misc]
    """Logistic regression, private in every record; nothing but the budget to choose.

        minimise  Σ log(Σ_k e^{s_k}) - s_y + ½ alpha ||coef||²,   s_k = intercept_k + x · coef_k

    for the class y of each record; of two classes the first has s_0 = 0, as in scikit-learn. All classes are
    fitted at once, out of one budget. A record's gradient is bounded by its row's norm, so the absolute bound
    is never above the relative one of general objectives, and clipping in whitened coordinates is the one
    mechanism here. Proof: proofs/regression.md.

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
    feature_bounds : (low, high), mapping of str to (low, high), or None
        Public ranges of the features: numbers or arrays of d, NaN where an end is not known, or those of some
        columns by name; values outside are clipped. What is not known is found.
    preconditioner : array of shape (d, d), (mean, covariance) or None
        The covariance of public data, or their mean and covariance, instead of ranges and a covariance.
    classes : list of labels, or None
        The labels that there may be, two or more in any order; every other label counts as the first of them
        when sorted, and which of them the records hold makes no difference. A missing label is refused. None:
        they are read from the labels (of ``read_records``: are 0 and 1), and the statement lists as *assumed*
        that they are public. A target of text needs ``read_records(classes=)``.
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
    classes_ : array of shape (k,)
        The classes, sorted as in scikit-learn. One, if the labels held one only.
    coef_ : array of shape (1, d), or (k, d) of more than two classes
        The coefficients: for the second of two classes, or for each class.
    intercept_ : array of shape (1,), or (k,) of more than two classes
        The intercepts.
    standard_errors_ : array of shape (d + 1,), or (k, d + 1) of more than two classes
        Of the coefficients and, last, of the intercept: privacy noise and sampling noise. NaN for what is not
        estimated.
    intervals_ : array of shape (2, d + 1), or (2, k, d + 1) of more than two classes
        The lower and upper ends of 95 % intervals, the intercept last: for the coefficients of clipped
        features in the population that the records are drawn from, where the model holds there.
    feature_range_ : (low, high), arrays of shape (d,)
        What each feature is clipped to: a released range, or public bounds; infinite where nothing is.
    score_range_ : (low, high)
        What scores, the log-odds of the second class, are clipped to; of more than two classes, arrays of
        shape (k,).
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
        feature_bounds: FeatureBounds | None = None,
        preconditioner: ArrayLike | tuple[ArrayLike, ArrayLike] | None = None,
        classes: ArrayLike | None = None,
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
        self.feature_bounds = feature_bounds
        self.preconditioner = preconditioner
        self.classes = classes
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
            rows, self.classes_, are_stated = class_rows(self, X, y)
            condition = classes_condition(self.classes_, are_stated=are_stated)
            rests_on = (*assumed_of(X), condition)
            count = max(len(self.classes_), 2)
            objective: Objective = Logistic() if count == 2 else Softmax.of(count)
            solution = self._solve(
                rows,
                objective,
                ClippedSolver,
                (0.0, count - 1.0),
                rests_on=rests_on,
                zero_or_one=zero_or_one(self, X),
                target=target_of(X, y),
                are_classes_stated=are_stated,
            )
            self.coef_ = solution.coefficients
            self.intercept_ = solution.intercept
            low, high = solution.prediction_range
            self.score_range_ = (low, high) if count > 2 else (float(low[0]), float(high[0]))
            self.standard_errors_ = solution.standard_errors if count > 2 else solution.standard_errors[0]
        return self

    def decision_function(self, X: ArrayLike | Records) -> FloatArray:
        """intercept + X coef, of clipped features, and clipped.

        Of two classes the log-odds of the second, of more a column for each: the largest is the likeliest.
        """
        check_is_fitted(self)
        features = np.clip(features_to_predict(self, X), *self.feature_range_, order="C")
        scores: FloatArray = np.clip(features @ self.coef_.T + self.intercept_, *self.score_range_)
        return scores if len(self.classes_) > 2 else scores[:, 0]

    def predict(self, X: ArrayLike | Records) -> NDArray[Any]:
        """The likeliest class of each row of ``X``."""
        scores = self.decision_function(X)
        likeliest = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        classes: NDArray[Any] = self.classes_[np.minimum(likeliest, len(self.classes_) - 1)]
        return classes

    def predict_proba(self, X: ArrayLike | Records) -> FloatArray:
        """The probability of each class, a column each, for the rows of ``X``."""
        scores = self.decision_function(X)
        if scores.ndim == 2:
            chances: FloatArray = softmax(scores, axis=1)
            return chances
        second = expit(scores)
        if len(self.classes_) == 1:
            return np.ones((len(second), 1))
        return np.column_stack([1 - second, second])

    def predict_log_proba(self, X: ArrayLike | Records) -> FloatArray:
        """The logarithm of the probability of each class, a column each, for the rows of ``X``."""
        logarithms: FloatArray = np.log(self.predict_proba(X))
        return logarithms

    def score(
        self, X: ArrayLike | Records, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> float:
        """The part of the predictions that is right, for records that need no protection: it is exact, and
        warns of that.

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
        labels = self._labels_to_score(X, y)
        if isinstance(X, Records) and X.classes is not None:
            labels = self.classes_[np.maximum(np.asarray(labels, dtype=np.intp), 0)]
        return float(super().score(X, labels, sample_weight))

    def _prediction_note(self) -> str:
        low, high = (np.ravel(end) for end in self.score_range_)
        if not np.isfinite(low).all():
            return ""
        if len(low) == 1:
            return f"log-odds of {self.classes_[-1]} lie between {low[0]:.5g} and {high[0]:.5g}"
        return f"scores lie within {(high[0] - low[0]) / 2:.5g} of those of the classes' shares"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # on the checks' few records a constant is all that is private
        return tags
