"""Fits that public numbers show to be hopeless: told before anything is spent, with what would do.

Public are the numbers of records and columns, the budget and which bounds are stated. Proof:
proofs/regression.md.
"""

from __future__ import annotations

import math
from dataclasses import replace

from relgauss.accounting import gdp
from relgauss.budget import Budget
from relgauss.linear_model.outcome import Degraded
from relgauss.linear_model.public_knowledge import PublicKnowledge
from relgauss.linear_model.search_plan import least_signal_to_see
from relgauss.linear_model.solvers.base import Solver

_LEAST_SIGNAL = 12.0  # n mu/sqrt(d (d + 1)) below which a constant serves better
_LARGEST_ADVISED = 10.0  # an epsilon above this protects hardly anybody


def find_hopeless(solver: Solver) -> Degraded | None:
    """Why this fit can only end with a constant, and what would change that; None if it may succeed."""
    records, known = solver.problem.records, solver.problem.known
    least = least_signal(records.columns, known.unknown_count, solver.problem.objective.outputs)
    if solver.signal >= least:
        return solver.refusal()
    reason = f"{records.count:,} records are too few for {records.columns:,} features at this budget."
    return Degraded(reason, f"Use {', or '.join(_remedies(solver, least))}.")


def least_signal(columns: int, unknown: int, outputs: int = 1) -> float:
    """The least n mu for so many features, columns whose range must be found, and scores of a record.

    With less, noise would outweigh what the features explain: even with perfect whitening, gradients of norm
    sqrt(d + 1) times the label's deviation put noise of 4 d (d + 1)/(n mu)² of the label's variance into the
    predictions. Or too many records could hide from the search.
    """
    signal = _LEAST_SIGNAL * math.sqrt(columns * (columns + 1) * outputs)
    return max(signal, least_signal_to_see(unknown)) if unknown else signal


def _remedies(solver: Solver, least: float) -> list[str]:
    """Each by itself is enough for this rule."""
    records, known = solver.problem.records, solver.problem.known
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
