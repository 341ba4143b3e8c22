"""What mechanisms are compared for: a privacy target, a dimension, and the norm of the answer."""

from __future__ import annotations

from dataclasses import dataclass

from relgauss.mechanisms import Mechanism
from relgauss.mechanisms.target import Target
from relgauss.report.wording import number


@dataclass(frozen=True)
class Question:
    """A privacy target for answers of this dimension, and the norm at which errors are read.

    ``norm=None`` is the scale-dominated limit.
    """

    dim: int
    epsilon: float
    delta: float
    steps: int = 1
    norm: float | None = None

    @property
    def target(self) -> Target:
        """The privacy target, as calibration takes it."""
        return Target(self.epsilon, self.delta, self.steps)

    def relative_error(self, mechanism: Mechanism) -> float:
        """The root-mean-square error as a part of the answer's norm."""
        if self.norm is None:
            return mechanism.limiting_relative_error
        return mechanism.rms_error(self.norm) / self.norm

    def text(self) -> str:
        """The target in one line."""
        releases = "1 release" if self.steps == 1 else f"{self.steps} releases"
        budget = f"epsilon {number(self.epsilon)} at delta {number(self.delta)}"
        return f"{budget}, {releases} of dimension {self.dim}"
