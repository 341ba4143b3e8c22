"""How many records, or which epsilon, would give a fit the n mu that it needs: by public numbers only."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from relgauss.accounting import gdp
from relgauss.budget import Budget

if TYPE_CHECKING:
    from relgauss.linear_model.solvers.base import Solver

_LARGEST_ADVISED = 10.0  # an epsilon above this protects hardly anybody


def remedies_for(solver: Solver, signal: float) -> list[str]:
    """What gives this n mu, each by itself."""
    remedies = [f"at least {math.ceil(signal / solver.mu * (1 + 1e-9)):,} records"]
    epsilon = least_epsilon(solver, signal)
    return remedies if epsilon is None else [*remedies, f"epsilon {epsilon:g}"]


def least_epsilon(solver: Solver, signal: float) -> float | None:
    """An epsilon for this signal, to two digits; None if that leaves hardly any privacy, or is refused."""
    count, delta = solver.problem.records.count, solver.budget.delta
    epsilon = _two_digits_up(gdp.epsilon(signal / count, delta))
    while epsilon <= _LARGEST_ADVISED:
        other = replace(solver, budget=Budget(epsilon, delta))
        if other.signal >= signal:  # what else would be refused takes long to know: once is enough
            return epsilon if other.refusal() is None else None
        epsilon = _two_digits_up(epsilon * 1.01)
    return None


def _two_digits_up(value: float) -> float:
    if not 0 < value < math.inf:
        return math.inf
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{math.ceil(value / unit) * unit:.2g}")
