"""How a fit shares out its budget, and how many steps it takes: by public numbers only."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Schedule:
    """The steps of descent.

    ``unaveraged`` are the first of them, which still carry the start; before each of ``norm_steps`` the norms
    of gradients are released, to choose the clip threshold. After ``newton`` of them, if that is not zero,
    the curvature is released, and the steps that follow are as long as it lets them be.
    """

    steps: int
    unaveraged: int
    norm_steps: tuple[int, ...] = (0, 2)
    newton: int = 0


SCHEDULES = {"squared": Schedule(20, 6), "logistic": Schedule(40, 15), "softmax": Schedule(40, 15)}
# With steps that follow the curvature, for a signal that lets see it: a regression then ends much sooner.
NEWTON_SCHEDULES = {
    "squared": Schedule(9, 3, newton=3),
    "logistic": Schedule(40, 15, newton=10),
    "softmax": Schedule(40, 15, newton=10),
}
_ENOUGH_FOR_NEWTON = 1000.0  # n mu for each coordinate: with less, steps that end early serve better
_ENOUGH_FOR_INTERVALS = 900.0  # n mu from which a tenth less for descent is hardly felt


def schedule_of(objective: str, signal: float, coordinates: int) -> Schedule:
    """The steps for an objective's name, n mu and the number of coordinates."""
    enough = signal >= _ENOUGH_FOR_NEWTON * coordinates
    return (NEWTON_SCHEDULES if enough else SCHEDULES)[objective]


@dataclass(frozen=True)
class BudgetShares:
    """Shares of mu², stage by stage; descent takes what is left.

    ``curvature`` and ``scatter`` are what intervals are made from.
    """

    ranges: float = 0.12
    row_norms: float = 0.01
    centre: float = 0.02
    distances: float = 0.02
    covariance: float = 0.25
    whitened_norms: float = 0.02
    gradient_norms: float = 0.02
    certificate: float = 0.03
    curvature: float = 0.03
    scatter: float = 0.03
    check: float = 0.04

    @classmethod
    def of(cls, signal: float) -> BudgetShares:
        """Where n mu is small, ranges and the check would see nothing with a small share."""
        intervals = 0.03 if signal >= _ENOUGH_FOR_INTERVALS else 0.01
        return cls(
            ranges=_between(0.12, 90 / signal, 0.20),
            curvature=intervals,
            scatter=intervals,
            check=_between(0.04, 60 / signal, 0.20),
        )

    @property
    def intervals(self) -> float:
        """The share of all that only intervals need."""
        return self.curvature + self.scatter

    def beside_gradients(self, *, searches: bool) -> float:
        """The share of all stages of a certified fit but its gradients; ``searches`` if ranges are found."""
        quantiles = self.distances + self.whitened_norms
        always = self.row_norms + self.centre + quantiles + self.covariance + self.certificate + self.check
        return always + (self.ranges if searches else 0.0)


def _between(least: float, value: float, most: float) -> float:
    return min(max(value, least), most)
