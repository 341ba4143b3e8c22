"""The limits of a filter: how far each way of counting may go. Proof: proofs/adaptive-budgets.md."""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from functools import lru_cache, partial

from relgauss.accounting import gdp
from relgauss.accounting.adaptive_cost import CostOf, gaussian_cost, renyi_cost
from relgauss.accounting.convert import tight_epsilon
from relgauss.errors import InvalidParameterError

_MOST = Fraction(sys.float_info.max)

Tracks = tuple[tuple[CostOf, Fraction], ...]
"""Ways of counting, each with the most that its sum may reach."""


@lru_cache(maxsize=1024)
def tracks_of(epsilon: float, delta: float, orders: tuple[float, ...]) -> tuple[tuple[CostOf, Fraction], ...]:
    """How spends are counted, and the most that each way of counting may reach."""
    if not orders:
        return ((gaussian_cost, Fraction(gdp.mu(epsilon, delta)) ** 2),)
    share = delta / len(orders) * (1 - 1e-15)
    return tuple(
        (partial(renyi_cost, order=order), Fraction(most_divergence(epsilon, share, order)))
        for order in orders
    )


def most_divergence(epsilon: float, delta: float, order: float) -> float:
    """The largest divergence at this order that gives (epsilon, delta), rounded down."""
    most = epsilon - tight_epsilon(0.0, order, delta)
    slack = 1e-14 * (epsilon + abs(tight_epsilon(0.0, order, delta)))
    if not most - slack > 0 or tight_epsilon(most - slack, order, delta) > epsilon:
        raise InvalidParameterError(
            "orders",
            order,
            f"large enough for epsilon={epsilon:g}: at this order not even no loss gives it",
            "Pass orders near 1 + 2 log(1/delta)/epsilon.",
        )
    return most - slack


def root_down(square: Fraction) -> float:
    """A root, rounded down."""
    root = math.sqrt(float_down(square)) * (1 - 1e-15)
    return root if Fraction(root) ** 2 <= square else 0.0


def float_down(value: Fraction) -> float:
    """The double at or below a fraction."""
    nearest = float(min(value, _MOST))
    return nearest if Fraction(nearest) <= value else math.nextafter(nearest, -math.inf)
