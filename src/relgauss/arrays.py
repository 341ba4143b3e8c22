"""The one kind of array used throughout, and its norm."""

from __future__ import annotations

import math
from operator import mul

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def l2_norm(value: FloatArray) -> float:
    """The L2 norm to three roundings at every dimension, since noise is scaled by it; inf on overflow."""
    numbers = value.tolist()
    try:
        return math.sqrt(math.fsum(map(mul, numbers, numbers)))
    except OverflowError:  # of the sum; a square that overflows is infinite already
        return math.inf


def grid(gap: float, count: int) -> FloatArray:
    """0, gap, ..., count·gap."""
    return gap * np.arange(count + 1, dtype=np.float64)
