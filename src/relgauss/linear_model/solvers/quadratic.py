"""Descent on one quadratic: a single pass over the records, then steps on its moments."""

from __future__ import annotations

from abc import abstractmethod

from relgauss.descent.descend import GradientMechanism, descend
from relgauss.descent.quadratic import Quadratic, clipped_quadratic
from relgauss.estimate.quantiles import find_quantiles, whitened_norm_quantile
from relgauss.linear_model.outcome import Degraded
from relgauss.linear_model.problem import Found, WhitenedProblem
from relgauss.linear_model.solvers.base import Solver, landscape_of
from relgauss.spending import Spending

STEPS, UNAVERAGED = 6, 2
_CLIPPED_PART = 0.05  # of whitened rows


class QuadraticSolver(Solver):
    """6 steps, the last 4 averaged; what each step's gradient costs is up to the mechanism."""

    def solve(self, whitened: WhitenedProblem, spending: Spending) -> Found | Degraded:
        """Clip rows, sum once, certify where needed, and descend on the moments."""
        clip_radius = self._clip_radius(whitened, spending)
        quadratic = clipped_quadratic(whitened.rows, clip_radius, whitened.label_scale)
        gradients = self._gradients(quadratic, spending)
        if isinstance(gradients, Degraded):
            return gradients
        landscape = landscape_of(whitened, gradients.relative_variance)
        end = descend(gradients, landscape, whitened.start, STEPS, UNAVERAGED)
        return Found(end.average.theta)

    def _clip_radius(self, whitened: WhitenedProblem, spending: Spending) -> float:
        """The one that the user knows, or a released quantile."""
        if self.problem.known.clip_radius is not None:
            return self.problem.known.clip_radius
        quantile = whitened_norm_quantile(whitened.rows.columns, _CLIPPED_PART)
        share = self.shares.whitened_norms
        return find_quantiles("whitened norms", whitened.rows, [quantile], spending, share)[0]

    def _step_share(self, spending: Spending) -> float:
        """What is left for each step, beside the final check."""
        return (spending.left - self.shares.check) / STEPS

    @abstractmethod
    def _gradients(self, quadratic: Quadratic, spending: Spending) -> GradientMechanism | Degraded:
        """The mechanism, for all that is left but the check."""
