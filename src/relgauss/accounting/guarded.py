"""A guarantee as composition reads it: each of its numbers through the gate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from relgauss.accounting import guard
from relgauss.accounting.adjacency import NEIGHBOURS, Neighbours, Order
from relgauss.accounting.guarantees import Guarantee
from relgauss.arrays import FloatArray
from relgauss.errors import NoGuaranteeError


@dataclass(frozen=True)
class Guarded(Guarantee):
    """``inner`` with every number checked: NaN, a wrong sign or an overflow there is no privacy here."""

    inner: Guarantee

    @classmethod
    def of(cls, guarantee: Guarantee) -> Guarded:
        """Wrap a guarantee, unless it is wrapped already."""
        return guarantee if isinstance(guarantee, cls) else cls(guarantee)

    @property
    def neighbours(self) -> Neighbours | None:
        """Refused where they are none that are known: parts for others must not be composed with it."""
        found = guard.read(lambda: self.inner.neighbours)
        if found is None or (isinstance(found, str) and found in NEIGHBOURS):
            return found
        raise NoGuaranteeError(
            f"A guarantee is for neighbours that are not known: {found!r}.",
            f"Say one of {', '.join(NEIGHBOURS)}.",
        )

    @cached_property
    def leak(self) -> float:
        return guard.delta(guard.read(lambda: self.inner.leak))

    @property
    def failure(self) -> float:
        return guard.delta(guard.read(lambda: self.inner.failure))

    @cached_property
    def order_limit(self) -> float:
        """One, below which there are no orders, where it is not a number."""
        limit = guard.number(guard.read(lambda: self.inner.order_limit))
        return limit if limit > 1 else 1.0

    @cached_property
    def loss_std(self) -> float:
        """Zero where the size of the loss is not known: then no grid can be chosen."""
        size = guard.number(guard.read(lambda: self.inner.loss_std))
        return size if 0 < size < math.inf else 0.0

    @property
    def largest_loss(self) -> float:
        return guard.divergence(guard.read(lambda: self.inner.largest_loss))

    def rdp(self, alpha: float) -> float:
        if not 1 < alpha < self.order_limit:
            return math.inf
        return guard.divergence(guard.read(lambda: self.inner.rdp(alpha)))

    def log_delta(self, epsilon: float) -> float:
        return guard.log_delta(guard.read(lambda: self.inner.log_delta(epsilon)))

    def reach(self, log_tail: float) -> float:
        """Infinite where it is not a number: then no grid can be chosen."""
        return guard.divergence(guard.read(lambda: self.inner.reach(log_tail)))

    def profile_at(self, epsilon: FloatArray) -> FloatArray:
        return guard.profile(guard.read(lambda: self.inner.profile_at(epsilon)), len(epsilon))

    @property
    def is_symmetric(self) -> bool:
        return guard.read(lambda: self.inner.is_symmetric) is True

    def ordered_profile_at(self, epsilon: FloatArray, order: Order) -> FloatArray:
        return guard.profile(guard.read(lambda: self.inner.ordered_profile_at(epsilon, order)), len(epsilon))

    @property
    def curve_is_of_pair(self) -> bool:
        return guard.read(lambda: self.inner.curve_is_of_pair) is True

    @property
    def only_renyi(self) -> bool:
        return guard.read(lambda: self.inner.only_renyi) is True

    def describe(self) -> str:
        return self.inner.describe()

    @property
    def is_lossless(self) -> bool:
        """Whether neighbours look the same, apart from leak and failure: profile and curve both say so."""
        order = min(2.0, (1 + self.order_limit) / 2)
        return self.log_delta(0.0) == -math.inf and self.rdp(order) == 0
