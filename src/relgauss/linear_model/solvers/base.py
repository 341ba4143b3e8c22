"""A way from whitened rows to a solution, behind one interface."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from relgauss.accounting import GaussianDP
from relgauss.budget import Budget
from relgauss.descent.descend import Landscape, largest_step
from relgauss.estimate.whitening import Whitening
from relgauss.linear_model.outcome import Degraded
from relgauss.linear_model.problem import Found, Problem, WhitenedProblem
from relgauss.linear_model.public_plan import BudgetShares, SearchPlan, least_signal, plan_search
from relgauss.spending import Spending

_BALL = 10.0  # radius of the ball of iterates, in label scales: beyond any sensible model


@dataclass(frozen=True, eq=False)
class Solver(ABC):
    """Solves a problem, once it is whitened, within a budget that is shared out as ``shares`` says.

    What it decides before ``solve`` depends on public numbers only.
    """

    problem: Problem
    budget: Budget

    @property
    def shares(self) -> BudgetShares:
        """How the budget is shared out."""
        return BudgetShares.of(self.signal)

    @property
    @abstractmethod
    def mu(self) -> float:
        """The mu that all Gaussian releases of the fit may spend together."""

    @property
    def signal(self) -> float:
        """n mu: how far an average over all records stands out of its noise."""
        return self.problem.records.count * self.mu

    @property
    def least_signal(self) -> float:
        """The least n mu with which a fit begins: with less it would be noise."""
        problem, objective = self.problem, self.problem.objective
        searched = problem.known.searched_features + objective.follows_label
        return least_signal(problem.records.columns, searched, objective.outputs)

    @property
    def search(self) -> SearchPlan:
        """Which ranges are searched for, and how far beyond them values may go."""
        return plan_search(self.problem, self.signal)

    def refusal(self) -> Degraded | None:
        """Why public numbers rule this solver out, if they do."""
        return None

    def open(self, rng: np.random.Generator | None) -> Spending:
        """What the whole fit may spend on Gaussian releases, and what is planned beside them."""
        return Spending(GaussianDP(self.mu), rng)

    def directions(self, whitening: Whitening) -> Whitening:
        """The directions to solve in: all of them, unless a mechanism needs to know them well."""
        return whitening

    @abstractmethod
    def solve(self, whitened: WhitenedProblem, spending: Spending) -> Found | Degraded:
        """The solution in whitened coordinates with all that is left but the check's share, or why not."""


def landscape_of(whitened: WhitenedProblem, relative_variance: float) -> Landscape:
    """Steps for the objective's curvature and the noise's growth, and a public ball."""
    objective = whitened.objective
    scale = whitened.label_scale if objective.follows_label else 1.0
    mean = whitened.mean_label
    step_size = largest_step(objective.curvature(mean) * objective.growth(mean), relative_variance)
    return Landscape.of(step_size, whitened.regulariser, _BALL * scale)
