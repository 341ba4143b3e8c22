"""Quantiles by a second look: ramps about the places where shapes that fit the counts put them.

Bins are too coarse for a quantile of values that lie close together. So for each level that is asked for, a
ramp is placed from where its quantile may lie at the least to where it may lie at the most, and the numbers
of values below, between and above the ramps are released (``measure_ramps``). A value inside of a ramp counts
in proportion: its place between two edges tells, not its bin alone. Estimates are post-processing. Where a
person may be in several groups there are no ramps, and estimates come from counts and clipped means.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.grouped.noisy_measurements import NoisyRamps, Present
from relgauss.grouped.posterior_mean import Located
from relgauss.grouped.quantile_places import Levels, log_points, weighted_quantiles
from relgauss.grouped.shape_weights import ShapeFit
from relgauss.grouped.sides import Side

_MISFIT = 0.03  # the part of a group by which a released number may differ from the best shape
_ABSENT = 0.01  # a share of values that no group has more of: nothing is said of its sign
_FAR = 3.0  # so many times as far it is moved, at most


@dataclass(frozen=True, eq=False)
class RampReading:
    """What released ramps say: of shapes, and of quantiles.

    Attributes
    ----------
    noisy
        The released numbers.
    levels
        The places of the levels that the ramps were made for.
    zero
        The share of zeros of each group.
    present
        The number of values of each group, and the level of the noise on it.
    single
        Groups whose ramps are all the same one, so that nothing lies between.
    """

    noisy: NoisyRamps
    levels: Levels
    zero: FloatArray
    present: Present
    single: NDArray[np.bool_]

    @cached_property
    def risen(self) -> tuple[FloatArray, FloatArray]:
        """The share of values above each ramp, by numbers moved alike to add up to N; its noise level."""
        values, number = self.noisy.values, self.present.values[:, None]
        parts = values.shape[1]
        above = np.arange(parts - 1, 0, -1)
        missed = number - values.sum(axis=1, keepdims=True)
        risen = np.cumsum(values[:, :0:-1], axis=1)[:, ::-1] + above / parts * missed
        std = self.noisy.noise_std[:, None] * np.sqrt(above * (parts - above) / parts)
        std = np.hypot(std, above / parts * self.present.noise_std[:, None])
        alone = (number + values[:, -1:] - values[:, :1]) / 2
        alone_std = np.hypot(self.noisy.noise_std / np.sqrt(2), self.present.noise_std / 2)[:, None]
        risen, std = (
            np.where(self.single[:, None], alone, risen),
            np.where(self.single[:, None], alone_std, std),
        )
        return risen / number, std / number

    def refined(self, sides: tuple[Side, ...]) -> tuple[Side, ...]:
        """The sides, their shapes weighed by the released numbers as well."""
        return tuple(
            self._weighed(side, self.without(side, sides)) if side.share.max() > _ABSENT else side
            for side in sides
        )

    def _weighed(self, side: Side, others: FloatArray) -> Side:
        likely, _ = side.fit.weights.likely()
        number, misfit = self.present.values[:, None], _MISFIT * self.present.values
        precision = 1 / (2 * (self.noisy.noise_std**2 + misfit**2))[:, None]
        evidence, before = np.zeros(likely.shape), np.ones(likely.shape)
        for place in range(self.noisy.values.shape[1]):
            after = np.zeros(likely.shape)
            if place < others.shape[1]:
                after = _risen_by_shape(side, likely, *self._ramp(place)) + others[:, place, None]
            evidence -= (self.noisy.values[:, place, None] - number * (before - after)) ** 2 * precision
            before = after
        weights = side.fit.weights.times(evidence)
        return replace(side, fit=ShapeFit(weights, side.fit.unexplained))

    def moved(self, place: int, located: Located, rows: NDArray[np.intp], others: FloatArray) -> FloatArray:
        """How far the quantile of a level (its place) lies off under each likely shape, by what was released.

        Moved by d on the logarithmic axis, the share above the ramp rises by slope d; the gap between that
        share and the released one has noise, and d is about tau: so d is gap tau² slope over
        tau² slope² + noise².
        """
        risen, std = self.risen
        side, shift, tau = located.side, located.shift[rows], located.left[rows]
        likely, (lower, upper) = side.fit.weights.likely()[0][rows], self._ramp(place)
        slope = _slope_by_shape(side, likely, lower[rows], upper[rows], rows)
        expected = _risen_by_shape(side, likely, lower[rows], upper[rows], rows)
        gap = (risen[rows, place] - others[rows, place])[:, None] - expected
        gap = side.sign * gap - slope * shift
        distance = gap * tau**2 * slope / ((tau * slope) ** 2 + std[rows, place, None] ** 2 + 1e-300)
        return np.asarray(np.clip(distance, -_FAR * tau, _FAR * tau))

    def _ramp(self, place: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        return self.noisy.ramps.lower[:, place], self.noisy.ramps.upper[:, place]

    def without(self, side: Side, sides: tuple[Side, ...]) -> FloatArray:
        """What zeros and the other side add to the share above each ramp, on average over its shapes."""
        lower, upper = self.noisy.ramps.lower, self.noisy.ramps.upper
        start, end = side.grid.edges[lower], side.grid.edges[upper]
        found = self.zero[:, None] * np.clip(-start / (end - start), 0.0, 1.0)
        for other in sides:
            if other is not side and other.share.max() > _ABSENT:
                likely, weights = other.fit.weights.likely()
                for place in range(lower.shape[1]):
                    risen = _risen_by_shape(other, likely, *self._ramp(place))
                    found[:, place] += (weights * risen).sum(axis=1)
        return found


def estimate_quantiles(
    levels: Levels, located: tuple[Located, ...], reading: RampReading | None
) -> FloatArray:
    """The estimate for each level, a row for each group: the median over the shapes; zeros have 0."""
    found = np.zeros(levels.sign.shape)
    sides: tuple[Side, ...] = tuple(each.side for each in located)
    for one in located:
        side = one.side
        likely, weights = side.fit.weights.likely()
        others = None if reading is None else reading.without(side, sides)
        for place in range(levels.inner.shape[1]):
            rows = np.flatnonzero(levels.sign[:, place] == side.sign)
            if not rows.size:
                continue
            centres = log_points(side, likely[rows], levels.inner[rows, place]) + one.shift[rows]
            if reading is not None and others is not None:
                centres = centres + reading.moved(place, one, rows, others)
            (middle,) = weighted_quantiles(centres, weights[rows], [0.5])
            magnitude = np.clip(np.exp(middle), side.grid.magnitudes.low, side.grid.magnitudes.high)
            found[rows, place] = side.sign * magnitude
    return found


def _risen_by_shape(
    side: Side,
    likely: NDArray[np.intp],
    lower: NDArray[np.intp],
    upper: NDArray[np.intp],
    rows: NDArray[np.intp] | None = None,
) -> FloatArray:
    """The share of a group's values that are of this side and above the ramp, under each likely shape."""
    share = (side.share if rows is None else side.share[rows])[:, None]
    start, end, first, last = _as_magnitudes(side, lower, upper)
    mean = side.shapes.mean[likely]
    beyond_first = np.where(first >= 0, side.shapes.excess[likely, np.maximum(first, 0)], mean - start)
    beyond_last = np.where(last >= 0, side.shapes.excess[likely, np.maximum(last, 0)], mean - end)
    risen = np.clip((beyond_first - beyond_last) / (end - start), 0.0, 1.0)
    return np.asarray(share * (risen if side.sign > 0 else 1 - risen))


def _slope_by_shape(
    side: Side,
    likely: NDArray[np.intp],
    lower: NDArray[np.intp],
    upper: NDArray[np.intp],
    rows: NDArray[np.intp],
) -> FloatArray:
    """How fast that share changes, in magnitude, as the shape moves on the logarithmic axis."""
    start, end, first, last = _as_magnitudes(side, lower, upper)
    below = side.shapes.partial_means
    inside = below[likely, np.maximum(last, 0)] - below[likely, np.maximum(first, 0)]
    return np.asarray(side.share[rows][:, None] * inside / (end - start))


def _as_magnitudes(
    side: Side, lower: NDArray[np.intp], upper: NDArray[np.intp]
) -> tuple[FloatArray, FloatArray, NDArray[np.intp], NDArray[np.intp]]:
    """A ramp as this side sees it, and its ends among the edges of magnitudes: below 0 if not there."""
    edges, first = side.grid.edges, side.grid.zero + 1
    lower, upper = lower[:, None], upper[:, None]
    if side.sign > 0:
        return edges[lower], edges[upper], lower - first, upper - first
    return -edges[upper], -edges[lower], side.grid.zero - upper, side.grid.zero - lower
