"""The standard deviation of a group's values: from the counts of bins, and what may lie outside the window.

With any centre c,  variance = E (v - c)² - (mean - c)².  Inside the window the first term is a sum over noisy
counts of bins. The values of a bin may all lie at one end of it, as zeros and ones do: so each bin leaves
room for that. The bin that holds the centre and its neighbours err alike, as where values lie close together
on either side of an edge: that adds up. What the others err adds up as the root of the squares.
Clipping to the window makes a variance smaller, so that lower ends need nothing more. Outside, for the upper
end, at most u records beyond an end e are assumed, of which at most u (1 + d/s)^-3 lie further than d from
it: a Pareto tail of index 3, so that

    sum (v - c)² <= u ((e - c)² + |e - c| s + s²).

Proof: proofs/grouped-intervals.md.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from relgauss.arrays import FloatArray
from relgauss.grouped.mean_interval import STRAY, Outside, clipped_interval, tail_scales
from relgauss.grouped.noisy_measurements import NoisyCounts, NoisySums, Present
from relgauss.grouped.sides import Side
from relgauss.grouped.signed_grid import SignedGrid


def spread_interval(
    grid: SignedGrid,
    counts: NoisyCounts,
    sums: NoisySums,
    present: Present,
    outside: Outside,
    sides: tuple[Side, ...],
    in_window: NDArray[np.bool_],
    deviates: float,
) -> tuple[FloatArray, FloatArray]:
    """The interval of the standard deviation of all values."""
    start, end = grid.edges[sums.windows.lower], grid.edges[sums.windows.upper]
    first, last = clipped_interval(grid, sums, present, deviates)
    centre = (first + last) / 2
    fewest = np.maximum(present.values - deviates * present.noise_std, 1.0)
    most = np.maximum(present.values + deviates * present.noise_std, 1.0)

    values = counts.values[:, : grid.value_bins]
    distances = (np.clip(grid.bin_centres, start[:, None], end[:, None]) - centre[:, None]) ** 2 * in_window
    squares = (values * distances).sum(axis=1)
    reach = deviates * counts.noise_std * np.sqrt((distances**2).sum(axis=1))
    seen = np.maximum(values, 0.0) * in_window
    is_near = _near(grid, centre)
    nearer, further = (
        _in_all(seen * np.abs(each - distances), is_near) for each in _ends_of_bins(grid, start, end, centre)
    )

    lower = (squares - reach - nearer) / most - ((last - first) / 2) ** 2
    beyond = _beyond(grid, outside, sides, start, end, centre)
    upper = (np.maximum(squares, 0.0) + reach + further + beyond) / fewest
    largest = (grid.edges[-1] - grid.edges[0]) / 2
    upper = np.maximum(upper, _likely_variance(sides, float(ndtr(deviates))))
    return np.sqrt(np.maximum(lower, 0.0)), np.minimum(np.sqrt(np.maximum(upper, 0.0)), largest)


def _ends_of_bins(
    grid: SignedGrid, start: FloatArray, end: FloatArray, centre: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The least and the largest squared distance from the centre of what a bin may hold, in the window."""
    first, last = grid.edges[grid.bin_edges[:-1]], grid.edges[grid.bin_edges[1:]]
    first[grid.zero_bin] = last[grid.zero_bin] = 0.0
    first, last = (np.clip(each, start[:, None], end[:, None]) - centre[:, None] for each in (first, last))
    squared = first**2, last**2
    return np.where(first * last > 0, np.minimum(*squared), 0.0), np.maximum(*squared)


def _near(grid: SignedGrid, centre: FloatArray) -> NDArray[np.bool_]:
    """The bin that holds each centre, and its neighbours."""
    inner = grid.edges[grid.bin_edges[1:-1]]
    place = np.searchsorted(inner, centre, side="right")[:, None]
    return np.asarray(np.abs(np.arange(grid.value_bins) - place) <= 1)


def _in_all(errors: FloatArray, alike: NDArray[np.bool_]) -> FloatArray:
    """What bins err in all, if some of them err alike."""
    others = np.where(alike, 0.0, errors)
    return np.asarray((errors - others).sum(axis=1) + np.sqrt((others**2).sum(axis=1)))


def _likely_variance(sides: tuple[Side, ...], level: float) -> FloatArray:
    """A quantile of the variance over the shapes that fit: in small groups windows may be wrong."""
    total = np.zeros(len(sides[0].share))
    for side in sides:
        likely, weights = side.fit.weights.likely()
        mean = weighted_quantile(side.shapes.mean[likely], weights, level)
        total += side.share * weighted_quantile(side.shapes.variance[likely], weights, level)
        total += side.share * (1 - side.share) * mean**2
    return total


def weighted_quantile(values: FloatArray, weights: FloatArray, level: float) -> FloatArray:
    """In each row, whose weights sum to one, the value up to which they reach the level."""
    order = np.argsort(values, axis=1, kind="stable")
    reached = (np.cumsum(np.take_along_axis(weights, order, axis=1), axis=1) < level).sum(axis=1)
    last = np.minimum(reached, values.shape[1] - 1)[:, None]
    found: FloatArray = np.take_along_axis(np.take_along_axis(values, order, axis=1), last, axis=1)[:, 0]
    return found


def _beyond(
    grid: SignedGrid,
    outside: Outside,
    sides: tuple[Side, ...],
    start: FloatArray,
    end: FloatArray,
    centre: FloatArray,
) -> FloatArray:
    """At most so large is the sum of squares of the records outside of the window."""
    total = np.zeros(len(start))
    numbers = outside.assumed_below, outside.assumed_above
    scales = tail_scales(grid, start, end)
    for edge, scale, number, far in zip((start, end), scales, numbers, outside.far, strict=True):
        distance = np.abs(edge - centre)
        total += number * (distance**2 + distance * scale + scale**2)
        total += far.number * distance**2 + 2 * distance * far.distance + far.square
    for side in sides:
        stray = STRAY * np.maximum(side.unexplained, 0.0)
        is_outside = (grid.bin_centres < start[:, None]) | (grid.bin_centres > end[:, None])
        total += (stray * is_outside * (grid.bin_centres - centre[:, None]) ** 2).sum(axis=1)
    return total
