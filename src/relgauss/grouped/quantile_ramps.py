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
from relgauss.grouped.quantile_places import Levels, log_points, partial_law, weighted_quantiles
from relgauss.grouped.shape_fit import fit_of
from relgauss.grouped.sides import Side
from relgauss.grouped.signed_grid import SignedGrid

_MISFIT = 0.03  # the part of a group by which a released number may differ from the best shape
_LIGHT = 0.01  # of the heaviest shape's weight: what moves no median
_ABSENT = 0.01  # a share of values that no group has more of: nothing is said of its sign
_FAR = 3.0  # so many times as far it is moved, at most
_NONE, _TINY = -1e300, float(np.finfo(np.float64).tiny)
_NEARER = (1.0, 0.3)  # times as far: between places so far apart a share is taken for a line


@dataclass(frozen=True, eq=False)
class RampReading:
    """What released ramps say: of shapes, and of quantiles.

    Attributes
    ----------
    noisy
        The released numbers.
    grid
        The grid that the ramps lie on.
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
    grid: SignedGrid
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
                after = _risen_by_shape(side, likely, self._ramp(place)) + others[:, place, None]
            evidence -= (self.noisy.values[:, place, None] - number * (before - after)) ** 2 * precision
            before = after
        weights = side.fit.weights.times(_within_kinds(side, evidence))
        # Records that a shape explained which ramps gave up must be told from noise once more.
        return replace(side, fit=fit_of(side.shapes, weights, side.counts))

    def moved(
        self,
        place: int,
        side: Side,
        rows: NDArray[np.intp],
        others: FloatArray,
        likely: NDArray[np.intp],
        shift: FloatArray,
        tau: FloatArray,
    ) -> FloatArray:
        """How far the quantile of a level (its place) lies off under likely shapes, by what was released.

        Moved by d on the logarithmic axis, the shape has the share g(d) above the ramp. The released share y
        has noise, and d is about tau: so d is least in (d/tau)² + ((y - g(d))/noise)², which is found by
        taking g for a line between two places about d, nearer to it at each step.
        """
        risen, std = (each[rows, place, None] for each in self.risen)
        ramp = tuple(each[rows] for each in self._ramp(place))
        measured, moved = risen - others[rows, place, None], np.zeros(shift.shape)
        for reach in _NEARER:
            below, here, above = (
                _risen_by_shape(side, likely, ramp, rows, shift + moved + part * reach * tau)
                for part in (-1, 0, 1)
            )
            slope = (above - below) / (2 * reach)  # for each tau
            gap = measured - here + slope * moved / tau
            moved = tau * np.clip(gap * slope / (slope**2 + std**2 + 1e-300), -_FAR, _FAR)
        return np.asarray(moved)

    def _ramp(self, place: int) -> tuple[FloatArray, FloatArray]:
        ramps, edges = self.noisy.ramps, self.grid.edges
        return edges[ramps.lower[:, place]], edges[ramps.upper[:, place]]

    def without(self, side: Side, sides: tuple[Side, ...]) -> FloatArray:
        """What zeros and the other side add to the share above each ramp, on average over its shapes."""
        lower, upper = self.noisy.ramps.lower, self.noisy.ramps.upper
        start, end = self.grid.edges[lower], self.grid.edges[upper]
        found = self.zero[:, None] * np.clip(-start / (end - start), 0.0, 1.0)
        for other in sides:
            if other is not side and other.share.max() > _ABSENT:
                likely, weights = other.fit.weights.likely()
                for place in range(lower.shape[1]):
                    risen = _risen_by_shape(other, likely, self._ramp(place))
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
            heavy = _heaviest(weights[rows])
            shapes = np.take_along_axis(likely[rows], heavy, axis=1)
            shift, tau, weight = (
                np.take_along_axis(each[rows], heavy, axis=1) for each in (one.shift, one.left, weights)
            )
            centres = log_points(side, shapes, levels.inner[rows, place]) + shift
            if reading is not None and others is not None:
                centres = centres + reading.moved(place, side, rows, others, shapes, shift, tau)
            (middle,) = weighted_quantiles(centres, weight, [0.5])
            magnitude = np.clip(np.exp(middle), side.grid.magnitudes.low, side.grid.magnitudes.high)
            found[rows, place] = side.sign * magnitude
    return found


def _within_kinds(side: Side, evidence: FloatArray) -> FloatArray:
    """The same, less what it says of whether some lie apart, and which: counts say more of that.

    Of the many that a minority lies apart from there is one shape that stands for several, which ramps tell
    from any of them: all values at one place would speak against it, and so against the minority.
    """
    likely, weights = side.fit.weights.likely()
    kinds = side.shapes.apart
    number = int(kinds.max()) + 1
    kind = (np.arange(len(likely))[:, None] * number + kinds[likely]).ravel()
    evidence = np.where(weights > 0, evidence, _NONE)
    largest = np.full(len(likely) * number, _NONE)
    np.maximum.at(largest, kind, evidence.ravel())
    relative = np.exp(evidence.ravel() - largest[kind])
    before, after = (
        np.bincount(kind, each.ravel(), len(largest))[kind] for each in (weights, weights.ravel() * relative)
    )
    gained = np.log(np.maximum(before * relative / np.maximum(after, _TINY), _TINY))
    return np.asarray(gained.reshape(evidence.shape))


def _heaviest(weights: FloatArray) -> NDArray[np.intp]:
    """The places of the weights that matter, as many in each row: a median needs no others."""
    matter = weights > _LIGHT * weights.max(axis=1, keepdims=True)
    return np.argsort(-weights, axis=1)[:, : matter.sum(axis=1).max()]


def _risen_by_shape(
    side: Side,
    likely: NDArray[np.intp],
    ramp: tuple[FloatArray, ...],
    rows: NDArray[np.intp] | None = None,
    moved: FloatArray | float = 0.0,
) -> FloatArray:
    """The share of a group's values that are of this side and above the ramp, under each likely shape.

    With magnitudes X of at least low, the share of them above a ramp from a to b is the integral of P(X > x)
    from a to b, over b - a. The shapes are ``moved`` so far on the logarithmic axis.
    """
    share = (side.share if rows is None else side.share[rows])[:, None]
    start, end = (each[:, None] for each in ramp)
    if side.sign < 0:
        start, end = -end, -start
    first, last = (np.maximum(each, side.grid.magnitudes.low) for each in (start, end))
    certain, factor = (end - start) - (last - first), np.exp(-np.asarray(moved))
    first, last = first * factor, last * factor
    (below_first, mean_first), (below_last, mean_last) = (
        partial_law(side.shapes, likely, each) for each in (first, last)
    )
    inside = last * (1 - below_last) - first * (1 - below_first) + mean_last - mean_first
    risen = np.clip((certain + inside / factor) / (end - start), 0.0, 1.0)
    return np.asarray(share * (risen if side.sign > 0 else 1 - risen))
