"""What was spent so far, when spends are chosen as one goes and nobody set a budget: a privacy odometer.

Filters at epsilon_k = start·2^(k/8), k = 0, 1, ..., each with its own part delta/((k + 1)(k + 2)) of delta;
the reading is the first epsilon_k whose filter holds all spends. It is larger than the tight composition,
since it holds whenever one stops. Proof: proofs/adaptive-budgets.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial

from relgauss import validate
from relgauss.accounting.adaptive_cost import CostOf, failure_cost, gaussian_cost, renyi_cost, total
from relgauss.accounting.compose import Composition, Part, compose
from relgauss.accounting.filter import PrivacyFilter
from relgauss.accounting.guarantees import Guarantee
from relgauss.errors import InvalidParameterError

_LEVELS = 120  # up to 30,000 times the start: beyond it a reading says nothing


@dataclass(frozen=True)
class Odometer:
    """A reading of all spends so far that holds at every moment, whatever decided on them and on the moment.

    With e(y) and f(y) the epsilon of the reading and the failures so far after releases y,

        P(S) <= E_Q[e^{e(Y)}; S] + delta + E_P[f(Y)]     for all sets S of releases, neighbours P and Q

    >>> odometer = Odometer(1e-6).after(GaussianDP(0.1)).after(GaussianDP(0.2))
    >>> odometer.epsilon, odometer.total_delta

    Parameters
    ----------
    delta
        What all readings together may fail with.
    start
        The least epsilon that is ever read: readings are this times a power of 2^(1/8).
    orders
        Rényi orders to count at, fixed before the first spend; none counts in mu², which holds Gaussian
        noise and pure DP.
    spends
        What was spent before; left out, nothing.
    """

    delta: float
    start: float = 0.1
    orders: tuple[float, ...] = ()
    spends: tuple[tuple[Guarantee, int], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "delta", validate.probability("delta", self.delta))
        fix = "Pass the least epsilon that matters, such as 0.1."
        object.__setattr__(self, "start", validate.positive("start", self.start, fix))
        orders = validate.sequence("orders", self.orders, "Pass a tuple of Rényi orders, such as (8, 16).")
        object.__setattr__(self, "orders", tuple(validate.order("orders", order) for order in orders))
        spends = validate.sequence("spends", self.spends, "Leave it out.")
        object.__setattr__(self, "spends", Composition(spends).uses)  # type: ignore[arg-type]  # checked there

    def after(self, *parts: Part) -> Odometer:
        """The odometer after this spend.

        Parameters
        ----------
        parts
            Guarantees, mechanisms, charges, statements or pairs (part, times), all for the same neighbours.
        """
        return replace(self, spends=compose(*self.spends, *parts).uses)

    @property
    def epsilon(self) -> float:
        """The reading; infinite where a spend has no number in mu², or at no order."""
        if not self.spends:
            return 0.0
        costs = tuple(total(cost_of, self.spends) for cost_of in self._ways)
        for k in range(0 if all(cost is None for cost in costs) else _LEVELS):
            epsilon = self.start * math.pow(2.0, k / 8)
            level = self._level(k, epsilon)
            if level is not None and replace(level, spent=costs).is_within:
                return epsilon
        return math.inf

    @property
    def total_delta(self) -> float:
        """Delta and all leaks and failures so far, rounded up."""
        lost = total(failure_cost, self.spends)
        return min(1.0, math.nextafter(self.delta + float(lost), math.inf)) if lost else self.delta

    @property
    def _ways(self) -> tuple[CostOf, ...]:
        """How spends are counted."""
        return tuple(partial(renyi_cost, order=order) for order in self.orders) or (gaussian_cost,)

    def _level(self, k: int, epsilon: float) -> PrivacyFilter | None:
        """The filter of a level; None where its epsilon is too small for one of the orders."""
        delta = self.delta / ((k + 1) * (k + 2)) * (1 - 1e-15)
        try:
            return PrivacyFilter(epsilon, delta, orders=self.orders)
        except InvalidParameterError:
            return None
