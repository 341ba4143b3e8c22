"""A private linear model, from records to coefficients: every stage in order."""

from __future__ import annotations

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.estimate.whitening import Whitening
from relgauss.linear_model.budget_shares import Shares
from relgauss.linear_model.constant_fallback import constant_in
from relgauss.linear_model.outcome import Degraded, Fitted
from relgauss.linear_model.problem import Problem, Solution, Whitened
from relgauss.linear_model.scaling import FeatureUnits, LabelUnits
from relgauss.linear_model.solvers.base import Route
from relgauss.linear_model.stages import Centre, find_centre, find_scales, find_units, find_whitening
from relgauss.records.blocks import Block, Change, Rows
from relgauss.spending import Spending

_MORE = "Use more records, fewer features or a larger epsilon."


@np.errstate(all="ignore")  # whatever the process asked for: a warning or an error would tell of a record
def fit_linear(problem: Problem, route: Route, shares: Shares, spending: Spending) -> Solution:
    """Fit, spending what ``spending`` holds; what is done depends on public numbers and releases only.

    Proof: proofs/regression.md.
    """
    units, label = find_units(problem, spending, shares.ranges)
    if label.is_constant:
        why = Degraded("The label shows no spread, or none that this budget can see.", _MORE)
        return constant_in(label, problem, spending, why)
    rows = problem.records.changed(_scaling(units, label), problem.columns)
    if problem.has_intercept:
        centre = find_centre(rows, units, spending, shares)
    else:
        centre = Centre(np.zeros(problem.columns), 0.0)
    centred = rows.changed(_centring(centre), problem.columns)
    scales = find_scales(centred, centre, spending, shares.radius)
    whitening = route.directions(find_whitening(centred, units, scales.radius, spending, shares.covariance))
    if not whitening.shares.size:
        why = Degraded("No direction of the features stands out of the noise.", _MORE)
        return constant_in(label, problem, spending, why, centre.label)
    whitened = _whiten(problem, centred, units, centre, whitening, scales.label)
    theta = route.solve(whitened, spending, shares)
    if isinstance(theta, Degraded):
        return constant_in(label, problem, spending, theta, centre.label)
    return _in_user_units(problem, theta, units, label, centre, whitening)


def _scaling(units: FeatureUnits, label: LabelUnits) -> Change:
    return lambda block: (
        units.scaled(block.features, block.room.like(block.features)),
        label.scaled(block.labels),
    )


def _centring(centre: Centre) -> Change:
    return lambda block: (
        np.subtract(block.features, centre.features, out=block.room.like(block.features)),
        block.labels - centre.label,
    )


def _whitening(matrix: FloatArray, ones: int, label_shift: float) -> Change:
    """Whitened features, with a column of ones for the intercept."""
    slopes = matrix.shape[1]

    def change(block: Block) -> tuple[FloatArray, FloatArray]:
        features = block.room.columnwise(len(block.labels), slopes + ones)
        np.matmul(block.features, matrix, out=features[:, :slopes])
        features[:, slopes:] = 1.0
        return features, block.labels + label_shift

    return change


def _whiten(
    problem: Problem,
    centred: Rows,
    units: FeatureUnits,
    centre: Centre,
    whitening: Whitening,
    label_scale: float,
) -> Whitened:
    """The problem in whitened coordinates."""
    objective, slopes = problem.objective, whitening.matrix.shape[1]
    dim = slopes + problem.has_intercept
    start, label_shift = np.zeros(dim), 0.0
    if not objective.follows_label:  # its labels have a meaning of their own
        label_shift = centre.label
        start[slopes:] = objective.best_constant(centre.label)
    regulariser = np.zeros((dim, dim))
    if problem.penalty:
        in_units = units.coefficients(whitening.matrix)
        regulariser[:slopes, :slopes] = problem.penalty * (in_units.T @ in_units)
    return Whitened(
        centred.changed(_whitening(whitening.matrix, int(problem.has_intercept), label_shift), dim),
        objective,
        label_scale if objective.follows_label else 0.5,
        whitening.shares,
        regulariser,
        start,
        objective.curvature(centre.label),
        problem.has_intercept,
    )


def _in_user_units(
    problem: Problem,
    theta: FloatArray,
    units: FeatureUnits,
    label: LabelUnits,
    centre: Centre,
    whitening: Whitening,
) -> Solution:
    """score = θ_d + (s - centre) matrix θ, written as intercept + x · coefficients."""
    scaled = whitening.matrix @ theta[: whitening.matrix.shape[1]]
    slopes = units.coefficients(scaled)
    intercept = 0.0
    if problem.has_intercept:
        intercept = float(theta[-1] - centre.features @ scaled - units.middle @ slopes)
    if problem.objective.follows_label:
        slopes = label.half * slopes
        intercept = label.to_user(centre.label + intercept) if problem.has_intercept else 0.0
    ignored = tuple(int(j) for j in np.flatnonzero(~units.known))
    return Solution(slopes, intercept, Fitted(ignored, tuple(units.half_widths.tolist())))
