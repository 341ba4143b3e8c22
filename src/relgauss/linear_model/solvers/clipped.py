"""Descent on gradients that are clipped record by record: the default."""

from __future__ import annotations

import math

import numpy as np

from relgauss.descent.clipped_gradients import ClippedGradients
from relgauss.descent.descend import descend, shrink
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
        """Descend and average; find how far that may be from the truth."""
        objective, shares = whitened.objective, self.shares
        schedule = SCHEDULES[objective.name]
        kept = shares.check + shares.intervals
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
        assert isinstance(end.last, ClippedGradients)
        clip_threshold = end.last.clip_threshold
        covariance = find_covariance(
            whitened.rows,
            objective,
            end,
            landscape,
            clip_threshold,
            expected_norm,
            objective.curvature(whitened.mean_label),
            spending,
            NoiseShares(shares.curvature, shares.scatter),
        )
        found = Found(end.average.theta, clip_threshold, covariance)
        return found if objective.follows_label else _shrunk(whitened, found, end.average.noise_std)


def _shrunk(whitened: WhitenedProblem, found: Found, noise_std: float) -> Found:
    """The slopes of a classifier, not its intercept, shrunk by the known noise.

    By how much is a bias, at most, and counts as one more error.
    """
    theta = found.theta.reshape(whitened.objective.outputs, -1).copy()
    slopes = theta[:, : whitened.slopes]
    slopes[:] = shrink(slopes.ravel(), noise_std).reshape(slopes.shape)
    shrunk = theta.ravel()
    bias = found.theta - shrunk
    assert found.covariance is not None
    return Found(shrunk, found.clip_threshold, found.covariance + np.outer(bias, bias))
