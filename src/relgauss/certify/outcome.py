"""The two outcomes of a certificate; both were paid for."""

from __future__ import annotations

from dataclasses import dataclass

from relgauss import validate
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
class Refused:
    """No certificate: why, and what would give one. What was spent on the attempt stays spent."""

    reason: str
    fix: str
    charges: tuple[Charge, ...] = ()
    simulated: bool = False
