"""Noisy counts as a table prints them: whole, not negative, and adding up to their total. Post-processing."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray


def consistent_counts(noisy: FloatArray) -> NDArray[np.int64]:
    """The nearest whole numbers, none negative, that add up to the noisy total: max(0, c_g - shift).

    Cutting negative counts off alone would make the total of many small groups too large. The numbers are
    rounded down but for those with the largest fractions, so that the total stays.
    """
    if not len(noisy):
        return np.zeros(0, dtype=np.int64)
    total = max(0, round(math.fsum(noisy.tolist())))
    exact = np.maximum(noisy - _shift(noisy, total), 0.0)
    whole = np.floor(exact).astype(np.int64)
    order = np.argsort(whole - exact, kind="stable")  # the largest fraction first
    missing = total - int(whole.sum())
    whole[order[: max(missing, 0)]] += 1
    return whole


def _shift(noisy: FloatArray, total: int) -> float:
    """The shift at which what is above it adds up to the total: found among the sorted counts."""
    falling = np.sort(noisy)[::-1]
    shifts = (np.cumsum(falling) - total) / np.arange(1, len(noisy) + 1)
    above = np.flatnonzero(falling > shifts)
    return float(shifts[above[-1]]) if above.size else float(falling[0])
