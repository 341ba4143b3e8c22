"""The two outcomes of a certificate; whatever was spent on it is spent either way."""

from __future__ import annotations

from dataclasses import dataclass

from relgauss import refused, validate
from relgauss.budget import Charge

STAGE, THEOREM = "certificate", "proofs/certificates.md"  # of the charges


@dataclass(frozen=True)
class Certified:
    """The least eigenvalue is at least ``rho`` for the data and for every neighbour.

    Attributes
    ----------
    rho : float
        The bound: true except with the probability that is charged for it.
    charges : tuple of Charge
        What the certificate cost, unless it was charged elsewhere.
    simulated : bool
        Whether its noise was simulated, so that nothing was private.
    """

    rho: float
    charges: tuple[Charge, ...] = ()
    simulated: bool = False

    def __post_init__(self) -> None:
        fix = "A bound that is not positive is no certificate."
        object.__setattr__(self, "rho", validate.positive("rho", self.rho, fix))


@dataclass(frozen=True)
class Refused(refused.Refused):
    """No certificate. What was spent on the attempt stays spent.

    Attributes
    ----------
    reason : str
        Why there is none.
    fix : str
        What would give one.
    charges : tuple of Charge
        What the attempt cost, unless it was charged elsewhere.
    simulated : bool
        Whether its noise was simulated, so that nothing was private.
    """

    charges: tuple[Charge, ...] = ()
    simulated: bool = False
