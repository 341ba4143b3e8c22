"""Privacy guarantees of one use of a mechanism, as frozen values.

Each knows its Rényi curve, how it may fail outright (``leak``, ``failure``) and, apart from that, a
symmetric dominating profile H(epsilon) = sup over neighbours, in both orders, of the hockey-stick
divergence. Composition needs nothing else. Proof: proofs/composition.md.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from relgauss import validate
from relgauss.accounting import gdp, guard, rdp
from relgauss.accounting.gaussian_pair import GaussianPair
from relgauss.arrays import FloatArray, grid
from relgauss.rounding import round_up


class Guarantee(ABC):
    """What one use of a mechanism promises about replacing one record."""

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

    @abstractmethod
    def profile(self, gap: float, count: int) -> FloatArray:
        """The profile at epsilon = 0, gap, ..., count·gap, apart from the leak, rounded up."""

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
    """

    mu: float

    def __post_init__(self) -> None:
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

    def rdp(self, alpha: float) -> float:
        """The divergence of two Gaussians: alpha mu²/2."""
        return guard.divergence(rdp.gaussian(self.mu, validate.order("alpha", alpha)))

    def log_delta(self, epsilon: float) -> float:
        """The exact Gaussian profile."""
        return gdp.log_delta(self.mu, epsilon)

    def profile(self, gap: float, count: int) -> FloatArray:
        """The exact Gaussian profile."""
        return np.exp(gdp.log_profile(self.mu, grid(gap, count)))

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
    """

    shift: float
    excess: float
    dim: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "dim", validate.count("dim", self.dim))
        excess = validate.positive("excess", self.excess, "Pass (1+eta)² - 1; without excess use GaussianDP.")
        shift = validate.nonnegative("shift", self.shift, "Pass eta/sqrt(gamma).")
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

    def profile(self, gap: float, count: int) -> FloatArray:
        """The exact profile of the box: a maximum of convex functions, so convex itself."""
        forward = self.pair.profile(gap, count, "forward")
        reverse = self.pair.profile(gap, count, "reverse")
        equal = np.exp(gdp.log_profile(self.shift, grid(gap, count)))
        return np.maximum(np.maximum(forward, reverse), equal)

    def describe(self) -> str:
        """The corner of the box."""
        shift, excess = round_up(self.shift, 6), round_up(self.excess, 6)
        return f"Gaussian pair (shift {shift}, variance excess {excess}, dim {self.dim})"
