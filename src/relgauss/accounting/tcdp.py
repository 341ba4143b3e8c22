"""Truncated concentrated differential privacy: D(alpha) <= rho alpha for 1 < alpha < omega.

Composition adds rho and takes the smaller omega. Proof: proofs/conversions.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from relgauss import validate
from relgauss.accounting import guard
from relgauss.accounting.convert import rdp_to_epsilon, rdp_to_log_delta
from relgauss.errors import InvalidParameterError, NoGuaranteeError


@dataclass(frozen=True)
class TruncatedConcentratedDP:
    """(rho, omega)-tCDP; omega = inf is zero-concentrated differential privacy.

    Parameters
    ----------
    rho
        The slope of the Rényi curve.
    omega
        The order at which the curve ends; infinity where it does not.
    """

    rho: float
    omega: float = math.inf

    def __post_init__(self) -> None:
        fix = "Pass the slope of the Rényi curve."
        object.__setattr__(self, "rho", validate.nonnegative("rho", self.rho, fix))
        if self.omega != math.inf:
            fix = "Pass the order at which the curve ends, or infinity."
            omega = validate.number("omega", self.omega, fix)
            if not omega > 1:
                raise InvalidParameterError("omega", self.omega, "above 1", fix)
            object.__setattr__(self, "omega", omega)

    @property
    def order_limit(self) -> float:
        """Orders below this one are bounded."""
        return self.omega

    def rdp(self, alpha: float) -> float:
        """The bound rho alpha below omega, infinite from there on."""
        alpha = validate.order("alpha", alpha)
        return guard.divergence(self.rho * alpha * (1 + 1e-15)) if alpha < self.omega else math.inf

    def then(self, other: TruncatedConcentratedDP) -> TruncatedConcentratedDP:
        """This guarantee composed with another."""
        if not isinstance(other, TruncatedConcentratedDP):
            raise InvalidParameterError(
                "other", other, "a TruncatedConcentratedDP", "Compose unlike ones by compose()."
            )
        rho = guard.total((self.rho, other.rho))
        if rho == math.inf:
            raise NoGuaranteeError("The slopes add up to infinity.", "Compose fewer of them.")
        return TruncatedConcentratedDP(rho, min(self.omega, other.omega))

    def epsilon(self, delta: float) -> float:
        """The epsilon at this delta, by the tight Rényi conversion."""
        delta = validate.probability("delta", delta)
        return rdp_to_epsilon(self.rdp, self.omega, delta)[1]

    def delta(self, epsilon: float) -> float:
        """The delta at this epsilon, by the tight Rényi conversion."""
        epsilon = validate.nonnegative("epsilon", epsilon, "Pass the epsilon to read delta at.")
        log_delta = rdp_to_log_delta(self.rdp, self.omega, epsilon)[1]
        return guard.delta(guard.exp_up(log_delta))
