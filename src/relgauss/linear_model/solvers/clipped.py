"""Descent on gradients that are clipped record by record: the default."""

from __future__ import annotations

import math

from relgauss.arrays import FloatArray
from relgauss.descent.clipped_gradients import ClippedGradients
from relgauss.descent.descend import descend
from relgauss.linear_model.budget_shares import SCHEDULES, Shares
from relgauss.linear_model.outcome import Degraded
from relgauss.linear_model.problem import Whitened
from relgauss.linear_model.solvers.base import Route, conclude, landscape_of
from relgauss.spending import Spending


class ClippedRoute(Route):
    """Steps with per-record clipping, all but the first averaged; a pass over the records each.

    All its releases are Gaussian, so the whole budget is one mu. Proof: proofs/regression.md.
    """

    def solve(self, problem: Whitened, spending: Spending, shares: Shares) -> FloatArray | Degraded:
        """Descend, average, shrink by the known noise, and check."""
        objective, schedule = problem.objective, SCHEDULES[problem.objective.name]
        check = shares.check if objective.follows_label else 0.0
        gradients = ClippedGradients(
            problem.rows,
            objective,
            problem.label_scale * math.sqrt(float(problem.shares.sum()) + 1),
            spending,
            (spending.left - shares.norms - check) / schedule.steps,
            shares.norms,
            schedule.looks,
            schedule.steps - schedule.unaveraged,
        )
        landscape = landscape_of(problem, gradients.relative_variance)
        mean = descend(gradients, landscape, problem.start, schedule.steps, schedule.unaveraged)
        return conclude(problem, mean, spending)
