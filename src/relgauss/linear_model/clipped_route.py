"""Descent on gradients that are clipped record by record: the default."""

from __future__ import annotations

import math

from relgauss.arrays import FloatArray
from relgauss.descent.clipped import ClippedGradients
from relgauss.descent.descend import State
from relgauss.estimate.spending import Noisy, Spending
from relgauss.linear_model.check import correct
from relgauss.linear_model.outcome import Degraded
from relgauss.linear_model.plan import SCHEDULES, Shares
from relgauss.linear_model.problem import Whitened
from relgauss.linear_model.routes import Route, conclude, landscape_of


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
            shares.norms / len(schedule.looks),
            schedule.steps - schedule.unaveraged,
        )
        landscape = landscape_of(problem, gradients.relative_variance)
        state, points, noise = State(problem.start), [], []
        released: Noisy | None = None
        for step in range(schedule.steps):
            if step in schedule.looks:
                gradients = gradients.look(state.theta)
            released = gradients.release(state.theta, released)
            state = landscape.advance(state, released.value)
            if step >= schedule.unaveraged:
                points.append(state.theta)
                noise.append(released.noise_std)
        theta = conclude(problem, points, noise, landscape.step)
        if not objective.follows_label:
            return theta
        found = correct(problem.rows, theta, problem.label_scale, spending, spending.left)
        if found.factor == 0:
            return Degraded("The features explain nothing that this budget can see.", "Use more records.")
        theta = found.factor * theta
        if problem.has_intercept:
            theta[-1] += found.shift
        return theta
