"""Fits that public numbers show to be hopeless: told before anything is spent, with what would do.

Public are the numbers of records and columns, the budget and which bounds are stated. Proof:
proofs/regression.md.
"""

from __future__ import annotations

import math
from dataclasses import replace

from relgauss.accounting import gdp
from relgauss.budget import Budget
from relgauss.linear_model.budget_shares import Shares, least_signal
from relgauss.linear_model.outcome import Degraded
from relgauss.linear_model.problem import Problem
from relgauss.linear_model.solvers.base import Route

_LARGEST_ADVISED = 10.0  # an epsilon above this protects hardly anybody


def find_hopeless(problem: Problem, route: Route, shares: Shares) -> Degraded | None:
    """Why this fit can only end with a constant, and what would change that; None if it may succeed."""
    least = least_signal(problem.columns, problem.searched.count, shares)
    if problem.count * route.mu >= least:
        return route.refusal(problem, shares)
    reason = f"{problem.count:,} records are too few for {problem.columns:,} features at this budget."
    return Degraded(reason, f"Use {', or '.join(_remedies(problem, route, shares, least))}.")


def _remedies(problem: Problem, route: Route, shares: Shares, least: float) -> list[str]:
    """Each by itself is enough for this rule."""
    remedies = [f"at least {math.ceil(least / route.mu * (1 + 1e-9)):,} records"]
    epsilon = _least_epsilon(problem.count, route, least)
    if epsilon is not None:
        remedies.append(f"epsilon {epsilon:g}")
    if problem.count * route.mu >= least_signal(problem.columns, 0, shares):
        remedies.append(f"public bounds of {_searched(problem)}")
    return remedies


def _searched(problem: Problem) -> str:
    if not problem.searched.with_label:
        return "the features"
    return "the features and the label" if problem.searched.features else "the label"


def _least_epsilon(count: int, route: Route, least: float) -> float | None:
    """An epsilon that is enough, to two digits; None if all that are leave hardly any privacy."""
    delta = route.budget.delta
    epsilon = _two_digits_up(gdp.epsilon(least / count, delta))
    while epsilon <= _LARGEST_ADVISED:
        if count * replace(route, budget=Budget(epsilon, delta)).mu >= least:
            return epsilon
        epsilon = _two_digits_up(epsilon * 1.01)
    return None


def _two_digits_up(value: float) -> float:
    if not 0 < value < math.inf:
        return math.inf
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{math.ceil(value / unit) * unit:.2g}")
