"""The two outcomes of a certificate; both were paid for."""

from __future__ import annotations

from dataclasses import dataclass

from relgauss import refused, validate
from relgauss.budget import Charge


@dataclass(frozen=True)
class Certified:
    """The least eigenvalue is at least ``rho`` for the data and for every neighbour.

    True except with the probability that ``charges`` state; ``simulated`` says that nothing was private.
    """

    rho: float
    charges: tuple[Charge, ...] = ()
    simulated: bool = False

    def __post_init__(self) -> None:
        fix = "A bound that is not positive is no certificate."
        object.__setattr__(self, "rho", validate.positive("rho", self.rho, fix))


@dataclass(frozen=True)
class Refused(refused.Refused):
    """No certificate: why, and what would give one. What was spent on the attempt stays spent.

    Attributes
    ----------
    charges
        What the attempt has spent.
    simulated
        Whether its noise came from a seed, so that nothing was private.
    """

    charges: tuple[Charge, ...] = ()
    simulated: bool = False
