"""Rényi curves: a table of orders, a formula, or the sum of guarantees. Proof: proofs/renyi.md."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from relgauss import validate
from relgauss.accounting import guard
from relgauss.accounting.guarantees import Guarantee
from relgauss.errors import InvalidParameterError
from relgauss.rounding import round_down


class RenyiCurve(ABC):
    """A bound on the Rényi divergence of neighbours, order by order."""

    @property
    @abstractmethod
    def order_limit(self) -> float:
        """Orders below this one are bounded."""

    @abstractmethod
    def at(self, alpha: float) -> float:
        """The bound at an order above one and below the limit, rounded up."""

    @abstractmethod
    def describe(self) -> str:
        """A few words for a privacy statement."""


@dataclass(frozen=True)
class RenyiTable(RenyiCurve):
    """Bounds at some orders: between them (alpha - 1) D(alpha), which is convex, is at most its chord.

    Parameters
    ----------
    orders
        The orders, ascending, each above one.
    divergences
        The bound at each of them: numbers >= 0 that nowhere fall.
    """

    orders: tuple[float, ...]
    divergences: tuple[float, ...]

    def __post_init__(self) -> None:
        orders = _ascending("orders", self.orders, validate.rounded_down, strictly=True)
        if not orders[0] > 1:
            raise InvalidParameterError("orders", orders[0], "above 1", "Leave out orders up to one.")
        values = _ascending("divergences", self.divergences, validate.rounded_up, strictly=False)
        if not values[0] >= 0:
            raise InvalidParameterError("divergences", values[0], "0 or above", "Pass Rényi divergences.")
        if len(values) != len(orders):
            raise InvalidParameterError(
                "divergences", len(values), f"as many as orders, {len(orders)}", "Pass one for each order."
            )
        object.__setattr__(self, "orders", orders)
        object.__setattr__(self, "divergences", values)

    @property
    def order_limit(self) -> float:
        """Just past the last order, which counts."""
        return math.nextafter(self.orders[-1], math.inf)

    def at(self, alpha: float) -> float:
        """The smaller of the chord at ``alpha`` and the next order's bound."""
        last = int(np.searchsorted(self.orders, alpha))
        above, bound = self.orders[last], self.divergences[last]
        below, start = (self.orders[last - 1], self.divergences[last - 1]) if last > 0 else (1.0, 0.0)
        start *= below - 1
        chord = start + (alpha - below) / (above - below) * ((above - 1) * bound - start)
        return min(bound, chord / (alpha - 1) * (1 + 4e-15))

    def describe(self) -> str:
        """The number of orders and their ends."""
        return f"Rényi curve at {len(self.orders)} orders up to {round_down(self.orders[-1], 6)}"


@dataclass(frozen=True)
class RenyiFunction(RenyiCurve):
    """A formula for the bound at every order below a limit.

    Parameters
    ----------
    function
        From an order to the bound, a number >= 0 that nowhere falls. It is tried at some orders at once, and
        wherever it is no such number later on, there is no privacy.
    order_limit
        Orders below this one are bounded; infinity where all are.
    """

    function: Callable[[float], float]
    order_limit: float = math.inf

    def __post_init__(self) -> None:
        fix = "Pass the order at which the curve ends, or infinity."
        object.__setattr__(self, "order_limit", validate.order_limit("order_limit", self.order_limit, fix))
        if not callable(self.function):
            raise InvalidParameterError(
                "function", self.function, "a function of the order", "Pass a formula, or use RenyiTable."
            )
        room = min(self.order_limit - 1, 1e3)
        tried = [guard.number(guard.read(partial(self.function, 1 + room * share))) for share in _TRIED]
        fix = "Pass a formula whose values are numbers >= 0 that nowhere fall as the order grows."
        if not all(0 <= value < math.inf for value in tried):
            raise InvalidParameterError("function", tried, "a number, 0 or above, at every order", fix)
        if any(later < earlier * (1 - 1e-9) for earlier, later in pairwise(tried)):
            raise InvalidParameterError("function", tried, "nowhere falling", fix)

    def at(self, alpha: float) -> float:
        """What the formula says at ``alpha``, rounded up."""
        return guard.divergence(guard.read(lambda: self.function(alpha))) * (1 + 1e-15)

    def to_table(self, orders: Sequence[float]) -> RenyiTable:
        """The bounds at some orders, as a table: unlike a formula it can be written to a file.

        Parameters
        ----------
        orders
            The orders, ascending, above one and below the limit.
        """
        found = [validate.order("orders", order) for order in orders]
        kept = tuple(order for order in found if order < self.order_limit)
        return RenyiTable(kept, tuple(self.at(order) for order in kept))

    def describe(self) -> str:
        """The limit of the orders."""
        return f"Rényi curve below order {round_down(self.order_limit, 6)}"


_TRIED = (1e-6, 1e-3, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 0.999)  # of the room between one and the limit


@dataclass(frozen=True)
class RenyiSum(RenyiCurve):
    """The curves of several guarantees added up, each as often as it is used."""

    uses: tuple[tuple[Guarantee, int], ...]

    @property
    def order_limit(self) -> float:
        """The least of all."""
        return min(part.order_limit for part, _ in self.uses)

    def at(self, alpha: float) -> float:
        """The sum, rounded up."""
        return guard.total(times * part.rdp(alpha) for part, times in self.uses) * (1 + 1e-15)

    def describe(self) -> str:
        """How many there are."""
        return f"{sum(times for _, times in self.uses)} Rényi curves"


def _ascending(
    name: str, values: object, rounded: Callable[[str, object, str], float], *, strictly: bool
) -> tuple[float, ...]:
    """Finite numbers that rise, or that at least nowhere fall."""
    fix = "Pass a sequence of numbers, the smallest order first."
    found = tuple(rounded(name, value, fix) for value in validate.sequence(name, values, fix))
    if not found:
        raise InvalidParameterError(name, values, "at least one number", fix)
    for earlier, later in pairwise(found):
        if later < earlier or (strictly and later == earlier):
            raise InvalidParameterError(name, found, "ascending" if strictly else "nowhere falling", fix)
    return found
