"""A private linear model, from records to coefficients: every stage in order."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.budget import Charge, Condition
from relgauss.estimate.column_ranges import Columns, StatedBounds, find_ranges
from relgauss.estimate.scaling import (
    FeatureUnits,
    LabelUnits,
    feature_units,
    found_label_units,
    label_units,
)
from relgauss.estimate.whitening import Centre, Whitening, find_centre, find_distances, find_whitening
from relgauss.linear_model.constant_fallback import constant_in, fit_constant, open_for_constant
from relgauss.linear_model.hopeless import find_hopeless
from relgauss.linear_model.outcome import Degraded, Fitted, HopelessFitWarning
from relgauss.linear_model.problem import Problem, Solution, WhitenedProblem
from relgauss.linear_model.solvers.base import Solver
from relgauss.records.blocks import Block, Change, Rows
from relgauss.spending import Spending

_MORE = "Use more records, fewer features or a larger epsilon."
_WIDEST = 2.0**10  # a preconditioner's scale is right within this factor


class Fit(NamedTuple):
    """A solution, what it cost, and whether it was clear from the start that it would be a constant."""

    solution: Solution
    charges: tuple[Charge, ...]
    was_hopeless: bool


def fit_linear(solver: Solver, rng: np.random.Generator | None, rests_on: tuple[Condition, ...]) -> Fit:
    """Open what may be spent, fit, and close it; what is done depends on public numbers and releases only.

    A fit that public numbers show to be hopeless is warned of, ends with a constant and spends no more than
    that needs. The charges name ``rests_on``. Proof: proofs/regression.md.
    """
    problem, budget = solver.problem, solver.budget
    hopeless = find_hopeless(solver)
    if hopeless is None:
        spending = solver.open(rng)
    else:
        warnings.warn(HopelessFitWarning(hopeless), stacklevel=4)
        spending = open_for_constant(problem, budget, rng)
    try:
        with np.errstate(all="ignore"):  # whatever the process asked for: a warning would tell of a record
            if hopeless is None:
                solution = _fit_in_stages(solver, spending)
            else:
                solution = fit_constant(problem, spending, hopeless)
    except Exception as error:  # a disk, a cluster: what was released stays released
        if spending.has_drawn:
            error.add_note(f"Releases had been made: epsilon={budget.epsilon:g} counts as spent.")
        raise
    return Fit(solution, spending.close(rests_on), hopeless is not None)


def _fit_in_stages(solver: Solver, spending: Spending) -> Solution:
    """Units, centre, distances from it, whitening, and the solution in whitened coordinates."""
    problem, shares = solver.problem, solver.shares
    columns = problem.records.columns
    units, label = _find_units(problem, spending, shares.ranges)
    if label.is_constant:
        why = Degraded("The label shows no spread, or none that this budget can see.", _MORE)
        return constant_in(label, problem, spending, why)
    rows = problem.records.changed(_to_scaled(units, label), columns)
    centre = Centre(np.zeros(columns), 0.0)
    if problem.has_intercept:
        widest = _WIDEST if units.are_whitened else 1.0
        centre = find_centre(rows, widest, spending, shares.row_norms, shares.centre)
    centred = rows.changed(_to_centred(centre), columns)
    clipped_part = _clipped_part(centred.count, spending.mu)
    distances = find_distances(centred, centre, clipped_part, spending, shares.distances)
    whitening = Whitening.identity(columns)
    if not units.are_whitened:
        whitening = find_whitening(centred, distances.rows, spending, shares.covariance)
    whitening = solver.directions(whitening)
    if not whitening.signal.size:
        why = Degraded("No direction of the features stands out of the noise.", _MORE)
        return constant_in(label, problem, spending, why, centre.label)
    whitened = _in_whitened_coordinates(problem, centred, units, centre, whitening, distances.label)
    theta = solver.solve(whitened, spending)
    if isinstance(theta, Degraded):
        return constant_in(label, problem, spending, theta, centre.label)
    return _in_user_units(problem, theta, units, label, centre, whitening)


def _clipped_part(count: int, mu: float) -> float:
    """The part of the rows that the covariance clips: fewer, the better rare rows can be seen."""
    return min(0.1, max(0.01, 100 / (count * mu)))


def _find_units(problem: Problem, spending: Spending, share: float) -> tuple[FeatureUnits, LabelUnits]:
    """Units from public bounds, and from released ranges where there are none."""
    known, columns, centred = problem.known, problem.records.columns, problem.has_intercept
    found = None
    if known.searched_count:
        searched = Columns(known.searched_features, known.label is None)
        found = find_ranges(problem.records, searched, StatedBounds.none(searched.count), spending, share)
    if known.label is not None:
        # Classes are ±1 whether or not there is an intercept; a label that is predicted keeps its zero.
        is_class = not problem.objective.follows_label
        label = label_units(*known.label, centred=centred or is_class, clip_bound=1.0)
    else:
        assert found is not None
        label = found_label_units(found, centred=centred)
    every = np.ones(columns, dtype=bool)
    if known.preconditioner is not None:
        return FeatureUnits(known.preconditioner.mean, known.preconditioner.matrix, every), label
    if known.features is not None:
        return feature_units(*known.features, every, centred=centred, clip_bound=1.0), label
    assert found is not None
    low, high, seen = found.low[:columns], found.high[:columns], found.seen[:columns]
    return feature_units(low, high, seen, centred=centred), label


def _to_scaled(units: FeatureUnits, label: LabelUnits) -> Change:
    return lambda block: (
        units.scaled(block.features, block.room.like(block.features)),
        label.scaled(block.labels),
    )


def _to_centred(centre: Centre) -> Change:
    return lambda block: (
        np.subtract(block.features, centre.features, out=block.room.like(block.features)),
        block.labels - centre.label,
    )


def _to_whitened(matrix: FloatArray, ones: int, label_shift: float) -> Change:
    """Whitened features, with a column of ones for the intercept."""
    slopes = matrix.shape[1]

    def change(block: Block) -> tuple[FloatArray, FloatArray]:
        features = block.room.columnwise(len(block.labels), slopes + ones)
        np.matmul(block.features, matrix, out=features[:, :slopes])
        features[:, slopes:] = 1.0
        return features, block.labels + label_shift

    return change


def _in_whitened_coordinates(
    problem: Problem,
    centred: Rows,
    units: FeatureUnits,
    centre: Centre,
    whitening: Whitening,
    label_scale: float,
) -> WhitenedProblem:
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
    return WhitenedProblem(
        rows=centred.changed(_to_whitened(whitening.matrix, int(problem.has_intercept), label_shift), dim),
        objective=objective,
        label_scale=label_scale if objective.follows_label else 0.5,
        mean_label=centre.label,
        signal=whitening.signal,
        regulariser=regulariser,
        start=start,
        has_intercept=problem.has_intercept,
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
    ignored = tuple(int(j) for j in np.flatnonzero(~units.seen))
    return Solution(slopes, intercept, Fitted(ignored, tuple(units.half_widths.tolist())))
