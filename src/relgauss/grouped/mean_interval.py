"""Intervals of means: exact ones of clipped values, and ones for all values under a printed assumption.

Outside of a released window [a, b] nothing is measured but noisy counts, and a few records at the top of a
wide range could be anywhere. So the interval of the mean itself assumes, for each end e of the window, that

    at most u records lie beyond e, and those at a distance above d are at most u (1 + d/s)^-2:

a Pareto tail of index 2, with s = |e|, or the larger |e| of both ends where values of both signs may occur.
Then they add at most u s to the sum of the clipped values. The number u comes from released numbers: three
times what the fitted shapes put there, and 0.7 noise levels of a count, or the noisy number of values outside
if that is larger. Where counts speak against it, the group is flagged. Proof: proofs/grouped-intervals.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from relgauss.arrays import FloatArray
from relgauss.grouped.column_estimates import FLAGS, NOT_FOUND, OUTSIDE, SLOW_TAIL
from relgauss.grouped.far_records import FarRecords, far_records
from relgauss.grouped.noisy_measurements import NoisyCounts, NoisySums, Present
from relgauss.grouped.sides import Side
from relgauss.grouped.signed_grid import SignedGrid

_MORE = 3.0  # times what the fitted shapes put beyond an end
_UNSEEN = 0.7  # noise levels of a count
STRAY = 1.5  # times what unexplained records add
_AGAINST, _RUN_AGAINST = (
    2.6,
    4.2,
)  # standard deviations by which counts contradict: all bins, one of many runs
_RUNS = (1, 2, 4)  # bins

Flags = NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class Outside:
    """Records outside of each window.

    Attributes
    ----------
    assumed_below, assumed_above
        At most so many records beyond each end: the assumption.
    lost_below, lost_above
        At most so much do they take off, or add to, the sum of the clipped values.
    far
        The records below and above each window that counts show beyond that.
    bound
        An upper bound for the number of records outside, at one side's confidence: no assumption.
    flags
        The codes of flags.
    """

    assumed_below: FloatArray
    assumed_above: FloatArray
    lost_below: FloatArray
    lost_above: FloatArray
    far: tuple[FarRecords, FarRecords]
    bound: FloatArray
    flags: Flags


def ratio_interval(
    numerator: tuple[FloatArray, FloatArray], denominator: Present, deviates: float
) -> tuple[FloatArray, FloatArray]:
    """Fieller's interval of a ratio x/n of two numbers with independent Gaussian noise of known levels.

    All t with (x - t n)² <= deviates² (std_x² + t² std_n²): an interval where n is more than ``deviates``
    noise levels above 0, else everything.
    """
    x, std = numerator
    n, n_std = denominator.values, denominator.noise_std
    scaled = deviates * n_std
    leading = n**2 - scaled**2
    root = np.sqrt(np.maximum((x * n) ** 2 - leading * (x**2 - (deviates * std) ** 2), 0.0))
    known = (n > scaled) & (leading > 0)
    safe = np.where(known, leading, 1.0)
    lower, upper = (x * n - root) / safe, (x * n + root) / safe
    return np.where(known, lower, -np.inf), np.where(known, upper, np.inf)


def clipped_interval(
    grid: SignedGrid, sums: NoisySums, present: Present, deviates: float
) -> tuple[FloatArray, FloatArray]:
    """The interval of the mean of the clipped values, which is in the window.

    It is exact, since all noise is Gaussian of known level.
    """
    nothing = np.zeros(len(sums.values))
    ends = _interval(grid, sums, present, deviates, nothing, nothing)
    start, end = grid.edges[sums.windows.lower], grid.edges[sums.windows.upper]
    return np.clip(ends[0], start, end), np.clip(ends[1], start, end)


def mean_interval(
    grid: SignedGrid, sums: NoisySums, present: Present, outside: Outside, deviates: float
) -> tuple[FloatArray, FloatArray]:
    """The interval of the mean, if no more lies outside than is assumed."""
    return _interval(grid, sums, present, deviates, outside.lost_below, outside.lost_above)


def is_whole_range(grid: SignedGrid, lower: FloatArray, upper: FloatArray) -> NDArray[np.bool_]:
    """Whether an interval says nothing: it is the whole public range."""
    return np.asarray((lower <= grid.edges[0]) & (upper >= grid.edges[-1]))


def _interval(
    grid: SignedGrid,
    sums: NoisySums,
    present: Present,
    deviates: float,
    lost_below: FloatArray,
    lost_above: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    start, end = grid.edges[sums.windows.lower], grid.edges[sums.windows.upper]
    width, middle = end - start, (start + end) / 2
    total, std = width * sums.values, width * sums.noise_std
    lower, _ = ratio_interval((total - lost_below, std), present, deviates)
    _, upper = ratio_interval((total + lost_above, std), present, deviates)
    low, high = grid.edges[0], grid.edges[-1]
    return np.clip(middle + lower, low, high), np.clip(middle + upper, low, high)


def count_outside(
    grid: SignedGrid,
    sums: NoisySums,
    counts: NoisyCounts,
    sides: tuple[Side, ...],
    zero: FloatArray,
    present: FloatArray,
    deviates: float,
) -> Outside:
    """What is assumed to lie outside of windows, what releases show of it, and where they contradict.

    ``zero`` are the shares of zeros, ``present`` the numbers of values; ``deviates`` is the quantile of one
    side of the intervals.
    """
    lower, upper = sums.windows.lower, sums.windows.upper
    start, end = grid.edges[lower], grid.edges[upper]
    scale_below, scale_above = tail_scales(grid, start, end)
    bound = np.minimum(upper_bound(sums.outside, sums.outside_std, deviates), np.maximum(present, 1.0))
    fitted_below, fitted_above = zero * present * (start > 0), zero * present * (end < 0)
    below, above = (_UNSEEN * counts.noise_std for _ in range(2))
    slow = np.zeros(len(lower))
    for side in sides:
        cut_below, cut_above = (side.share * present * share for share in side.beyond(sums.windows))
        below, above = below + (_MORE - 1) * cut_below, above + (_MORE - 1) * cut_above
        fitted_below, fitted_above = fitted_below + cut_below, fitted_above + cut_above
        heavy = side.fit.weights.average(side.shapes.is_slow.astype(np.float32))
        slow = np.maximum(slow, side.share * heavy)
    more = sums.outside - fitted_below - fitted_above - 2 * _UNSEEN * counts.noise_std
    far = far_records(grid, sums, counts, sides, more, (below, above), (scale_below, scale_above), bound)
    below, above = below + fitted_below, above + fitted_above
    least_below, least_above = (np.minimum(each, bound) for each in (below, above))
    below, above = (np.minimum(np.maximum(each, sums.outside), bound) for each in (below, above))
    lost_below = least_below * scale_below + np.maximum((below - least_below) * scale_below, far[0].distance)
    lost_above = least_above * scale_above + np.maximum((above - least_above) * scale_above, far[1].distance)
    for side in sides:
        stray = STRAY * np.maximum(side.unexplained, 0.0)
        stray_below = stray * (grid.bin_centres < start[:, None])
        stray_above = stray * (grid.bin_centres > end[:, None])
        below, above = below + stray_below.sum(axis=1), above + stray_above.sum(axis=1)
        lost_below = lost_below + (stray_below * (start[:, None] - grid.bin_centres)).sum(axis=1)
        lost_above = lost_above + (stray_above * (grid.bin_centres - end[:, None])).sum(axis=1)
    has_below, has_above = lower > 0, upper < len(grid.edges) - 1  # nothing lies beyond the range
    below, above = np.where(has_below, below, 0.0), np.where(has_above, above, 0.0)

    flags = np.zeros(len(lower), dtype=np.int8)
    flags[slow > 0.5] = FLAGS.index(SLOW_TAIL)
    is_above, is_below = grid.bin_edges[:-1] >= upper[:, None], grid.bin_edges[1:] <= lower[:, None]
    against = sums.outside - _AGAINST * sums.outside_std > below + above
    against |= _run_against(is_above, counts, above) | _run_against(is_below, counts, below)
    flags[against] = FLAGS.index(OUTSIDE)
    flags[sums.outside - sums.outside_std > present / 2] = FLAGS.index(NOT_FOUND)
    return Outside(
        assumed_below=below,
        assumed_above=above,
        lost_below=np.where(has_below, lost_below, 0.0),
        lost_above=np.where(has_above, lost_above, 0.0),
        far=far,
        bound=bound,
        flags=flags,
    )


def upper_bound(noisy: FloatArray, noise_std: FloatArray, deviates: float) -> FloatArray:
    """An upper bound for a number that is not negative, from one with Gaussian noise: never 0 or below.

    The b with P(N(b, std²) <= noisy) = P(N > deviates) P(N(0, std²) <= noisy). Without the last factor it
    would be noisy + deviates std, which noise may bring below 0: a bound that cannot hold.
    """
    part = ndtr(-deviates) * ndtr(noisy / noise_std)
    bound: FloatArray = noisy - noise_std * ndtri(np.maximum(part, 1e-300))
    return bound


def tail_scales(grid: SignedGrid, start: FloatArray, end: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The distances on which values beyond the two ends fall off.

    |e| for an end e, unless values of the other sign may lie there: then the larger of both ends.
    """
    if grid.signs == "positive":
        return np.abs(start), np.abs(end)
    larger = np.maximum(np.abs(start), np.abs(end))
    return larger, larger


def _run_against(chosen: NDArray[np.bool_], counts: NoisyCounts, assumed: FloatArray) -> NDArray[np.bool_]:
    """Whether any run of neighbouring bins among the chosen ones holds more records than assumed."""
    values = np.where(chosen, counts.values[:, : chosen.shape[1]], 0.0)
    against = np.zeros(len(values), dtype=np.bool_)
    for length in _RUNS:
        summed = np.cumsum(np.pad(values, ((0, 0), (1, length - 1))), axis=1)
        run = summed[:, length:] - summed[:, :-length]
        threshold = assumed + _RUN_AGAINST * np.sqrt(length) * counts.noise_std
        against |= run.max(axis=1) > threshold
    return against
