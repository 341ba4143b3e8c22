"""What a mechanism is calibrated to: a privacy target, and what is spent beside the mechanism."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from relgauss import validate
from relgauss.accounting import gdp
from relgauss.accounting.compose import Composition, Part, compose
from relgauss.accounting.guarantees import Guarantee
from relgauss.accounting.sampling import Sampling
from relgauss.errors import InvalidParameterError


class Accounted(Protocol):
    """What promises something per release and knows what several of them cost."""

    @property
    def guarantee(self) -> Guarantee:
        """The promise of one release."""

    def epsilon(self, delta: float, steps: int = 1) -> float:
        """What this many releases cost."""


@dataclass(frozen=True)
class Target:
    """(epsilon, delta) for all releases together, and for all that the same budget pays for.

    Parameters
    ----------
    epsilon, delta
        What the releases may cost.
    steps
        How many releases there are.
    beside
        What else the same budget pays for: guarantees, mechanisms, charges or statements, and pairs
        (part, times).
    sampling
        How the records of each release are drawn: ``Batches(rate)`` or ``PoissonSamples(rate)``; None if it
        is about all of them.
    """

    epsilon: float
    delta: float
    steps: int = 1
    beside: tuple[Part, ...] = ()
    sampling: Sampling | None = None

    def __post_init__(self) -> None:
        fix = "Pass a positive epsilon such as 1.0."
        object.__setattr__(self, "epsilon", validate.positive("epsilon", self.epsilon, fix))
        object.__setattr__(self, "delta", validate.probability("delta", self.delta))
        object.__setattr__(self, "steps", validate.count("steps", self.steps))
        if not isinstance(self.beside, tuple | list):
            raise InvalidParameterError(
                "beside",
                self.beside,
                "a sequence of guarantees or charges",
                "Pass for example [PureDP(0.1)].",
            )
        object.__setattr__(self, "beside", compose(*self.beside).uses)
        if self.sampling is not None and not isinstance(self.sampling, Sampling):
            raise InvalidParameterError(
                "sampling",
                self.sampling,
                "Batches, PoissonSamples or None",
                "Pass for example Batches(0.01).",
            )

    @property
    def is_plain(self) -> bool:
        """Whether releases about all records are all that there is."""
        return not self.beside and self.sampling is None

    @property
    def mu_per_step(self) -> float:
        """The GDP parameter of each release about all records, if all are Gaussian, rounded down."""
        # The factor leads past the last step of any search.
        return gdp.mu(self.epsilon, self.delta) / math.sqrt(self.steps) * (1 - 1e-12)

    @property
    def guessed_signal(self) -> float:
        """About the mu that a Gaussian release may have, drawn records considered: where a search begins."""
        mu = self.mu_per_step
        return mu if self.sampling is None else self.sampling.equivalent_mu(mu)

    def spent_by(self, mechanism: Accounted) -> float:
        """The epsilon of all steps with a ``mechanism``, and of what is spent beside them."""
        if self.is_plain:
            return mechanism.epsilon(self.delta, self.steps)
        return self.composed(mechanism).epsilon(self.delta)

    def composed(self, mechanism: Accounted) -> Composition:
        """All releases with a ``mechanism``, and what else is paid for."""
        once = mechanism.guarantee if self.sampling is None else self.sampling.of(mechanism.guarantee)
        return compose((once, self.steps), *self.beside)
