"""Runs of neighbouring bins: what lies together shows in the sum of their counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray


def run_sums(values: NDArray[np.floating] | NDArray[np.bool_], length: int) -> FloatArray:
    """The sums of all runs of so many neighbours, a row for each group."""
    summed = np.cumsum(np.pad(values, ((0, 0), (1, 0))), axis=1, dtype=np.float64)
    runs: FloatArray = summed[:, length:] - summed[:, :-length]
    return runs
