"""Descent on one quadratic: a single pass over the records, then steps on its moments."""

from __future__ import annotations

import math
from abc import abstractmethod

from relgauss.arrays import FloatArray
from relgauss.descent.descend import GradientMechanism, descend
from relgauss.descent.quadratic import PublicIterateGradients, Quadratic, clipped_quadratic
from relgauss.estimate.quantiles import Reach, find_reaches, norms
from relgauss.linear_model.budget_shares import Shares
from relgauss.linear_model.outcome import Degraded
from relgauss.linear_model.problem import Whitened
from relgauss.linear_model.solvers.base import Route, conclude, landscape_of
from relgauss.spending import Spending

STEPS, UNAVERAGED = 6, 2
_BEYOND_RADIUS = 0.05  # the part of whitened rows that are shortened


class QuadraticRoute(Route):
    """6 steps, the last 4 averaged; what each step's gradient costs is up to the mechanism."""

    def solve(self, problem: Whitened, spending: Spending, shares: Shares) -> FloatArray | Degraded:
        """Shorten rows, sum once, certify where needed, and descend on the moments."""
        radius = self._radius(problem, spending, shares.radius)
        quadratic = clipped_quadratic(problem.rows, radius, problem.label_scale)
        gradients = self._gradients(quadratic, spending, shares)
        if isinstance(gradients, Degraded):
            return gradients
        landscape = landscape_of(problem, gradients.relative_variance)
        return conclude(problem, descend(gradients, landscape, problem.start, STEPS, UNAVERAGED), spending)

    def _radius(self, problem: Whitened, spending: Spending, share: float) -> float:
        if self.clip_radius is not None:
            return self.clip_radius
        reach = Reach(norms, 10 * math.sqrt(problem.rows.columns), 30.0, _BEYOND_RADIUS)
        return find_reaches("whitened norms", problem.rows, [reach], spending, share)[0]

    @abstractmethod
    def _gradients(
        self, quadratic: Quadratic, spending: Spending, shares: Shares
    ) -> GradientMechanism | Degraded:
        """The mechanism, for all that is left but the check."""


class PublicIterateRoute(QuadraticRoute):
    """Iterates are public, so their gradients' absolute sensitivity is: no certificate is needed."""

    def _gradients(
        self, quadratic: Quadratic, spending: Spending, shares: Shares
    ) -> GradientMechanism | Degraded:
        return PublicIterateGradients(quadratic, spending, (spending.left - shares.check) / STEPS)
