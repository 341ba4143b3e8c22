"""What a fit is asked, what it works on once the data is whitened, and the way back to the user's units."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from relgauss import validate
from relgauss.arrays import FloatArray
from relgauss.descent.clipping_bias import RobustLine
from relgauss.descent.objectives import Objective
from relgauss.estimate.whitening import Centre, Whitening
from relgauss.linear_model.outcome import Degraded, Fitted
from relgauss.linear_model.public_knowledge import PublicKnowledge
from relgauss.linear_model.units import FeatureUnits, Interval, LabelUnits
from relgauss.records.blocks import Rows

if TYPE_CHECKING:
    from relgauss.linear_model.final_check import Checked

_PENALTIES = (1e-50, 1e50)
_MOST_HIDDEN = 0.5  # of a coefficient's variance may come from directions in which nothing is known


@dataclass(frozen=True, eq=False)
class Problem:
    """Minimise the mean loss + ½ penalty ||coefficients||², in the user's units.

    The numbers of ``records`` and of their columns are public, what they hold is not. ``classes`` are the
    names of a classifier's, of which ``unseen_classes`` were released to be hardly there; if they
    ``are_classes_stated``, the part ``no_class_share`` of the labels was released to be none of them.
    """

    records: Rows
    objective: Objective
    known: PublicKnowledge
    penalty: float
    has_intercept: bool
    clips_features: bool = True
    classes: tuple[str, ...] = ()
    unseen_classes: tuple[str, ...] = ()
    are_classes_stated: bool = False
    no_class_share: float = 0.0

    @classmethod
    def of_sum(
        cls,
        records: Rows,
        objective: Objective,
        known: PublicKnowledge,
        alpha: float,
        *,
        has_intercept: bool,
        clips_features: bool,
        classes: tuple[str, ...],
        are_classes_stated: bool,
    ) -> Problem:
        """Minimise the sum of losses + ½ alpha ||coefficients||², as scikit-learn's Ridge does."""
        fix = "Pass the penalty as in scikit-learn's Ridge."
        alpha = validate.zero_or_within("alpha", alpha, _PENALTIES[0], _PENALTIES[1], fix)
        penalty = alpha / records.count
        return cls(
            records,
            objective,
            known,
            penalty,
            has_intercept,
            clips_features,
            classes,
            are_classes_stated=are_classes_stated,
        )


@dataclass(frozen=True, eq=False)
class WhitenedProblem:
    """The problem in whitened coordinates, a last coordinate for the intercept.

    ``rows`` is private. Public or released are ``label_scale`` (how large pulls are), ``mean_label`` (which
    the objective's curvature depends on), ``mean_std`` (its noise), ``largest_label``, ``label_range`` (what
    predictions are clipped to), ``signal`` (how well each direction is known, see ``Whitening``),
    ``is_white`` (whether the private rows were whitened, not public ones), ``clips`` (whether features and
    predictions are clipped), ``regulariser`` (the matrix P of ½ θᵀPθ) and ``start``.
    """

    rows: Rows
    objective: Objective
    label_scale: float
    mean_label: float
    mean_std: float
    largest_label: float
    label_range: Interval
    signal: FloatArray
    is_white: bool
    clips: bool
    regulariser: FloatArray
    start: FloatArray
    has_intercept: bool

    @property
    def slopes(self) -> int:
        """The number of coordinates beside the intercept."""
        return self.rows.columns - self.has_intercept


@dataclass(frozen=True, eq=False)
class Found:
    """A solution in whitened coordinates, made of releases.

    ``clip_threshold`` is the last norm that gradients were clipped to, ``covariance`` that of theta around
    the coefficients of the population, and ``hidden`` the projection on directions in which it may be far
    too small; None where a solver has no such thing, and ``no_intervals`` says why. ``robust`` is the line
    that the covariance is for, where it is not that of least squares. ``sampling_variance`` is what sampling
    alone would leave of the covariance, on average over coefficients.
    """

    theta: FloatArray
    clip_threshold: float | None = None
    covariance: FloatArray | None = None
    hidden: FloatArray | None = None
    no_intervals: str = "Only the mechanism 'clipped' has intervals."
    robust: RobustLine | None = None
    sampling_variance: float | None = None


@dataclass(frozen=True, eq=False)
class Solution:
    """A model in the user's units, and how it came about; a row for each score that it has.

    Features are clipped to ``feature_range``, scores to ``prediction_range``; labels were clipped to
    ``label_range`` for the fit. ``standard_errors`` are those of the coefficients and, last, of the
    intercept; NaN where none is known.
    """

    coefficients: FloatArray
    intercept: FloatArray
    outcome: Fitted | Degraded
    feature_range: tuple[FloatArray, FloatArray]
    prediction_range: tuple[FloatArray, FloatArray]
    label_range: Interval
    standard_errors: FloatArray

    @classmethod
    def constant(cls, columns: int, values: FloatArray, why: Degraded) -> Solution:
        """A model that predicts the same for every record, and why it is no more than that."""
        features, scores = (
            (np.full(size, -math.inf), np.full(size, math.inf)) for size in (columns, values.size)
        )
        unknown = np.full((values.size, columns + 1), math.nan)
        slopes = np.zeros((values.size, columns))
        labels = why.clipped_to or (-math.inf, math.inf)
        return cls(slopes, values, why, features, scores, labels, unknown)


