"""How a fit shares out its budget, and how many steps it takes: fixed numbers, the same for all records."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Schedule:
    """The steps of descent.

    ``unaveraged`` are the first of them, which still carry the start; before each of ``norm_steps`` the norms
    of gradients are released, to choose the clip threshold.
    """

    steps: int
    unaveraged: int
    norm_steps: tuple[int, ...] = (0, 2)


SCHEDULES = {"squared": Schedule(20, 6), "logistic": Schedule(40, 15)}


@dataclass(frozen=True)
class BudgetShares:
    """Shares of mu², stage by stage; descent takes what is left."""

    ranges: float = 0.12
    row_norms: float = 0.01
    centre: float = 0.03
    distances: float = 0.02
    covariance: float = 0.25
    whitened_norms: float = 0.02
    gradient_norms: float = 0.05
    certificate: float = 0.03
    check: float = 0.03

    def beside_gradients(self, *, searches: bool) -> float:
        """The share of all stages of a certified fit but its gradients; ``searches`` if ranges are found."""
        quantiles = self.distances + self.whitened_norms
        always = self.row_norms + self.centre + quantiles + self.covariance + self.certificate + self.check
        return always + (self.ranges if searches else 0.0)
