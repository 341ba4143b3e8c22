"""The guarantee of noise whose size follows the answer: neighbours look like two Gaussians of unlike widths.

Proof: proofs/exact-pair.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from relgauss import validate
from relgauss.accounting import gdp, guard
from relgauss.accounting.adjacency import NEIGHBOURS, REPLACE_ONE, Neighbours
from relgauss.accounting.convert import rdp_to_epsilon
from relgauss.accounting.gaussian_pair import GaussianPair
from relgauss.accounting.guarantees import Guarantee
from relgauss.arrays import FloatArray
from relgauss.errors import NoGuaranteeError
from relgauss.rounding import round_up


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
        """The largest shift and variance excess, rounded up, and the dimension."""
        shift, excess = round_up(self.shift, 6), round_up(self.excess, 6)
        return f"Gaussian pair (shift {shift}, variance excess {excess}, dim {self.dim})"
