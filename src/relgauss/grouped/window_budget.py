"""How much of the budget a group spends on finding its window: a public rule in its size and the budget.

With mu the GDP parameter of the whole budget, a peak of n records stands n mu_1/sqrt(2) noise levels high
in counts released at mu_1, and the highest of B pure noises about sqrt(2 log B). A group needs

    n mu >= need = 3.25 sqrt(log B)

to be found in nine cases of ten, and half as much again to be missed only once in thirty. From the need on,
its share of mu² for the counts falls as need/(n mu), to 0.3; smaller groups spend 0.9 on being found, and
those below need/4, which would not be, spend nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.grouped.contribution import Contribution

_NEED = 3.25
_LEAST_SHARE, _LARGEST_SHARE = 0.3, 0.9
_LEAST_FOR_QUANTILES = 0.5
_SHARE_OF_SIZES, _SHARE_OF_COUNTS = 0.1, 0.5
_HOPELESS = 0.25  # of the need


@dataclass(frozen=True, eq=False)
class WindowBudget:
    """For each group, mu_counts² + mu_sums² <= mu²; all of it follows from public or released numbers.

    Attributes
    ----------
    mu_counts
        What the counts of its bins, from which its window is found, are released at.
    mu_sums
        What its sum, clipped to the window, is released at.
    released
        Whether anything is: the smallest groups spend nothing.
    """

    mu_counts: FloatArray
    mu_sums: FloatArray
    released: NDArray[np.bool_]


def mu_of_sizes(mu: float) -> float:
    """What sizes that are not public are released at, out of the budget of a column."""
    return mu * (1 - 1e-14) * math.sqrt(_SHARE_OF_SIZES)


def divide_budget(
    sizes: FloatArray, mu: float, bins: int, contribution: Contribution, *, quantiles: bool = False
) -> WindowBudget:
    """What groups of these sizes spend out of ``mu``, on a grid of this many bins.

    If sizes are public a unit stays in its group, and each group divides the budget by its own size. If they
    are not, a unit may be in several groups, and all groups divide it alike: 0.1 of mu² for sizes, half of
    the rest for counts. Requests for quantiles, which counts answer, give counts at least one half.
    """
    kept = mu * (1 - 1e-14)  # for the roundings of the two roots
    clear = sizes * mu * math.sqrt(2) / contribution.count_sensitivity
    if not contribution.sizes_public:
        kept *= math.sqrt(1 - _SHARE_OF_SIZES)
    strength = clear / (_NEED * math.sqrt(math.log(max(bins, 2))))
    least = _LEAST_FOR_QUANTILES if quantiles else _LEAST_SHARE
    share = np.clip(1 / np.maximum(strength, 1e-9), least, _LARGEST_SHARE)
    if not contribution.sizes_public:
        share = np.full(len(sizes), _SHARE_OF_COUNTS)
    return WindowBudget(
        mu_counts=kept * np.sqrt(share),
        mu_sums=kept * np.sqrt(1 - share),
        released=strength >= _HOPELESS,
    )