def in_user_units(
    problem: Problem,
    found: Found,
    checked: Checked,
    units: FeatureUnits,
    label: LabelUnits,
    centre: Centre,
    whitening: Whitening,
) -> Solution:
    """score = θ_d + (s - centre) matrix θ, written as intercept + x · coefficients; one for each class."""
    slopes_of = units.coefficients(whitening.matrix)  # of θ's slopes, in the user's units
    intercept_of = -centre.features @ whitening.matrix - units.middle @ slopes_of
    theta = found.theta.reshape(problem.objective.outputs, -1)
    to_user = np.zeros((units.seen.size + 1, theta.shape[1]))
    to_user[:-1, : slopes_of.shape[1]] = slopes_of
    if problem.has_intercept:
        to_user[-1] = np.append(intercept_of, 1.0)
    unit = label.half if problem.objective.follows_label else 1.0
    values = unit * (problem.objective.mixing @ theta @ to_user.T)
    intercept = values[:, -1]
    if problem.objective.follows_label and problem.has_intercept:
        intercept += label.to_user(centre.label)
    errors = _standard_errors(problem, found, checked, units, unit * to_user)
    no_intervals = found.no_intervals if found.covariance is None else ""
    if np.isnan(errors).all() and not no_intervals:
        no_intervals = "All features are too alike, or too seldom different, for this budget."
    outcome = Fitted(
        tuple(np.flatnonzero(~units.seen).tolist()),
        tuple(units.half_widths.tolist()),
        unseen_classes=problem.unseen_classes,
        no_class_share=problem.no_class_share,
        no_intervals=no_intervals,
        robust_beyond=label.half * found.robust.residual if found.robust else None,
        part_beyond=found.robust.beyond if found.robust else 0.0,
    )
    return Solution(
        values[:, :-1],
        intercept,
        outcome,
        _feature_range(problem, units),
        _prediction_range(problem, checked, label, centre),
        label.fitted,
        errors,
    )


def constant_for_user(problem: Problem, scaled: FloatArray, label: LabelUnits, centre: Centre) -> FloatArray:
    """A constant that was found in scaled units, in the label's and within the labels that the fit clips to;
    or as log-odds, which it is already.
    """
    if problem.objective.follows_label:
        return np.clip([label.to_user(centre.label + float(scaled[0]))], *label.fitted)
    return scaled


def _feature_range(problem: Problem, units: FeatureUnits) -> tuple[FloatArray, FloatArray]:
    """What predictions clip features to; nothing is clipped if the model is to be a plain line."""
    if problem.clips_features:
        return units.low, units.high
    return np.full(units.low.size, -math.inf), np.full(units.low.size, math.inf)


def _prediction_range(
    problem: Problem, checked: Checked, label: LabelUnits, centre: Centre
) -> tuple[FloatArray, FloatArray]:
    """What predictions, or a classifier's scores, are clipped to: as far as the check let them go."""
    constant = constant_for_user(problem, checked.constant, label, centre)
    if not problem.clips_features:
        return constant - math.inf, constant + math.inf
    below, above = checked.reach
    if not problem.objective.follows_label:
        return constant + below, constant + above
    low, high = label.predicted
    middle = np.clip(constant, low, high)
    return np.maximum(low, middle + below * label.half), np.minimum(high, middle + above * label.half)


def _standard_errors(
    problem: Problem, found: Found, checked: Checked, units: FeatureUnits, to_user: FloatArray
) -> FloatArray:
    """Of the coefficients and the intercept; NaN for those that are not estimated, and for those whose error
    is for the greater part one of hidden directions.
    """
    unknown = np.append(~units.seen, not problem.has_intercept)
    mixing = problem.objective.mixing
    if found.covariance is None:
        return np.full((len(mixing), unknown.size), math.nan)

    def variances_by(covariance: FloatArray) -> FloatArray:
        parts = covariance.reshape(mixing.shape[1], to_user.shape[1], mixing.shape[1], to_user.shape[1])
        by: FloatArray = np.einsum(
            "ka,jb,abcd,kc,jd->kj", mixing, to_user, parts, mixing, to_user, optimize=True
        )
        return np.asarray(np.maximum(by, 0.0), np.float64)

    variances = variances_by(found.covariance)
    if found.hidden is not None:
        hidden = variances_by(found.hidden @ found.covariance @ found.hidden)
        unknown = unknown | (hidden > _MOST_HIDDEN * variances)
    # The mean residual, which moves the intercept, is zero on the line of least squares, not on a robust one.
    moved = checked.shift if found.robust else 0.0
    variances[:, -1] += (to_user[-1, -1] * math.hypot(checked.shift_std, moved)) ** 2
    return np.where(unknown, math.nan, np.sqrt(variances))
