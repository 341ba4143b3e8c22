"""Concentrated differential privacy: D(alpha) <= rho alpha for 1 < alpha < omega, which may be infinite.

Composition adds rho and takes the smaller omega. Proof: proofs/conversions.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from relgauss import validate
from relgauss.accounting import guard
from relgauss.accounting.adjacency import NEIGHBOURS, REPLACE_ONE, Neighbours
from relgauss.accounting.convert import rdp_to_epsilon
from relgauss.accounting.guarantees import Guarantee
from relgauss.accounting.renyi import RenyiDP
from relgauss.accounting.renyi_curves import RenyiSum
from relgauss.arrays import FloatArray
from relgauss.errors import InvalidParameterError, NoGuaranteeError
from relgauss.rounding import round_down, round_up


@dataclass(frozen=True)
class TruncatedConcentratedDP(Guarantee):
    """(rho, omega)-tCDP; omega = inf is zero-concentrated differential privacy.

    Parameters
    ----------
    rho
        The slope of the Rényi curve.
    omega
        The order at which the curve ends; infinity where it does not.
    neighbours
        Which tables it is about: "replace-one" or "add-or-remove".
    """

    rho: float
    omega: float = math.inf
    neighbours: Neighbours = REPLACE_ONE

    def __post_init__(self) -> None:
        validate.choice("neighbours", self.neighbours, NEIGHBOURS)
        fix = "Pass the slope of the Rényi curve."
        object.__setattr__(self, "rho", validate.rounded_up("rho", self.rho, fix))
        fix = "Pass the order at which the curve ends, or infinity."
        object.__setattr__(self, "omega", validate.order_limit("omega", self.omega, fix))

    @property
    def order_limit(self) -> float:
        """Orders below this one are bounded."""
        return self.omega

    @property
    def only_renyi(self) -> bool:
        """Nothing but the curve is known."""
        return True

    @property
    def loss_std(self) -> float:
        """As if the loss were Gaussian: rho = std²/2."""
        return math.sqrt(2 * self.rho)

    def rdp(self, alpha: float) -> float:
        """The bound rho alpha below omega, infinite from there on."""
        alpha = validate.order("alpha", alpha)
        return guard.divergence(self.rho * alpha * (1 + 1e-15)) if alpha < self.omega else math.inf

    def log_delta(self, epsilon: float) -> float:
        """By the tight Rényi conversion."""
        return -math.inf if self.rho == 0 else self._as_curve.log_delta(epsilon)

    def profile_at(self, epsilon: FloatArray) -> FloatArray:
        """The greatest convex profile that the curve allows."""
        return self._as_curve.profile_at(epsilon)

    def reach(self, log_tail: float) -> float:
        """By the tight Rényi conversion."""
        return self._as_curve.reach(log_tail)

    def then(self, other: TruncatedConcentratedDP) -> TruncatedConcentratedDP:
        """This guarantee composed with ``other``."""
        if not isinstance(other, TruncatedConcentratedDP) or other.neighbours != self.neighbours:
            raise InvalidParameterError(
                "other",
                other,
                "a TruncatedConcentratedDP for the same neighbours",
                "Compose unlike ones by compose().",
            )
        rho = guard.total((self.rho, other.rho))
        if rho == math.inf:
            raise NoGuaranteeError("The slopes add up to infinity.", "Compose fewer of them.")
        return TruncatedConcentratedDP(rho, min(self.omega, other.omega), self.neighbours)

    def epsilon(self, delta: float) -> float:
        """The epsilon at this delta, by the tight Rényi conversion."""
        delta = validate.probability("delta", delta)
        return rdp_to_epsilon(self.rdp, self.omega, delta)[1]

    def delta(self, epsilon: float) -> float:
        """The delta at this epsilon, by the tight Rényi conversion."""
        epsilon = validate.nonnegative("epsilon", epsilon, "Pass the epsilon to read delta at.")
        return guard.exp_up(self.log_delta(epsilon)) if self.rho > 0 else 0.0

    def for_larger_groups(self, size: int, neighbours: Neighbours | None) -> TruncatedConcentratedDP:
        """(k² rho, omega/k) for a group of k (Bun, Steinke 2016, Proposition 1.9; proofs/neighbours.md)."""
        omega = self.omega / size * (1 - 1e-15)
        if not omega > 1:
            raise NoGuaranteeError("For a group of this size no order is bounded.", "Take a smaller one.")
        return TruncatedConcentratedDP(guard.product(self.rho, size, size), omega, neighbours or REPLACE_ONE)

    def describe(self) -> str:
        """The parameters, rounded towards privacy."""
        if self.omega == math.inf:
            return f"{round_up(self.rho, 6)}-zCDP"
        return f"({round_up(self.rho, 6)}, {round_down(self.omega, 6)})-tCDP"

    @cached_property
    def _as_curve(self) -> RenyiDP:
        return RenyiDP(RenyiSum(((self, 1),)), self.neighbours)


def ZeroConcentratedDP(rho: float, neighbours: Neighbours = REPLACE_ONE) -> TruncatedConcentratedDP:  # noqa: N802 - reads as the guarantee it makes
    """rho-zCDP, which is (rho, infinity)-tCDP: D(alpha) <= rho alpha at every order.

    Parameters
    ----------
    rho
        The slope of the Rényi curve.
    neighbours
        Which tables it is about: "replace-one" or "add-or-remove".
    """
    return TruncatedConcentratedDP(rho, neighbours=neighbours)
