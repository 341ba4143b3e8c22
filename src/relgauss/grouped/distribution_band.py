"""A band for the distribution function of a group, whatever lies in its window or outside of it.

With w bins in the window, noisy counts of which are moved alike to add up to N, let M_j be the sum of the
first j, and B and A the numbers of values below and above. Then on average

    N F_j = M_j + (1 - j/w) B - j/w A.

How large B is at most follows from three numbers whose noise is independent of each other and of M_j: the
counts below, which add up to B, and N less the counts in the window, and the released number of values
outside, both of which are A + B, and so no less than B. Each weighs by the inverse of its variance. The same
holds for the values below any edge outside of the window, and, turned about, for A. Nothing is assumed of
how values lie. Proof: proofs/grouped-intervals.md.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.grouped.mean_interval import upper_bound
from relgauss.grouped.noisy_measurements import NoisyCounts, NoisySums, Present

_BAND = 1.15  # of the normal quantile: the ends of an interval are the first of several edges

Ends = tuple[FloatArray, FloatArray]


def distribution_band(
    inside: Ends,
    in_window: NDArray[np.bool_],
    counts: NoisyCounts,
    sums: NoisySums,
    number: Present,
    deviates: float,
) -> Ends:
    """Lower and upper ends for F at the upper edge of each bin that holds values, both increasing.

    ``inside`` is M_j over N at these edges, and the level of its noise.
    """
    bins, place = in_window.sum(axis=1)[:, None], np.cumsum(in_window, axis=1)
    part = np.where(bins > 0, place / np.maximum(bins, 1), 0.0)
    values = counts.values[:, : in_window.shape[1]]
    outside = _outside(np.where(in_window, values, 0.0).sum(axis=1), bins[:, 0], counts, sums, number)
    is_below, is_above = (place == 0), (place == bins) & ~in_window
    below = _at_most(values, is_below, outside, counts.noise_std, deviates)
    above = _at_most(values[:, ::-1], is_above[:, ::-1], outside, counts.noise_std, deviates)
    above = _after(above[0]), _after(above[1])
    last = np.maximum(is_below.sum(axis=1) - 1, 0)[:, None]
    first = np.minimum(place.argmax(axis=1), place.shape[1] - 1)[:, None]
    whole = number.values[:, None]
    share, std = inside
    reach = _BAND * deviates * std
    has_below = is_below.any(axis=1)[:, None]
    under, under_reach = (
        np.where(has_below, np.take_along_axis(each, last, axis=1), 0.0) / whole for each in below
    )
    over, over_reach = (np.take_along_axis(each, first, axis=1) / whole for each in above)
    upper = share + (1 - part) * under + np.hypot(reach, (1 - part) * under_reach)
    lower = share - part * over - np.hypot(reach, part * over_reach)
    upper = np.where(is_below, (below[0] + below[1]) / whole, np.where(place == bins, 1.0, upper))
    lower = np.where(is_below, 0.0, np.where(place == bins, 1 - (above[0] + above[1]) / whole, lower))
    lower[:, -1], upper[:, -1] = 1.0, 1.0  # nothing lies beyond the range
    lower, upper = np.clip(lower, 0.0, 1.0), np.clip(upper, 0.0, 1.0)
    return np.maximum.accumulate(lower, axis=1), np.minimum.accumulate(upper[:, ::-1], axis=1)[:, ::-1]


def _after(turned: FloatArray) -> FloatArray:
    """What lies above the upper edge of each bin: it is in the bins after it."""
    return np.asarray(np.pad(turned, ((0, 0), (1, 0)))[:, :-1][:, ::-1])


def _outside(
    counted: FloatArray, bins: NDArray[np.intp], counts: NoisyCounts, sums: NoisySums, number: Present
) -> Ends:
    """The number of values outside of each window, and the inverse of the variance of its noise."""
    by_counts = 1 / (bins * counts.noise_std**2 + number.noise_std**2)
    released = sums.outside_std**-2
    precision = by_counts + released
    return ((number.values - counted) * by_counts + sums.outside * released) / precision, precision


def _at_most(
    values: FloatArray, chosen: NDArray[np.bool_], outside: Ends, noise_std: FloatArray, deviates: float
) -> Ends:
    """The values in the first bins, up to each of the chosen: an estimate, and how many more at most."""
    number = np.cumsum(np.where(chosen, values, 0.0), axis=1)
    counted = 1 / (np.maximum(np.cumsum(chosen, axis=1), 1) * noise_std[:, None] ** 2)
    in_all, released = (each[:, None] for each in outside)
    precision = counted + released
    estimate = (number * counted + in_all * released) / precision
    std = precision**-0.5
    found = np.maximum(estimate, 0.0)
    return found, upper_bound(estimate, std, deviates) - found
