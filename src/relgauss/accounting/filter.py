"""A budget for spends whose size is chosen as one goes: a privacy filter.

Gaussian:       mu_1² + mu_2² + ... <= mu²,   mu that of (epsilon, delta - F)
Rényi:          D_1(a) + D_2(a) + ... <= B(a) at one of J fixed orders a at least,
                B(a) what gives (epsilon, (delta - F)/J) there
beside either:  leaks and failures <= F

While that holds, everything together is (epsilon, delta)-DP, though each spend may depend on all earlier
releases. The tight composition of what was spent is no such rule. Proof: proofs/adaptive-budgets.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial

from relgauss import validate
from relgauss.accounting import gdp
from relgauss.accounting.adaptive_cost import (
    Cost,
    CostOf,
    added,
    failure_cost,
    gaussian_cost,
    renyi_cost,
    total,
)
from relgauss.accounting.compose import Part, compose
from relgauss.accounting.convert import tight_epsilon
from relgauss.accounting.guarantees import Guarantee
from relgauss.errors import InvalidParameterError
from relgauss.refused import Refused
from relgauss.rounding import round_down, round_up


@dataclass(frozen=True)
class Left:
    """What a filter still admits.

    Attributes
    ----------
    mu
        The largest mu of one more Gaussian release, rounded down.
    failures
        The probability that is left for leaks and failures.
    """

    mu: float
    failures: float

    def epsilon(self, delta: float) -> float:
        """The epsilon of the largest Gaussian release that is still admitted, at this delta, rounded down."""
        return gdp.epsilon(self.mu, validate.probability("delta", delta)) * (1 - 1e-12)


@dataclass(frozen=True)
class Exhausted(Refused):
    """A spend that the budget does not hold: nothing is counted for it, and smaller ones may still fit.

    Attributes
    ----------
    left
        What is left.
    """

    left: Left


@dataclass(frozen=True)
class PrivacyFilter:
    """What may be spent, and what was: (epsilon, delta) for spends that are chosen as one goes.

    >>> filter = PrivacyFilter(1.0, 1e-6)
    >>> match filter.after(GaussianDP(0.1)):
    ...     case Exhausted(reason, fix, left): ...   # do not release
    ...     case filter: ...                         # release, and go on with this one

    Parameters
    ----------
    epsilon, delta
        What everything together may cost.
    for_failures
        The part of delta that is kept for leaks and failures: of (epsilon, delta)-DP and certificates.
    orders
        Rényi orders to count at, fixed before the first spend; delta is divided among them. None counts in
        mu², which is exact for Gaussian noise and holds nothing else but pure DP.
    spent, failures
        What was spent before, by order, and failures; left out, nothing.
    """

    epsilon: float
    delta: float
    for_failures: float = 0.0
    orders: tuple[float, ...] = ()
    spent: tuple[Cost, ...] = ()
    failures: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        fix = "Pass a positive epsilon such as 1.0."
        object.__setattr__(self, "epsilon", validate.positive("epsilon", self.epsilon, fix))
        object.__setattr__(self, "delta", validate.probability("delta", self.delta))
        fix = "Pass a part of delta, say a tenth."
        kept = validate.nonnegative("for_failures", self.for_failures, fix)
        if not kept < self.delta:
            raise InvalidParameterError("for_failures", kept, f"below delta {self.delta}", fix)
        object.__setattr__(self, "for_failures", kept)
        orders = tuple(self.orders) if isinstance(self.orders, tuple | list) else (self.orders,)
        object.__setattr__(self, "orders", tuple(validate.order("orders", order) for order in orders))
        if not self.spent:
            object.__setattr__(self, "spent", tuple(Fraction(0) for _ in self._tracks))
        if len(self.spent) != len(self._tracks):
            raise InvalidParameterError("spent", len(self.spent), "one for each order", "Leave it out.")

    def after(self, *parts: Part) -> PrivacyFilter | Exhausted:
        """The filter after this spend, or why the budget does not hold it.

        Parameters
        ----------
        parts
            Guarantees, mechanisms, charges, statements or pairs (part, times), released together.
        """
        uses = compose(*parts).uses
        after = self.with_spend(*parts)
        if after.failures > Fraction(self.for_failures):
            return self._refused_failure(total(failure_cost, uses))
        costs = [total(cost, uses) for cost, _ in self._tracks]
        if all(cost is None for cost in costs):
            return self._refused_kind(uses)
        return after if after.is_within else self._refused_amount()

    def with_spend(self, *parts: Part) -> PrivacyFilter:
        """The filter after a spend that was made already, whether the budget holds it or not."""
        uses = compose(*parts).uses
        spent = tuple(
            added(before, total(cost, uses))
            for before, (cost, _) in zip(self.spent, self._tracks, strict=True)
        )
        lost = total(failure_cost, uses)
        return replace(self, spent=spent, failures=self.failures + (lost or 0))

    @property
    def is_within(self) -> bool:
        """Whether everything that was spent is within the budget."""
        return self.failures <= Fraction(self.for_failures) and any(
            spent is not None and spent <= cap
            for spent, (_, cap) in zip(self.spent, self._tracks, strict=True)
        )

    @property
    def left(self) -> Left:
        """What is still admitted."""
        if not self.is_within:
            return Left(0.0, 0.0)
        return Left(
            max(map(_root_down, self._squares_left())),
            max(0.0, _float_down(Fraction(self.for_failures) - self.failures)),
        )

    @property
    def _tracks(self) -> tuple[tuple[CostOf, Fraction], ...]:
        return _tracks_of(self.epsilon, self.delta, self.for_failures, self.orders)

    def _squares_left(self) -> Iterator[Fraction]:
        """By each way of counting, the mu² of the Gaussian release that would use it up."""
        for place, (spent, (_, cap)) in enumerate(zip(self.spent, self._tracks, strict=True)):
            room = Fraction(0) if spent is None else max(cap - spent, Fraction(0))
            # A Gaussian's divergence is alpha mu²/2, and is rounded up by the accounting.
            yield 2 * room / Fraction(self.orders[place]) * (1 - Fraction(1, 10**14)) if self.orders else room

    def _refused_kind(self, uses: tuple[tuple[Guarantee, int], ...]) -> Exhausted:
        words = ", ".join(dict.fromkeys(guarantee.describe() for guarantee, _ in uses))
        if self.orders:
            orders = ", ".join(f"{order:g}" for order in self.orders)
            reason = f"{words}: its Rényi divergence is infinite at the orders {orders}."
            return Exhausted(reason, "Begin with smaller orders.", self.left)
        best = 1 + math.sqrt(-2 * math.log(self.delta)) / gdp.mu(self.epsilon, self.delta)
        fix = f"Begin with a Rényi order, such as orders=({best:.0f},): it is fixed before the first spend."
        return Exhausted(f"{words}: this is not Gaussian, so it is no part of mu².", fix, self.left)

    def _refused_failure(self, lost: Cost) -> Exhausted:
        return Exhausted(
            f"The spend may leak or fail with probability {round_up(float(lost or 0))}, and "
            f"{round_down(self.left.failures)} of delta is left for that.",
            "Begin with a larger for_failures, a part of delta that is fixed before the first spend.",
            self.left,
        )

    def _refused_amount(self) -> Exhausted:
        left = self.left
        return Exhausted(
            f"The spend exceeds the budget: epsilon={round_down(left.epsilon(self.delta))} at "
            f"delta={self.delta:g} is left of {self.epsilon:g}.",
            "Spend at most that." if left.mu > 0 else "Nothing more can be released within this budget.",
            left,
        )


@lru_cache(maxsize=1024)
def _tracks_of(
    epsilon: float, delta: float, for_failures: float, orders: tuple[float, ...]
) -> tuple[tuple[CostOf, Fraction], ...]:
    """How spends are counted, and the most that each way of counting may reach."""
    rest = (delta - for_failures) * (1 - 1e-15)
    if not orders:
        return ((gaussian_cost, Fraction(gdp.mu(epsilon, rest)) ** 2),)
    share = rest / len(orders) * (1 - 1e-15)
    return tuple(
        (partial(renyi_cost, order=order), Fraction(_most_divergence(epsilon, share, order)))
        for order in orders
    )


def _most_divergence(epsilon: float, delta: float, order: float) -> float:
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


def _root_down(square: Fraction) -> float:
    root = math.sqrt(_float_down(square)) * (1 - 1e-15)
    return root if Fraction(root) ** 2 <= square else 0.0


def _float_down(value: Fraction) -> float:
    nearest = float(value)
    return nearest if Fraction(nearest) <= value else math.nextafter(nearest, -math.inf)
