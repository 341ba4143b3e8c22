"""Why public numbers show a fit to be hopeless, and what would do: told before anything is spent.

Proof: proofs/regression.md.
"""

from __future__ import annotations

import math
from dataclasses import replace

from relgauss.accounting import gdp
from relgauss.budget import Budget
from relgauss.linear_model.outcome import Degraded
from relgauss.linear_model.public_knowledge import PublicKnowledge
from relgauss.linear_model.public_plan import least_signal, likely_signal
from relgauss.linear_model.solvers.base import Solver

_LARGEST_ADVISED = 10.0  # an epsilon above this protects hardly anybody


def too_few_records(solver: Solver) -> Degraded:
    """Why a fit with less than the least signal can only end with a constant, and what would change that."""
    records = solver.problem.records
    reason = f"{records.count:,} records are too few for {records.columns:,} features at this budget."
    fix = f"Use {' or '.join(_remedies(solver))}: a model is likely then, if features explain half of the"
    return Degraded(reason, " ".join([fix, "label.", *_tried(solver), *_bounds(solver)]))


def _remedies(solver: Solver) -> list[str]:
    """Each by itself makes a model likely."""
    objective = solver.problem.objective
    likely = likely_signal(
        solver.problem.records.columns, objective.outputs, are_classes=not objective.follows_label
    )
    remedies = [f"at least {math.ceil(likely / solver.mu * (1 + 1e-9)):,} records"]
    epsilon = _least_epsilon(solver, likely)
    return remedies if epsilon is None else [*remedies, f"epsilon {epsilon:g}"]


def _tried(solver: Solver) -> list[str]:
    """The epsilon from which a fit is no longer hopeless: records can seldom be had."""
    epsilon = _least_epsilon(solver, solver.least_signal)
    if epsilon is None:
        return []
    return [f"From epsilon {epsilon:g} on a fit is tried, and may do if features explain more."]


def _bounds(solver: Solver) -> list[str]:
    """What bounds would do by themselves: a fit is tried then, and seldom ends with a model."""
    records, known = solver.problem.records, solver.problem.known
    if solver.signal < least_signal(records.columns, 0, solver.problem.objective.outputs):
        return []
    return [f"With public bounds of {_searched(known)} a fit would be tried, with little hope."]


def _searched(known: PublicKnowledge) -> str:
    if known.label is not None:
        return "the features"
    return "the features and the label" if known.unknown_features else "the label"


def _least_epsilon(solver: Solver, signal: float) -> float | None:
    """An epsilon that gives this signal, to two digits; None if all that do leave hardly any privacy."""
    count, delta = solver.problem.records.count, solver.budget.delta
    epsilon = _two_digits_up(gdp.epsilon(signal / count, delta))
    while epsilon <= _LARGEST_ADVISED:
        other = replace(solver, budget=Budget(epsilon, delta))
        if other.signal >= signal and other.refusal() is None:
            return epsilon
        epsilon = _two_digits_up(epsilon * 1.01)
    return None


def _two_digits_up(value: float) -> float:
    if not 0 < value < math.inf:
        return math.inf
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{math.ceil(value / unit) * unit:.2g}")
