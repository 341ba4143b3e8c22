"""A private linear model, from records to coefficients: every stage in order."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from relgauss.budget import Budget, Condition, PrivacyStatement
from relgauss.descent.objectives import Logistic
from relgauss.descent.softmax import Softmax
from relgauss.estimate.whitening import Centre, Whitening, find_centre, find_distances, find_whitening
from relgauss.ledger import Ledger
from relgauss.ledger.charged import charged
from relgauss.linear_model.changes import to_centred, to_scaled, to_whitened
from relgauss.linear_model.class_shares import (
    one_class,
    set_aside_for_no_class,
    with_class_shares,
    with_no_class_share,
    with_rare_classes,
    with_shares_of_two,
)
from relgauss.linear_model.constant_fallback import (
    MORE,
    constant_in,
    fit_constant,
    give_or_take,
    no_label,
    open_for_constant,
    steadied,
)
from relgauss.linear_model.final_check import Checked, check_solution
from relgauss.linear_model.hopeless import too_few_records
from relgauss.linear_model.outcome import (
    Degraded,
    Fitted,
    HopelessFitWarning,
    PlainModelWarning,
    parts_outside,
)
from relgauss.linear_model.problem import (
    Found,
    Problem,
    Solution,
    WhitenedProblem,
    constant_for_user,
    in_user_units,
)
from relgauss.linear_model.public_plan import clipped_part
from relgauss.linear_model.solvers.base import Solver
from relgauss.linear_model.units import FeatureUnits, LabelUnits, find_units
from relgauss.records.blocks import Rows
from relgauss.records.threads import one_blas_thread
from relgauss.spending import Spending

_PLAIN = (
    "With clip_features=False predictions have no bounds: the model was seen to be better than a constant "
    "for predictions within the label's usual range, and single records far out may be predicted far worse. "
    "Leave clip_features=True to bound them."
)
_WIDEST = 2.0**10  # a preconditioner's scale is right within this factor


class Fit(NamedTuple):
    """A solution, what it cost, and whether it was clear from the start that it would be a constant."""

    solution: Solution
    privacy: PrivacyStatement
    was_hopeless: bool


def fit_linear(
    solver: Solver,
    rng: np.random.Generator | None,
    rests_on: tuple[Condition, ...],
    ledger: Ledger | None = None,
    what: str = "",
) -> Fit:
    """Open what may be spent, fit, and close it; what is done depends on public numbers and releases only.

    A fit that public numbers show to be hopeless is warned of, ends with a constant and spends no more than
    that needs. A ledger reserves all that may be spent before anything is drawn, and calls it ``what``. The
    charges name ``rests_on``. Proof: proofs/regression.md.
    """
    problem = solver.problem
    hopeless = solver.refusal() if solver.least_signal <= solver.signal else too_few_records(solver)
    if hopeless is None:
        spending = solver.open(rng)
    else:
        warnings.warn(HopelessFitWarning(hopeless), stacklevel=4)
        spending = open_for_constant(problem, solver.budget, rng)
    if ledger is None:
        fit = _spend(solver, spending, rests_on, hopeless)
    else:
        with charged(ledger, _most(spending, solver.budget), what) as spent:
            fit = _spend(solver, spending, rests_on, hopeless)
            spent.append(fit.privacy)
    if isinstance(fit.solution.outcome, Fitted) and not problem.clips_features:
        warnings.warn(PlainModelWarning(_PLAIN), stacklevel=4)
    return fit


def _spend(
    solver: Solver, spending: Spending, rests_on: tuple[Condition, ...], hopeless: Degraded | None
) -> Fit:
    """Fit, and state what was spent; an error on the way says whether anything was."""
    problem, budget = solver.problem, solver.budget
    try:
        # Whatever the process asked for: a warning would tell of a record. BLAS threads that have nothing
        # to do look for work in a loop, which takes cores from the threads of the next pass.
        with np.errstate(all="ignore"), one_blas_thread():
            if hopeless is None:
                solution = _fit_in_stages(solver, spending)
            else:
                solution = fit_constant(problem, spending, hopeless)
    except Exception as error:  # a disk, a cluster: what was released stays released
        if spending.has_drawn:
            error.add_note(f"Releases had been made: epsilon={budget.epsilon:g} counts as spent.")
        raise
    simulated = spending.rng is not None
    privacy = PrivacyStatement(spending.close(rests_on), budget.delta, simulated=simulated)
    return Fit(solution, privacy, hopeless is not None)


def _most(spending: Spending, budget: Budget) -> PrivacyStatement:
    """What a fit may spend at most."""
    most = spending.at_most("a linear model")
    return PrivacyStatement(most, budget.delta, simulated=spending.rng is not None)


def _fit_in_stages(solver: Solver, spending: Spending) -> Solution:
    """Units of features and label, and the fit in them; how it ended says what lies outside of bounds."""
    problem = solver.problem
    if isinstance(problem.objective, Softmax):
        problem = with_class_shares(problem, problem.objective, spending)
    units, label = find_units(problem, solver.search, spending, solver.shares.ranges)
    solution = _fit_in_units(problem, solver, units, label, spending)
    outside = parts_outside(units.outside, units.seen.size, label.outside)
    return replace(solution, outcome=replace(solution.outcome, outside=outside))


def _fit_in_units(
    problem: Problem, solver: Solver, units: FeatureUnits, label: LabelUnits, spending: Spending
) -> Solution:
    """Centre, distances from it, whitening, the solution in whitened coordinates, and its check."""
    shares = solver.shares
    if label.is_constant:
        return constant_in(label, problem, spending, no_label(problem))
    ignored = tuple(np.flatnonzero(~units.seen).tolist())
    if not units.count:
        why = Degraded("No feature shows a spread, or none that this budget can see.", MORE, ignored)
        return constant_in(label, problem, spending, why)
    rows = problem.records.changed(to_scaled(units, label), units.count)
    centre = Centre(np.zeros(units.count), 0.0)
    reach = solver.search.reach if problem.clips_features and not units.are_whitened else 1.0
    if problem.has_intercept:
        widest = _WIDEST if units.are_whitened else reach
        centre = find_centre(rows, widest, spending, shares.row_norms, shares.centre)
        if isinstance(problem.objective, Logistic):
            problem, centre = with_shares_of_two(problem, centre, spending)
    unseen = None if problem.objective.follows_label else one_class(problem)
    if unseen is not None:
        return constant_in(label, problem, spending, unseen, centre.label, centre.noise_std)
    centred = rows.changed(to_centred(centre), units.count)
    distances = find_distances(
        centred,
        centre,
        reach,
        label.largest + abs(centre.label),
        clipped_part(solver.signal),
        spending,
        shares.distances,
    )
    whitening = Whitening.identity(units.count)
    if not units.are_whitened:
        whitening = find_whitening(centred, distances.rows, spending, shares.covariance)
    whitening = solver.directions(whitening)
    if not whitening.signal.size:
        why = Degraded("No direction of the features stands out of the noise.", MORE, ignored)
        return constant_in(label, problem, spending, why, centre.label, centre.noise_std)
    whitened = _in_whitened_coordinates(problem, centred, units, label, centre, whitening, distances.label)
    found = solver.solve(whitened, spending)
    if isinstance(found, Degraded):
        return constant_in(label, problem, spending, found, centre.label, centre.noise_std)
    if problem.are_classes_stated:
        set_aside_for_no_class(spending)
    checked = check_solution(whitened, found, spending)
    if problem.are_classes_stated:
        problem = with_no_class_share(problem, spending)
    if not checked.is_better:
        why = Degraded("The features explain nothing that this budget can see.", MORE, ignored)
        return _constant_of_check(problem, why, found, checked, label, centre)
    found = replace(found, theta=checked.theta)
    return in_user_units(problem, found, checked, units, label, centre, whitening)


def _constant_of_check(
    problem: Problem, why: Degraded, found: Found, checked: Checked, label: LabelUnits, centre: Centre
) -> Solution:
    """What is left of a model that was not seen to be better than a constant."""
    objective, constant, std = problem.objective, checked.fallback, checked.fallback_std
    if objective.follows_label:
        if found.clip_threshold is not None:
            intercept = float(found.theta[-1])
            constant = np.array([steadied(float(constant[0]), std, intercept, found.clip_threshold)])
        if std > 0:
            moved = float(constant[0] - checked.fallback[0])
            why = give_or_take(why, label.half * std, label.half * moved)
            why = replace(why, clipped_to=label.predicted)
    elif isinstance(objective, Softmax):
        why = give_or_take(why, objective.noise_std)
    elif problem.has_intercept:
        why = give_or_take(why, centre.noise_std / 2)  # classes are -1 and 1
    values = constant_for_user(problem, constant, label, centre)
    return Solution.constant(problem.records.columns, values, with_rare_classes(problem, why))


def _in_whitened_coordinates(
    problem: Problem,
    centred: Rows,
    units: FeatureUnits,
    label: LabelUnits,
    centre: Centre,
    whitening: Whitening,
    label_scale: float,
) -> WhitenedProblem:
    """The problem for rows that are scaled and centred already, once a whitening is known."""
    objective, slopes = problem.objective, whitening.matrix.shape[1]
    dim = slopes + problem.has_intercept
    start, label_shift = np.zeros((objective.outputs, dim)), 0.0
    if not objective.follows_label:  # its labels have a meaning of their own
        label_shift = centre.label
        start[:, slopes:] = objective.best_constant(centre.label, centre.noise_std)[:, None]
    regulariser = np.zeros((dim, dim))
    if problem.penalty:
        in_units = units.coefficients(whitening.matrix)
        regulariser[:slopes, :slopes] = problem.penalty * (in_units.T @ in_units)
    return WhitenedProblem(
        rows=centred.changed(to_whitened(whitening.matrix, int(problem.has_intercept), label_shift), dim),
        objective=objective,
        label_scale=label_scale if objective.follows_label else objective.hardest_pull(centre.label),
        mean_label=centre.label,
        mean_std=centre.noise_std,
        largest_label=label.largest + abs(centre.label),
        label_range=label.predicted_around(centre.label),
        signal=whitening.signal,
        is_white=not units.are_whitened,
        clips=problem.clips_features,
        regulariser=np.asarray(np.kron(objective.mixing.T @ objective.mixing, regulariser), np.float64),
        start=start.ravel(),
        has_intercept=problem.has_intercept,
    )
