"""Descent with the noise that public points allow: no certificate is needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from relgauss.arrays import FloatArray
from relgauss.descent.clipped_gradients import GRADIENTS
from relgauss.descent.descend import GradientMechanism, State
from relgauss.descent.quadratic import Quadratic
from relgauss.linear_model.outcome import Degraded
from relgauss.linear_model.solvers.quadratic import QuadraticSolver
from relgauss.spending import Noisy, Spending


@dataclass(frozen=True, eq=False)
class PublicIterateGradients:
    """Plain Gaussian noise at the sensitivity that a public θ has: (R² ||θ|| + 2 R Y)/n."""

    quadratic: Quadratic
    spending: Spending
    step_share: float
    relative_variance: float = 0.0

    def at(self, state: State) -> Self:
        """This mechanism itself: it is the same at every step."""
        return self

    def release(self, theta: FloatArray, before: Noisy | None) -> Noisy:
        """Release minus the gradient at theta."""
        return self.spending.release(GRADIENTS, self.quadratic.bounded_pull(theta), self.step_share)


class PublicIterateSolver(QuadraticSolver):
    """Noise for the absolute bound at each point: points of descent are public, so the bound there is too."""

    @property
    def mu(self) -> float:
        """The whole budget's, as all releases are Gaussian."""
        return self.budget.mu

    def _gradients(self, quadratic: Quadratic, spending: Spending) -> GradientMechanism | Degraded:
        return PublicIterateGradients(quadratic, spending, self._step_share(spending))
