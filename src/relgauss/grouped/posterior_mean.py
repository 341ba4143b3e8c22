"""What released counts and clipped means together say of each mean: post-processing, which costs nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from relgauss.arrays import FloatArray
from relgauss.grouped.mixture import Mixture
from relgauss.grouped.noisy_measurements import ClippedMeans
from relgauss.grouped.sides import Side

_MISFIT = 0.2  # of a shape's spread: how far the clipped mean of real values may lie from the shape's
_OWN_MISFIT = 0.1  # alike, how far a quantile may lie from the shape's even where the mean is known
_UNEXPLAINED_MISFIT = 0.5  # of the part that unexplained records have in the clipped mean
_CLIPPING_DOUBT = 1.5  # of what clipping does to a shape's mean
_CLIPPED_MISFIT = 0.3  # of the part of unexplained records that is clipped away
_UNSEEN = 0.3  # noise levels of a count: so many records may lie a window's width outside, unseen
_AT_ONCE = 2**19  # pairs of a group and a likely shape
_FAR = 3.0  # so many times as far as it may lie off, a shape is moved at most


def mean_quantiles(
    sides: tuple[Side, ...],
    zero: FloatArray,
    present: FloatArray,
    means: ClippedMeans,
    levels: Sequence[float],
    *,
    locates: bool,
) -> tuple[FloatArray, tuple[Located, ...]]:
    """Quantiles of each group's mean, given its noisy counts and clipped mean; a row for each level.

    If ``locates``, the sides are returned too, their shapes weighed, and moved, by the clipped mean as well.

    The side with the larger part of the mean magnitude is a mixture over its likely shapes; the other one is
    taken at its average. ``zero`` are the shares of zeros, ``present`` the numbers of values.
    """
    result = np.empty((len(levels), len(present)))
    parts = np.array([side.share / side.inverse_mean for side in sides])
    weighed = [Located.as_is(side) for side in sides] if locates else []
    for place, side in enumerate(sides):
        others = [other for other in sides if other is not side]
        for rows in _in_parts(side, np.flatnonzero(parts.argmax(axis=0) == place)):
            kept, lost = np.zeros(rows.size), np.zeros(rows.size)
            for other in others:
                other_kept, other_lost = _average_parts(other, means, rows)
                kept, lost = kept + other_kept, lost + other_lost
            at_zero = zero[rows] * np.clip(0.0, means.start[rows], means.end[rows])
            law, measured = _law_of_means(side, rows, present[rows], means, kept + at_zero, lost - at_zero)
            if locates:
                weighed[place] = weighed[place].after(rows, *measured)
            ends = side.grid.edges[0], side.grid.edges[-1]
            low, high = ends if side.sign > 0 else (-ends[1], -ends[0])
            wanted = levels if side.sign > 0 else [1 - level for level in levels]
            result[:, rows] = side.sign * law.quantiles(wanted, low, high, side.grid.magnitudes.low)
    return result, tuple(weighed)


def _in_parts(side: Side, rows: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """These groups, some at a time: fewer where many shapes are likely, as each is computed with."""
    likely, _ = side.fit.weights.likely()
    parts = -(-rows.size * likely.shape[1] // _AT_ONCE)
    return np.array_split(rows, parts) if rows.size else []


def _average_parts(side: Side, means: ClippedMeans, rows: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
    """What a side adds to the clipped mean, and to the mean beyond that, on average over its shapes."""
    below, above = side.relative_losses
    short, excess = below[rows, means.windows.lower[rows]], above[rows, means.windows.upper[rows]]
    lost = (excess - short) / side.inverse_mean[rows] * side.share[rows]
    return side.sign * side.share[rows] / side.inverse_mean[rows] - lost, lost


def _mirrored(
    side: Side, means: ClippedMeans, rows: NDArray[np.intp]
) -> tuple[FloatArray, FloatArray, NDArray[np.intp], NDArray[np.intp]]:
    """The window as this side sees it, and its ends among the edges of magnitudes: below 0 if not there."""
    first = side.grid.zero + 1
    lower, upper = means.windows.lower[rows], means.windows.upper[rows]
    if side.sign > 0:
        return means.start[rows], means.end[rows], lower - first, upper - first
    last = len(side.grid.edges) - 1
    return -means.end[rows], -means.start[rows], last - upper - first, last - lower - first


def _law_of_means(
    side: Side,
    rows: NDArray[np.intp],
    present: FloatArray,
    means: ClippedMeans,
    others_kept: FloatArray,
    others_lost: FloatArray,
) -> tuple[Mixture, tuple[FloatArray, FloatArray, FloatArray]]:
    """The law of each group's mean, mirrored as the side is: a mixture over the side's likely shapes.

    Under a shape with mean m the clipped mean is c = share (m + shortfall - excess), give or take tau, with
    what the other values add, and the records that no shape explains; z = c + N(0, noise_std²) was released.
    So the mean is normal; its centre lies tau²/(tau² + noise_std²) of the way from c to z, corrected by what
    was clipped away, and that correction is more uncertain than it is large. The weight of the shape is
    multiplied by the likelihood of z. Its logarithm is returned too, and how far the shape lies off its
    position by z, and may still lie off, on the logarithmic axis.
    """
    shapes, sign, share = side.shapes, side.sign, side.share[rows][:, None]
    start, end, lower, upper = (each[:, None] for each in _mirrored(side, means, rows))
    likely, weights = (each[rows] for each in side.fit.weights.likely())
    mean, spread = shapes.mean[likely], shapes.spread[likely]
    noise, sizes = means.noise_std[rows][:, None], present[:, None]

    centres = sign * side.grid.bin_centres
    stray, kept = side.unexplained[rows] / sizes, np.clip(centres, start, end)
    low = shapes.grid.low  # averages are in single precision, which holds no unit far from 1
    typical = low * side.fit.weights.rows(rows).average(shapes.mean / low)[:, None]
    kept_part = (stray * (kept - typical)).sum(axis=1, keepdims=True)
    clipped_part = (stray * (centres - kept)).sum(axis=1, keepdims=True)

    shortfall = np.where(lower >= 0, mean * shapes.shortfall[likely, np.maximum(lower, 0)], 0.0)
    excess = np.where(upper >= 0, mean * shapes.excess[likely, np.maximum(upper, 0)], mean - end)
    clipped_mean = share * (mean + shortfall - excess) + kept_part + sign * others_kept[:, None]
    tau = mean * np.sqrt(shapes.position_step**2 / 12 + spread**2 * (1 / sizes + _MISFIT**2))
    tau = np.hypot(np.minimum(tau, (end - start) / 4), _UNEXPLAINED_MISFIT * kept_part)
    variance = noise**2 + tau**2
    gap = sign * means.values[rows][:, None] - clipped_mean
    with np.errstate(divide="ignore"):
        log_weights = np.log(weights)
    evidence = -(gap**2) / (2 * variance) - np.log(variance) / 2
    log_weights += evidence

    unseen = _UNSEEN * side.counts.noise_std[rows][:, None] / sizes * (end - start)
    doubt = np.hypot(_CLIPPING_DOUBT * share * (excess + shortfall), _CLIPPED_MISFIT * clipped_part)
    lost = share * (excess - shortfall) + clipped_part + sign * others_lost[:, None]
    law = Mixture(
        softmax(log_weights, axis=1),
        clipped_mean + tau**2 / variance * gap + lost,
        np.sqrt((tau * noise / np.sqrt(variance)) ** 2 + doubt**2 + unseen**2),
    )
    whole = np.maximum(share * mean, np.finfo(np.float64).tiny)
    shift, left = tau**2 / variance * gap / whole, tau * noise / np.sqrt(variance) / whole
    return law, (evidence, shift, left)


@dataclass(frozen=True, eq=False)
class Located:
    """A side, and for each group and likely shape how far, on the logarithmic axis, it lies off its position.

    ``shift`` is what was measured of that, and ``left`` how far off it may still be.
    """

    side: Side
    shift: FloatArray
    left: FloatArray

    @classmethod
    def as_is(cls, side: Side) -> Located:
        """A side of which nothing else was measured: shapes fit up to a step, and a part of their spread."""
        likely, _ = side.fit.weights.likely()
        left = np.hypot(side.shapes.position_step, _MISFIT * side.shapes.spread[likely])
        return cls(side, np.zeros(likely.shape), left)

    def after(
        self, rows: NDArray[np.intp], evidence: FloatArray, shift: FloatArray, left: FloatArray
    ) -> Located:
        """The same after a measurement of some groups: what it says of shapes, and of where they lie."""
        every, shifts, lefts = np.zeros(self.shift.shape), self.shift.copy(), self.left.copy()
        every[rows] = evidence
        shifts[rows] = np.clip(shift, -_FAR * lefts[rows], _FAR * lefts[rows])
        likely, _ = self.side.fit.weights.likely()
        own = _OWN_MISFIT * self.side.shapes.spread[likely[rows]]
        lefts[rows] = np.minimum(np.hypot(left, own), lefts[rows])
        weights = self.side.fit.weights.times(every)
        moved = replace(self.side, fit=replace(self.side.fit, weights=weights))
        return Located(moved, shifts, lefts)
