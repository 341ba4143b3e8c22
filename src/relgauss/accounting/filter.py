"""A budget for spends whose size is chosen as one goes: a privacy filter.

Gaussian:       mu_1² + mu_2² + ... <= mu²,   mu that of (epsilon - E, delta - F)
Rényi:          D_1(a) + D_2(a) + ... <= B(a) at one of J fixed orders a at least,
                B(a) what gives (epsilon - E, (delta - F)/J) there
beside either:  epsilons of pure DP that are counted apart <= E,  leaks and failures <= F

While that holds, everything together is (epsilon, delta)-DP, though each spend may depend on all earlier
releases. The tight composition of what was spent is no such rule. Proof: proofs/adaptive-budgets.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from relgauss import validate
from relgauss.accounting import gdp
from relgauss.accounting.adaptive_cost import Cost, added
from relgauss.accounting.adjacency import NEIGHBOURS, Neighbours, common
from relgauss.accounting.approximate import ApproximateDP
from relgauss.accounting.compose import Part, compose
from relgauss.accounting.filter_limits import Tracks, float_down, root_down, tracks_of
from relgauss.accounting.guarantees import Guarantee
from relgauss.accounting.spend_cost import SpendCost, Use, spend_cost
from relgauss.errors import InvalidParameterError
from relgauss.refused import Refused
from relgauss.rounding import round_down, round_up

_A_HAIR_MORE = 1 + Fraction(1, 10**12)


@dataclass(frozen=True)
class Left:
    """What a filter still admits.

    Attributes
    ----------
    mu
        The largest mu of one more Gaussian release, rounded down.
    pure
        The epsilon that is left of what was set aside for pure DP.
    failures
        The probability that is left for leaks and failures.
    """

    mu: float
    pure: float
    failures: float

    def epsilon(self, delta: float) -> float:
        """The epsilon of the largest Gaussian release that is still admitted, at this delta, rounded down."""
        return gdp.epsilon(self.mu, validate.probability("delta", delta)) * (1 - 1e-12)

    def text(self, delta: float) -> str:
        """That epsilon at ``delta`` as people read it: four digits, rounded down; a whole budget as said."""
        return round_down(self.epsilon(delta) * (1 + 1e-9))


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
    for_pure
        The part of epsilon that is set aside for pure and (epsilon, delta)-DP, whose epsilons simply add up
        there. Beyond it they count as the Gaussian that covers them, which costs 1.25 to 3 times as much.
    orders
        Rényi orders to count at, fixed before the first spend; delta is divided among them. None counts in
        mu², which is exact for Gaussian noise and holds nothing else but pure DP.
    spent, pure, failures
        What was spent before: by order, of what is set aside, and of failures; left out, nothing.
    neighbours
        What the spends so far are about; others are refused, as in a composition.
    """

    epsilon: float
    delta: float
    for_failures: float = 0.0
    for_pure: float = 0.0
    orders: tuple[float, ...] = ()
    spent: tuple[Cost, ...] = ()
    pure: Fraction = Fraction(0)
    failures: Fraction = Fraction(0)
    neighbours: Neighbours | None = None

    def __post_init__(self) -> None:
        fix = "Pass a positive epsilon such as 1.0."
        object.__setattr__(self, "epsilon", validate.positive("epsilon", self.epsilon, fix))
        object.__setattr__(self, "delta", validate.probability("delta", self.delta))
        fix = "Pass a part of delta, say a tenth."
        kept = validate.nonnegative("for_failures", self.for_failures, fix)
        if not kept * (1 + 1e-9) < self.delta:
            raise InvalidParameterError("for_failures", kept, f"below delta {self.delta}", fix)
        object.__setattr__(self, "for_failures", kept)
        fix = "Pass a part of epsilon."
        aside = validate.nonnegative("for_pure", self.for_pure, fix)
        if not aside * (1 + 1e-9) < self.epsilon:
            raise InvalidParameterError("for_pure", aside, f"below epsilon {self.epsilon}", fix)
        object.__setattr__(self, "for_pure", aside)
        orders = validate.sequence("orders", self.orders, "Pass a tuple of Rényi orders, such as (8, 16).")
        object.__setattr__(self, "orders", tuple(validate.order("orders", order) for order in orders))
        if isinstance(self.spent, tuple) and not self.spent:
            object.__setattr__(self, "spent", tuple(Fraction(0) for _ in self._tracks))
        spent = validate.sequence("spent", self.spent, "Leave it out.")
        if len(spent) != len(self._tracks):
            raise InvalidParameterError("spent", len(spent), "one for each order", "Leave it out.")
        totals = (*(("spent", each) for each in spent if each is not None), ("pure", self.pure))
        for name, total in (*totals, ("failures", self.failures)):
            if not isinstance(total, Fraction | int) or isinstance(total, bool) or total < 0:
                raise InvalidParameterError(name, total, "an exact sum, 0 or above", "Leave it out.")
        if self.neighbours is not None:
            validate.choice("neighbours", self.neighbours, NEIGHBOURS)

    def after(self, *parts: Part) -> PrivacyFilter | Exhausted:
        """The filter after this spend, or why the budget does not hold it.

        Parameters
        ----------
        parts
            Guarantees, mechanisms, charges, statements or pairs (part, times), released together.
        """
        cost, after = self.cost_of(*parts), self.with_spend(*parts)
        if not self.is_within:
            return self._refused_amount(compose(*parts).uses)
        if after.failures > self._failure_limit:
            return self._refused_failure(cost.failures)
        if all(each is None for each in cost.tracks):
            return self._refused_kind(compose(*parts).uses)
        return after if after.is_within else self._refused_amount(compose(*parts).uses)

    def with_spend(self, *parts: Part) -> PrivacyFilter:
        """The filter after a spend of ``parts`` that was made already, whether the budget holds it or not."""
        return self.with_spends([compose(*parts).uses])

    def with_spends(self, spends: Iterable[tuple[Use, ...]]) -> PrivacyFilter:
        """The filter after several spends, one after the other, each as guarantees with times."""
        spent, pure, failures = self.spent, self.pure, self.failures
        tracks, limit, neighbours = self._tracks, self._pure_limit, self.neighbours
        for uses in spends:
            neighbours = common("parts", (neighbours, *(guarantee.neighbours for guarantee, _ in uses)))
            cost = spend_cost(uses, tracks, limit - pure)
            spent = tuple(map(added, spent, cost.tracks))
            pure, failures = pure + cost.pure, failures + cost.failures
        return replace(self, spent=spent, pure=pure, failures=failures, neighbours=neighbours)

    def cost_of(self, *parts: Part) -> SpendCost:
        """What a spend of ``parts`` adds to each sum; pure DP counts apart as far as its part holds it."""
        return spend_cost(compose(*parts).uses, self._tracks, self._pure_limit - self.pure)

    @property
    def is_within(self) -> bool:
        """Whether everything that was spent is within the budget."""
        return self.failures <= self._failure_limit and any(
            spent is not None and spent <= cap
            for spent, (_, cap) in zip(self.spent, self._tracks, strict=True)
        )

    @property
    def left(self) -> Left:
        """What is still admitted."""
        if not self.is_within:
            return Left(0.0, 0.0, 0.0)
        return Left(
            max(map(root_down, self._squares_left())),
            max(0.0, float_down(self._pure_limit - self.pure)),
            max(0.0, float_down(self._failure_limit - self.failures)),
        )

    @property
    def _tracks(self) -> Tracks:
        epsilon = float_down(Fraction(self.epsilon) - self._pure_limit)
        delta = float_down(Fraction(self.delta) - self._failure_limit)
        return tracks_of(epsilon, delta, self.orders)

    @property
    def _pure_limit(self) -> Fraction:
        """A hair more than was said, so that three tenths are at most 0.3; the rest has that much less."""
        return Fraction(self.for_pure) * _A_HAIR_MORE

    @property
    def _failure_limit(self) -> Fraction:
        return Fraction(self.for_failures) * _A_HAIR_MORE

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

    def _refused_failure(self, lost: Fraction) -> Exhausted:
        needed = round_up(self.for_failures - float(self.left.failures) + float(lost), 2)
        part = round_down(self.left.failures / float(lost), 2)
        smaller = f"Release at a smaller delta (delta=), {part} of this one or less; or ask"
        return Exhausted(
            f"The spend needs {round_up(float(lost))} of delta for what may fail in it, such as finding "
            f"groups privately, and {round_down(self.left.failures)} is left of what was set aside for that.",
            f"{smaller if self.left.failures > 0 else 'Ask'} for what needs none, such as groups of a public "
            f"list; or begin with for_failures={needed} or more, which is fixed before the first spend.",
            self.left,
        )

    def _refused_amount(self, uses: tuple[tuple[Guarantee, int], ...]) -> Exhausted:
        left = self.left
        aside = f", and {round_down(left.pure)} for pure DP" if self.for_pure else ""
        amount, fix = f"epsilon={left.text(self.delta)}", "Spend at most that."
        if float(left.text(self.delta)) == 0:
            amount = "nothing"
            if round_down(left.pure) == "0":
                fix = "Nothing more can be released within this budget."
        elif any(isinstance(guarantee, ApproximateDP) for guarantee, _ in uses):
            fix = (
                "Spend at most that; epsilons of pure DP add up only as far as they are set aside (for_pure)."
            )
        return Exhausted(
            f"The spend exceeds the budget: {amount} at delta={self.delta:g} is left of {self.epsilon:g} for "
            f"Gaussian noise{aside}.",
            fix,
            left,
        )
