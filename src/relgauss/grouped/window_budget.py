"""How much of the budget a group spends on finding its window: a public rule in its size and the budget.

With mu the GDP parameter of the whole budget, a peak of n records stands n mu_1/sqrt(2) noise levels high
in counts released at mu_1, and the highest of B pure noises about sqrt(2 log B). A group needs

    n mu >= need = 3.25 sqrt(log B)

to be found in nine cases of ten, and half as much again to be of use: then only one in thirty is missed. From
the need on, its share of mu² for the counts falls as need/(n mu), to 0.3; smaller groups spend 0.9 on being
found, and those below need/4, which would not be, spend nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray

_NEED = 3.25
_LEAST_SHARE, _LARGEST_SHARE = 0.3, 0.9
_HOPELESS, _USABLE = 0.25, 1.5  # of the need


@dataclass(frozen=True, eq=False)
class WindowBudget:
    """For each group, mu_counts² + mu_mean² <= mu²; all of it public.

    Attributes
    ----------
    mu_counts
        What the counts of its bins, from which its window is found, are released at.
    mu_mean
        What its mean, clipped to the window, is released at.
    released
        Whether anything is: the smallest groups spend nothing.
    usable
        Whether it is large enough for its estimate to be of use.
    """

    mu_counts: FloatArray
    mu_mean: FloatArray
    released: NDArray[np.bool_]
    usable: NDArray[np.bool_]


def divide_budget(sizes: FloatArray, mu: float, bins: int) -> WindowBudget:
    """What groups of these sizes spend out of ``mu``, on a grid of this many bins."""
    strength = sizes * mu / (_NEED * math.sqrt(math.log(max(bins, 2))))
    share = np.clip(1 / strength, _LEAST_SHARE, _LARGEST_SHARE)
    kept = mu * (1 - 1e-14)  # for the roundings of the two roots
    return WindowBudget(
        mu_counts=kept * np.sqrt(share),
        mu_mean=kept * np.sqrt(1 - share),
        released=strength >= _HOPELESS,
        usable=strength >= _USABLE,
    )
