"""Ends of a quantile's interval from a ramp: where a value counts by its place, F is known on average.

The share of values below a ramp from a to b, each inside of it counted in part, is the mean A of the
distribution function F over [a, b]. F rises, so that for the quantile q at a level p

    q >= a + (b - a)(p - A)/(p - F(a))   if A < p,        q <= b - (b - a)(A - p)/(F(b) - p)   if A > p,

whatever the values are; less is known of F(a) and F(b) than of A, and the ends of their own bounds are taken.
Proof: proofs/grouped-intervals.md.
"""

from __future__ import annotations

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.grouped.quantile_ramps import RampReading


def ramp_bounds(
    reading: RampReading, level: float, band: tuple[FloatArray, FloatArray], reach: float
) -> tuple[FloatArray, FloatArray]:
    """The highest lower end and the lowest upper end that any ramp gives; infinite where none does.

    ``band`` are the ends for F at the upper edge of each bin, a row for each group; ``reach`` is how many
    noise levels those of A are apart from it.
    """
    risen, std = reading.risen
    ramps, grid = reading.noisy.ramps, reading.grid
    start, end = grid.edges[ramps.lower], grid.edges[ramps.upper]
    least, most = 1 - risen - reach * std, 1 - risen + reach * std
    lowest, highest = (np.pad(each, ((0, 0), (1, 0))) for each in band)  # F at every edge of a bin
    before = np.searchsorted(grid.bin_edges, ramps.lower, side="right") - 1
    after = np.searchsorted(grid.bin_edges, ramps.upper, side="left")
    at_start = np.clip(np.take_along_axis(lowest, before, axis=1), 0.0, level)
    at_end = np.clip(np.take_along_axis(highest, after, axis=1), level, 1.0)
    rise = _part(level - most, level - at_start)
    fall = _part(least - level, at_end - level)
    lower = np.where(most < level, start + (end - start) * rise, -np.inf)
    upper = np.where(least > level, end - (end - start) * fall, np.inf)
    return lower.max(axis=1), upper.min(axis=1)


def _part(over: FloatArray, whole: FloatArray) -> FloatArray:
    """A part of the ramp: none where the bounds do not fit each other."""
    return np.where(whole > over, np.clip(over / np.maximum(whole, 1e-300), 0.0, 1.0), 0.0)
