"""Descent on gradients that are clipped record by record: the default."""

from __future__ import annotations

import math

import numpy as np

from relgauss.descent.clipped_gradients import ClippedGradients
from relgauss.descent.descend import Descended, descend, shrink
from relgauss.descent.solution_noise import NoiseShares, find_covariance
from relgauss.linear_model.budget_shares import SCHEDULES
from relgauss.linear_model.outcome import Degraded
from relgauss.linear_model.problem import Found, WhitenedProblem
from relgauss.linear_model.solvers.base import Solver, landscape_of
from relgauss.spending import Spending


class ClippedSolver(Solver):
    """Steps with per-record clipping, all but the first averaged; a pass over the records each.

    Proof: proofs/regression.md.
    """

    @property
    def mu(self) -> float:
        """The whole budget's, as all releases are Gaussian."""
        return self.budget.mu

    def solve(self, whitened: WhitenedProblem, spending: Spending) -> Found | Degraded:
        """Descend and average; of a regression, find how far that may be from the truth."""
        objective, shares = whitened.objective, self.shares
        schedule = SCHEDULES[objective.name]
        kept = shares.check + (shares.intervals if objective.follows_label else 0.0)
        expected_norm = math.sqrt(float(whitened.signal.sum()) + 1)
        gradients = ClippedGradients(
            whitened.rows,
            objective,
            whitened.label_scale * expected_norm,
            spending,
            (spending.left - shares.gradient_norms - kept) / schedule.steps,
            shares.gradient_norms,
            schedule.norm_steps,
            schedule.steps - schedule.unaveraged,
        )
        landscape = landscape_of(whitened, gradients.relative_variance)
        end = descend(gradients, landscape, whitened.start, schedule.steps, schedule.unaveraged)
        if not objective.follows_label:
            return _shrunk(whitened, end)
        assert isinstance(end.last, ClippedGradients)
        clip_threshold = end.last.clip_threshold
        covariance = find_covariance(
            whitened.rows,
            objective,
            end,
            landscape,
            clip_threshold,
            expected_norm,
            spending,
            NoiseShares(shares.curvature, shares.scatter),
        )
        return Found(end.average.theta, clip_threshold, covariance)


def _shrunk(whitened: WhitenedProblem, end: Descended) -> Found:
    """The slopes of a classifier, not its intercept, shrunk by the known noise."""
    theta, slopes = end.average.theta, whitened.slopes
    return Found(np.concatenate([shrink(theta[:slopes], end.average.noise_std), theta[slopes:]]))
