"""What a privacy guarantee of one use of a mechanism says; each kind of them is a frozen value.

It knows its neighbours, its Rényi curve, how it may fail outright (``leak``, ``failure``) and, apart from
that, a dominating profile H(epsilon) = sup over neighbours, in both orders, of the hockey-stick divergence;
where the order is the same at every step, also one for each. Composition needs nothing else.
Proof: proofs/composition.md.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np

from relgauss.accounting.adjacency import REPLACE_ONE, Neighbours, Order
from relgauss.arrays import FloatArray


class Guarantee(ABC):
    """What one use of a mechanism promises about neighbouring tables."""

    @property
    def neighbours(self) -> Neighbours | None:
        """Which tables it keeps apart; None where it holds whatever they are."""
        return REPLACE_ONE

    @property
    def leak(self) -> float:
        """The delta of an (epsilon, delta) mechanism: disclosure independent of the other releases."""
        return 0.0

    @property
    def failure(self) -> float:
        """The probability that what other releases rely on is wrong: it may depend on their outputs."""
        return 0.0

    @property
    @abstractmethod
    def order_limit(self) -> float:
        """Rényi orders below this one are bounded."""

    @property
    @abstractmethod
    def loss_std(self) -> float:
        """The size of the privacy loss, from which a grid is chosen; it need not be exact."""

    @property
    def largest_loss(self) -> float:
        """A loss that is never exceeded, apart from the leak: these simply add up."""
        return math.inf

    @abstractmethod
    def rdp(self, alpha: float) -> float:
        """The Rényi divergence bound at order alpha, apart from the leak."""

    @abstractmethod
    def log_delta(self, epsilon: float) -> float:
        """log of the profile at epsilon >= 0, apart from the leak, rounded up."""

    def reach(self, log_tail: float) -> float:
        """A loss beyond which log delta is about ``log_tail``: how far a grid goes. It need not be exact."""
        at = max(self.loss_std, 1e-290)
        while self.log_delta(at) > log_tail and at < 1e6:
            at *= 1.5
        return min(at, self.largest_loss)

    def profile_at(self, epsilon: FloatArray) -> FloatArray:
        """The profile at each ``epsilon`` >= 0, ascending, apart from the leak, rounded up."""
        return np.exp([self.log_delta(float(each)) for each in epsilon]) * (1 + 1e-15)

    @property
    def is_symmetric(self) -> bool:
        """Whether both orders of the neighbours have the same profile, which then is the whole of it."""
        return True

    @property
    def curve_is_of_pair(self) -> bool:
        """Whether one pair, the same in both orders, has this profile and at most this Rényi curve."""
        return False

    def ordered_profile_at(self, epsilon: FloatArray, order: Order) -> FloatArray:
        """The profile of one ``order``; for epsilon < 0 the other order's says it."""
        return self.profile_at(epsilon)

    @property
    def only_renyi(self) -> bool:
        """Whether the Rényi curve is all that is known: such guarantees are added up before they are read."""
        return False

    def for_larger_groups(self, size: int, neighbours: Neighbours | None) -> Guarantee | None:
        """The same for tables that ``size`` steps lead apart, each between ``neighbours``.

        None where there is no closed form: ``for_group`` then chains the profile.
        """
        return None

    @abstractmethod
    def describe(self) -> str:
        """A few words for a privacy statement."""
