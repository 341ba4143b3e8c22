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
from relgauss.linear_model.public_plan import least_signal
from relgauss.linear_model.solvers.base import Solver

_LARGEST_ADVISED = 10.0  # an epsilon above this protects hardly anybody


def too_few_records(solver: Solver) -> Degraded:
    """Why a fit with less than the least signal can only end with a constant, and what would change that."""
    records = solver.problem.records
    reason = f"{records.count:,} records are too few for {records.columns:,} features at this budget."
    return Degraded(reason, f"Use {', or '.join(_remedies(solver))}.")


def _remedies(solver: Solver) -> list[str]:
    """Each by itself is enough for this rule."""
    records, known, least = solver.problem.records, solver.problem.known, solver.least_signal
    remedies = [f"at least {math.ceil(least / solver.mu * (1 + 1e-9)):,} records"]
    epsilon = _least_epsilon(solver, least)
    if epsilon is not None:
        remedies.append(f"epsilon {epsilon:g}")
    if solver.signal >= least_signal(records.columns, 0, solver.problem.objective.outputs):
        remedies.append(f"public bounds of {_searched(known)}")
    return remedies


def _searched(known: PublicKnowledge) -> str:
    if known.label is not None:
        return "the features"
    return "the features and the label" if known.unknown_features else "the label"


def _least_epsilon(solver: Solver, least: float) -> float | None:
    """An epsilon that is enough, to two digits; None if all that are leave hardly any privacy."""
    count, delta = solver.problem.records.count, solver.budget.delta
    epsilon = _two_digits_up(gdp.epsilon(least / count, delta))
    while epsilon <= _LARGEST_ADVISED:
        if replace(solver, budget=Budget(epsilon, delta)).signal >= least:
            return epsilon
        epsilon = _two_digits_up(epsilon * 1.01)
    return None


def _two_digits_up(value: float) -> float:
    if not 0 < value < math.inf:
        return math.inf
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{math.ceil(value / unit) * unit:.2g}")
