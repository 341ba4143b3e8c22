"""The ways from whitened rows to a solution, behind one interface."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.budget import Budget
from relgauss.descent.descend import Average, Landscape, shrink
from relgauss.descent.step_size import step_size
from relgauss.estimate.whitening import Whitening
from relgauss.linear_model.budget_shares import Shares
from relgauss.linear_model.final_check import correct
from relgauss.linear_model.outcome import Degraded
from relgauss.linear_model.problem import Problem, Whitened
from relgauss.spending import Spending

_BALL = 10.0  # radius of the ball of iterates, in label scales: beyond any sensible model


@dataclass(frozen=True)
class Route(ABC):
    """Solve a whitened problem within a budget; ``clip_radius`` and ``rho`` are what the user knows."""

    budget: Budget
    clip_radius: float | None = None
    rho: float | None = None

    @property
    def mu(self) -> float:
        """What its Gaussian releases may spend together; public."""
        return self.budget.mu

    def refusal(self, problem: Problem, shares: Shares) -> Degraded | None:
        """Why public numbers rule this route out, if they do."""
        return None

    def open(self, problem: Problem, shares: Shares, rng: np.random.Generator | None) -> Spending:
        """What the whole fit may spend on Gaussian releases, and what is planned beside: all public."""
        return Spending(self.mu, rng)

    def directions(self, whitening: Whitening) -> Whitening:
        """The directions to solve in: all of them, unless a mechanism needs to know them well."""
        return whitening

    @abstractmethod
    def solve(self, problem: Whitened, spending: Spending, shares: Shares) -> FloatArray | Degraded:
        """The solution in whitened coordinates with all that is left, or why there is none."""


def landscape_of(problem: Whitened, relative_variance: float) -> Landscape:
    """Steps for the objective's curvature and the noise's growth, and a public ball."""
    scale = problem.label_scale if problem.objective.follows_label else 1.0
    return Landscape.of(step_size(problem.curvature, relative_variance), problem.regulariser, _BALL * scale)


def conclude(problem: Whitened, mean: Average, spending: Spending) -> FloatArray | Degraded:
    """Shrink the slopes, not the intercept, by the known noise; then check with all that is left."""
    slopes = problem.rows.columns - problem.has_intercept
    theta = np.concatenate([shrink(mean.theta[:slopes], mean.noise_std), mean.theta[slopes:]])
    if not problem.objective.follows_label:
        return theta
    found = correct(problem.rows, theta, problem.label_scale, spending, spending.left)
    if found.factor == 0:
        return Degraded("The features explain nothing that this budget can see.", "Use more records.")
    theta *= found.factor
    if problem.has_intercept:
        theta[-1] += found.shift
    return theta
