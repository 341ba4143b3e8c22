"""What a mechanism is calibrated to."""

from __future__ import annotations

import math
from dataclasses import dataclass

from relgauss import validate
from relgauss.accounting import gdp


@dataclass(frozen=True)
class Target:
    """(epsilon, delta) for all releases together.

    Parameters
    ----------
    epsilon, delta
        What the releases may cost.
    steps
        How many releases there are.
    """

    epsilon: float
    delta: float
    steps: int = 1

    def __post_init__(self) -> None:
        fix = "Pass a positive epsilon such as 1.0."
        object.__setattr__(self, "epsilon", validate.positive("epsilon", self.epsilon, fix))
        object.__setattr__(self, "delta", validate.probability("delta", self.delta))
        object.__setattr__(self, "steps", validate.count("steps", self.steps))

    @property
    def mu_per_step(self) -> float:
        """The GDP parameter that each release may have if all are Gaussian, rounded down."""
        # The factor leads past the last step of any search.
        return gdp.mu(self.epsilon, self.delta) / math.sqrt(self.steps) * (1 - 1e-12)
