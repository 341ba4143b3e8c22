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
from functools import cached_property

import numpy as np

from relgauss import validate
from relgauss.accounting import gdp, guard, rdp
from relgauss.accounting.adjacency import NEIGHBOURS, REPLACE_ONE, Neighbours, Order
from relgauss.accounting.convert import rdp_to_epsilon
from relgauss.accounting.gaussian_pair import GaussianPair
from relgauss.arrays import FloatArray
from relgauss.errors import NoGuaranteeError
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
        """Of N(0, 1) and N(mu, 1)."""
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


@dataclass(frozen=True)
class GaussianPairDP(Guarantee):
    """Neighbours look like N(0, v I_d) and N(c e_1, I_d), in either order, with c <= shift, v - 1 <= excess.

    The profile's supremum over that box is the largest of three: v = 1, and v = 1 + excess in both
    orders, each at c = shift. Proof: proofs/exact-pair.md.

    Parameters
    ----------
    shift
        The largest distance of the two means, in standard deviations of the narrower one.
    excess
        By how much the wider variance exceeds the narrower, relative to the narrower, at most.
    dim
        The number of coordinates d.
    neighbours
        Which tables the box is for: "replace-one" or "add-or-remove".
    """

    shift: float
    excess: float
    dim: int
    neighbours: Neighbours = REPLACE_ONE

    def __post_init__(self) -> None:
        validate.choice("neighbours", self.neighbours, NEIGHBOURS)
        object.__setattr__(self, "dim", validate.count("dim", self.dim))
        validate.positive("excess", self.excess, "Pass (1+eta)² - 1; without excess use GaussianDP.")
        excess = validate.rounded_up("excess", self.excess, "Pass (1+eta)² - 1.")
        shift = validate.rounded_up("shift", self.shift, "Pass eta/sqrt(gamma).")
        # A larger box is always sound: this one keeps the centre c/k of the loss representable.
        object.__setattr__(self, "excess", max(excess, 1e-12))
        object.__setattr__(self, "shift", max(shift, 1e-40 * self.excess))

    @cached_property
    def pair(self) -> GaussianPair:
        """The corner of the box that the Rényi divergence is worst at."""
        return GaussianPair(self.shift, self.excess, self.dim)

    @property
    def order_limit(self) -> float:
        """v/(v-1): from there on the divergence is infinite."""
        return 1 + 1 / self.excess

    @property
    def loss_std(self) -> float:
        """By the divergence near order one, which is half the variance of a small loss."""
        return math.hypot(self.shift, math.sqrt(self.dim / 2) * self.excess)

    def rdp(self, alpha: float) -> float:
        """The exact divergence of the worst pair."""
        return guard.divergence(self.pair.renyi(validate.order("alpha", alpha)))

    def log_delta(self, epsilon: float) -> float:
        """The exact profile of the box."""
        found = (
            gdp.log_delta(self.shift, epsilon),
            self.pair.log_hockey_stick(epsilon, "forward"),
            self.pair.log_hockey_stick(epsilon, "reverse"),
        )
        return max(map(guard.log_delta, found))  # a plain maximum would pass over NaN

    def reach(self, log_tail: float) -> float:
        """By the Rényi curve, which is quick to read."""
        return rdp_to_epsilon(self.pair.renyi, self.order_limit, math.exp(max(log_tail, -700.0)))[1]

    def profile_at(self, epsilon: FloatArray) -> FloatArray:
        """The exact profile of the box: a maximum of convex functions, so convex itself."""
        forward = self.pair.profile(epsilon, "forward")
        reverse = self.pair.profile(epsilon, "reverse")
        equal = np.exp(gdp.log_profile(self.shift, epsilon))
        return np.maximum(np.maximum(forward, reverse), equal)

    def for_larger_groups(self, size: int, neighbours: Neighbours | None) -> GaussianPairDP:
        """A larger box: v^size, and c (1 + v^½ + ... + v^{(size-1)/2}), as stds grow on the way."""
        log_std = math.log1p(self.excess) / 2
        growth = math.expm1(size * log_std) / math.expm1(log_std)
        excess = math.expm1(2 * size * log_std)
        if not growth < 1e300 or not excess < 1e300:
            raise NoGuaranteeError(
                "A group of this size has no box that numbers can hold.", "Take a smaller one."
            )
        up = 1 + 1e-13 * size
        return GaussianPairDP(self.shift * growth * up, excess * up, self.dim, neighbours or REPLACE_ONE)

    def describe(self) -> str:
        """The corner of the box."""
        shift, excess = round_up(self.shift, 6), round_up(self.excess, 6)
        return f"Gaussian pair (shift {shift}, variance excess {excess}, dim {self.dim})"
