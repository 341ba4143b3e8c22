"""Descent on gradients that are clipped record by record: the default."""

from __future__ import annotations

import math

from relgauss.arrays import FloatArray
from relgauss.descent.clipped_gradients import ClippedGradients
from relgauss.descent.descend import descend
from relgauss.linear_model.budget_shares import SCHEDULES
from relgauss.linear_model.outcome import Degraded
from relgauss.linear_model.problem import WhitenedProblem
from relgauss.linear_model.solvers.base import Solver, conclude, landscape_of
from relgauss.spending import Spending


class ClippedSolver(Solver):
    """Steps with per-record clipping, all but the first averaged; a pass over the records each.

    Proof: proofs/regression.md.
    """

    @property
    def mu(self) -> float:
        """The whole budget's, as all releases are Gaussian."""
        return self.budget.mu

    def solve(self, whitened: WhitenedProblem, spending: Spending) -> FloatArray | Degraded:
        """Descend, average, shrink by the known noise, and check."""
        objective, shares = whitened.objective, self.shares
        schedule = SCHEDULES[objective.name]
        check = shares.check if objective.follows_label else 0.0
        gradients = ClippedGradients(
            whitened.rows,
            objective,
            whitened.label_scale * math.sqrt(float(whitened.signal.sum()) + 1),
            spending,
            (spending.left - shares.gradient_norms - check) / schedule.steps,
            shares.gradient_norms,
            schedule.norm_steps,
            schedule.steps - schedule.unaveraged,
        )
        landscape = landscape_of(whitened, gradients.relative_variance)
        mean = descend(gradients, landscape, whitened.start, schedule.steps, schedule.unaveraged)
        return conclude(whitened, mean, spending)
