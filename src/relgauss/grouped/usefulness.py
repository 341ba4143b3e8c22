"""Which flags concern a statistic, and whether its interval is narrow enough to be of use."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.grouped.column_estimates import FLAGS, SLOW_TAIL, TOO_SMALL, StatisticEstimates
from relgauss.grouped.column_statistics import Interval

_USEFUL_SHARE = 0.2  # a share is of use if it is known to ten points either way


def said_of(name: str, column: Interval, flags: NDArray[np.int8], typical: FloatArray) -> StatisticEstimates:
    """A statistic with the flags that concern it: a slow tail concerns means, sums and spreads only."""
    estimate, lower, upper = column
    if name not in ("mean", "sum", "std"):
        flags = np.where(flags == FLAGS.index(SLOW_TAIL), 0, flags).astype(np.int8)
    if name in ("count", "zeros", "missing"):
        flags = np.where(flags == FLAGS.index(TOO_SMALL), flags, 0).astype(np.int8)
    if name in ("zeros", "missing"):
        useful = upper - lower <= _USEFUL_SHARE
    else:
        useful = _is_useful(lower, upper, typical)
    if name == "std":
        useful &= lower > 0  # that a spread is at most the typical magnitude says little
    return StatisticEstimates(estimate, lower, upper, useful & (flags == 0), flags)


def _is_useful(lower: FloatArray, upper: FloatArray, typical: FloatArray) -> NDArray[np.bool_]:
    """Whether an interval is narrower than a factor of two, or than the typical magnitude if it holds 0."""
    near, far = np.minimum(np.abs(lower), np.abs(upper)), np.maximum(np.abs(lower), np.abs(upper))
    return np.where(lower * upper > 0, far <= 2 * near, upper - lower <= typical)
