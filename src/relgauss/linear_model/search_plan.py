"""Which ranges a fit searches for, and how far beyond them values may go: by public numbers only.

Proof: proofs/regression.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from relgauss.estimate.column_ranges import MOST_HIDDEN
from relgauss.linear_model.budget_shares import BudgetShares
from relgauss.linear_model.problem import Problem

_MOST_UNSEEN = 0.45  # the largest part of the records that may hide from a search: they are clipped
_WELL_SEEN = 0.06  # up to this part, ranges are taken as they are found;
_REACH = 1.0
_FURTHER, _FURTHER_WITHIN = 1.5, 1.25  # beyond it, values may go further: where bounds are known, half as far


@dataclass(frozen=True)
class SearchPlan:
    """Whether ranges of the features and of the label are searched for, be it within bounds.

    ``reach`` is how many half-widths of a range values may lie from its middle, ``reach_within`` the same for
    ranges that were found within bounds.
    """

    features: bool
    label: bool
    reach: float
    reach_within: float


def plan_search(problem: Problem, signal: float) -> SearchPlan:
    """Search where bounds are not known, and within them where enough of the records can be seen."""
    known = problem.known
    features, label = known.preconditioner is None, problem.objective.follows_label
    unseen = unseen_part(signal, known.columns * features + label)
    if unseen > _MOST_UNSEEN:
        features, label = bool(known.unknown_features), known.label is None
    if unseen <= _WELL_SEEN:
        return SearchPlan(features, label, _REACH, _REACH)
    return SearchPlan(features, label, _FURTHER, _FURTHER_WITHIN)


def unseen_part(signal: float, searched: int) -> float:
    """The part of the records that may hide in one cell of the first histograms of so many columns."""
    return MOST_HIDDEN * math.sqrt(searched / BudgetShares.of(signal).ranges) / signal


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
