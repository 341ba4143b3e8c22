"""How the records of a step are drawn: two ways, each with its neighbours. Proof: proofs/sampling.md."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from relgauss.accounting.adjacency import ADD_OR_REMOVE, REPLACE_ONE, Neighbours
from relgauss.accounting.guarantees import Guarantee
from relgauss.accounting.poisson import PoissonSampled
from relgauss.accounting.sampled import checked_rate
from relgauss.accounting.subsample import Subsampled


@dataclass(frozen=True)
class Sampling(ABC):
    """A fresh draw of the records for each step; what is drawn is not published.

    Parameters
    ----------
    rate
        The part of the records that a draw holds, on average.
    """

    rate: float

    neighbours: ClassVar[Neighbours]
    condition: ClassVar[str]
    """What has to hold of the draws, in a sentence for a privacy statement."""
    theorem: ClassVar[str] = "proofs/sampling.md"

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", checked_rate(self.rate))

    @abstractmethod
    def of(self, guarantee: Guarantee) -> Guarantee:
        """What a step promises whose mechanism promises this on every draw."""

    def equivalent_mu(self, mu: float) -> float:
        """The mu of one step on draws that, over many steps, costs about as much as this mu on all records.

        By the central limit of small losses: mu'² = log(1 + (mu/rate)²).
        """
        return math.sqrt(math.log1p((mu / self.rate) ** 2))


@dataclass(frozen=True)
class Batches(Sampling):
    """Batches of a fixed size, drawn without replacement; for replaced records.

    Parameters
    ----------
    rate
        The size of a batch over the number of records.
    """

    neighbours = REPLACE_ONE
    condition = "each release draws a batch of this size anew, uniformly and without telling which"

    def of(self, guarantee: Guarantee) -> Subsampled:
        """The guarantee on a batch, subsampled."""
        return Subsampled(guarantee, self.rate)


@dataclass(frozen=True)
class PoissonSamples(Sampling):
    """Each record on its own, with this probability; for added or removed records.

    Parameters
    ----------
    rate
        The probability with which a record is drawn.
    """

    neighbours = ADD_OR_REMOVE
    condition = "each release draws every record anew with this probability, alone and without telling which"

    def of(self, guarantee: Guarantee) -> PoissonSampled:
        """The guarantee on a sample, sampled."""
        return PoissonSampled(guarantee, self.rate)
