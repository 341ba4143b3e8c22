"""Privacy guarantees of one use of a mechanism, as frozen values.

Each knows its neighbours, its Rényi curve, how it may fail outright (``leak``, ``failure``) and, apart from
that, a dominating profile H(epsilon) = sup over neighbours, in both orders, of the hockey-stick divergence;
where the order is the same at every step, also one for each. Composition needs nothing else.
Proof: proofs/composition.md.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from relgauss import validate
from relgauss.accounting import gdp, guard, rdp
from relgauss.accounting.adjacency import NEIGHBOURS, REPLACE_ONE, Neighbours, Order
from relgauss.arrays import FloatArray
from relgauss.rounding import round_up


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
        """A loss beyond which the profile is about this small: how far a grid goes. It need not be exact."""
        at = max(self.loss_std, 1e-290)
        while self.log_delta(at) > log_tail and at < 1e6:
            at *= 1.5
        return min(at, self.largest_loss)

    def profile_at(self, epsilon: FloatArray) -> FloatArray:
        """The profile at these epsilons >= 0, ascending, apart from the leak, rounded up."""
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
        """The profile of one order; for epsilon < 0 the other order's says it."""
        return self.profile_at(epsilon)

    @property
    def only_renyi(self) -> bool:
        """Whether the Rényi curve is all that is known: such guarantees are added up before they are read."""
        return False

    def for_larger_groups(self, size: int, neighbours: Neighbours | None) -> Guarantee | None:
        """The same for tables that ``size`` steps between neighbours lead apart, as tables of this kind.

        None where there is no closed form: ``for_group`` then chains the profile.
        """
        return None

    @abstractmethod
    def describe(self) -> str:
        """A few words for a privacy statement."""


@dataclass(frozen=True)
class GaussianDP(Guarantee):
    """mu-GDP: every pair of neighbours is at least as hard to tell apart as N(0,1) and N(mu,1).

    Parameters
    ----------
    mu
        The sensitivity over the standard deviation of the noise.
    neighbours
        Which tables the sensitivity is for: "replace-one" or "add-or-remove".
    """

    mu: float
    neighbours: Neighbours = REPLACE_ONE

    def __post_init__(self) -> None:
        validate.choice("neighbours", self.neighbours, NEIGHBOURS)
        fix = "Pass sensitivity / noise_std."
        object.__setattr__(self, "mu", validate.zero_or_within("mu", self.mu, 1e-100, 1e300, fix))

    @property
    def order_limit(self) -> float:
        """Every order is bounded."""
        return math.inf

    @property
    def loss_std(self) -> float:
        """The privacy loss is N(±mu²/2, mu²)."""
        return self.mu

    @property
    def curve_is_of_pair(self) -> bool:
        """True: N(0, 1) and N(mu, 1) are such a pair."""
        return True

    def rdp(self, alpha: float) -> float:
        """The divergence of two Gaussians: alpha mu²/2."""
        return guard.divergence(rdp.gaussian(self.mu, validate.order("alpha", alpha)))

    def log_delta(self, epsilon: float) -> float:
        """The exact Gaussian profile."""
        return gdp.log_delta(self.mu, epsilon)

    def reach(self, log_tail: float) -> float:
        """delta(epsilon) <= Phi(-a) <= e^{-a²/2}, a = epsilon/mu - mu/2."""
        return self.mu * (self.mu / 2 + math.sqrt(-2 * log_tail))

    def profile_at(self, epsilon: FloatArray) -> FloatArray:
        """The exact Gaussian profile."""
        return np.exp(gdp.log_profile(self.mu, epsilon))

    def for_larger_groups(self, size: int, neighbours: Neighbours | None) -> GaussianDP:
        """mu times the size, exactly."""
        return GaussianDP(guard.multiple(size, self.mu), neighbours or REPLACE_ONE)

    def describe(self) -> str:
        """The parameter, rounded up."""
        return f"{round_up(self.mu, 6)}-GDP"
