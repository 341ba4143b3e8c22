"""What a fit plans by public numbers only: its steps, its shares of the budget, the ranges it searches for,
and the least signal with which it begins at all.

Public are the numbers of records and columns, the budget and which bounds are stated. Proof:
proofs/regression.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from relgauss.estimate.column_ranges import MOST_HIDDEN, MOST_SPENT_WITHIN
from relgauss.linear_model.problem import Problem


@dataclass(frozen=True)
class Schedule:
    """How many steps descent takes, and what is released between them.

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
ENOUGH_FOR_INTERVALS = 900.0  # n mu from which a tenth less for descent is hardly felt
_MOST_UNSEEN = 0.45  # the largest part of the records that may hide from a search: they are clipped
_MOST_UNSEEN_OF_CONSTANT = 0.75  # the same for a constant's, whose label's bounds are to fall back upon
_WELL_SEEN = 0.06  # up to this part, ranges are taken as they are found;
_REACH = 1.0
_FURTHER, _FURTHER_WITHIN = 1.5, 1.25  # beyond it, values may go further: where bounds are known, half as far
_LIKELY, _LIKELY_OF_CLASSES = 2.0, 3.0  # times the least, as made-up tables show; of classes for each score
_LEAST_SIGNAL = 12.0  # n mu/sqrt(d (d + 1)) below which a constant serves better


def schedule_of(objective: str, signal: float, coordinates: int) -> Schedule:
    """The steps for an objective's name, n mu and the number of coordinates."""
    enough = signal >= _ENOUGH_FOR_NEWTON * coordinates
    return (NEWTON_SCHEDULES if enough else SCHEDULES)[objective]


@dataclass(frozen=True)
class BudgetShares:
    """Shares of mu², stage by stage; descent takes what is left.

    ``curvature``, ``scatter`` and, of a regression, ``cut``, what clipping took from gradients, are what
    intervals are made from.
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
    scatter: float = 0.01
    cut: float = 0.10
    check: float = 0.075

    @classmethod
    def of(cls, signal: float) -> BudgetShares:
        """Where n mu is small, ranges and the check would see nothing with a small share. A fifth of the
        check's is for how far a model's own constant is from the best.
        """
        curvature, cut = (0.03, 0.10) if signal >= ENOUGH_FOR_INTERVALS else (0.01, 0.04)
        return cls(
            ranges=_between(0.12, 90 / signal, 0.20),
            curvature=curvature,
            cut=cut,
            check=_between(0.075, 94 / signal, 0.25),
        )

    def of_classes(self, signal: float, growth: float) -> BudgetShares:
        """Of a rare class, by how its curvature may grow, there is little log-loss to gain: the check has to
        see better, and descent can do with less. Nothing is cut from gradients that is missed.
        """
        check = _between(self.check, 75 / (signal * (2 - growth)), 0.30)
        return replace(self, check=check, scatter=self.curvature, cut=0.0)

    def beside_gradients(self, search: SearchPlan) -> float:
        """The share of all stages of a certified fit but its gradients, at most."""
        quantiles = self.distances + self.whitened_norms
        always = self.row_norms + self.centre + quantiles + self.covariance + self.certificate + self.check
        if not (search.features or search.label):
            return always
        return always + self.ranges * (MOST_SPENT_WITHIN if search.is_within else 1.0)


def signal_for_intervals(signal: float) -> float:
    """The least n mu from which a fit has intervals, if the curvature shows with this n mu of its own."""
    least = signal / math.sqrt(BudgetShares.of(1.0).curvature)
    if least < ENOUGH_FOR_INTERVALS:
        return least
    enough = BudgetShares.of(ENOUGH_FOR_INTERVALS).curvature
    return max(ENOUGH_FOR_INTERVALS, signal / math.sqrt(enough))


def _between(least: float, value: float, most: float) -> float:
    return min(max(value, least), most)


@dataclass(frozen=True)
class SearchPlan:
    """Whether ranges of the features and of the label are searched for, be it within bounds.

    ``reach`` is how many half-widths of a range values may lie from its middle, ``reach_within`` the same for
    ranges that were found within bounds, if any ``is_within`` some.
    """

    features: bool
    label: bool
    reach: float
    reach_within: float
    is_within: bool


def plan_search(problem: Problem, signal: float) -> SearchPlan:
    """Search for all ranges that a fit needs, within bounds where they are known."""
    known = problem.known
    features, label = known.preconditioner is None, problem.objective.follows_label
    is_within = bool(known.are_bounded.any()) or (label and known.label is not None)
    if unseen_part(signal, known.searched_features + label) <= _WELL_SEEN:
        return SearchPlan(features, label, _REACH, _REACH, is_within)
    return SearchPlan(features, label, _FURTHER, _FURTHER_WITHIN, is_within)


def clipped_part(signal: float) -> float:
    """The part of the rows that the covariance clips: fewer, the better rare rows can be seen."""
    return min(0.5, max(0.01, 250 / signal))


def unseen_part(signal: float, searched: int, share: float | None = None) -> float:
    """The part of the records that may hide in one cell of the first histograms of so many columns, for a
    share of mu² or, if it is None, for that of ranges.
    """
    ranges = BudgetShares.of(signal).ranges if share is None else share
    return MOST_HIDDEN * math.sqrt(searched / ranges) / signal


def can_see_some(signal: float, share: float) -> bool:
    """Whether the range of one column is sometimes found, so that it may be looked for within bounds."""
    return unseen_part(signal, 1, share) <= _MOST_UNSEEN_OF_CONSTANT


def least_signal_to_see(searched: int) -> float:
    """The least n mu at which not too many records may hide; it falls as n mu grows."""
    low, high = 1e-9, 1e9 * (searched + 1)
    for _ in range(100):
        middle = math.sqrt(low * high)
        if unseen_part(middle, searched) > _MOST_UNSEEN:
            low = middle
        else:
            high = middle
    return high


def least_signal(columns: int, searched: int, outputs: int = 1) -> float:
    """The least n mu for so many features, columns whose range is searched for, and scores of a record.

    With less, noise would outweigh what the features explain: even with perfect whitening, gradients of norm
    sqrt(d + 1) times the label's deviation put noise of 4 d (d + 1)/(n mu)² of the label's variance into the
    predictions. Or too many records could hide from the search.
    """
    signal = _LEAST_SIGNAL * math.sqrt(columns * (columns + 1) * outputs)
    return max(signal, least_signal_to_see(searched)) if searched else signal


def likely_signal(columns: int, outputs: int, *, are_classes: bool) -> float:
    """The n mu from which most fits end with a model, if the features explain half of the label's variance.

    Bounds change little: columns are searched within them, and the check sees no better.
    """
    times = _LIKELY_OF_CLASSES * outputs if are_classes else _LIKELY
    return times * least_signal(columns, columns + 1, outputs)
