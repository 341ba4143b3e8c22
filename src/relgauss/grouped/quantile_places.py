"""Where quantiles may lie: by the shapes that fit the counts of a group, on the logarithmic axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.grouped.placed_shapes import PlacedShapes
from relgauss.grouped.shapes import ALL_SHAPES
from relgauss.grouped.sides import Side
from relgauss.grouped.signed_grid import Ramps, SignedGrid

_BESIDE = 0.4  # the probability that a quantile lies below its ramp, and above it
_FINE_LEVELS = np.linspace(0.0005, 0.9995, 1000)
_DISTANCE = np.linspace(-12.0, 14.0, 5201)  # on the logarithmic axis, from the position of a shape


@dataclass(frozen=True, eq=False)
class Levels:
    """In which part of each group a quantile lies, for each level, and at which level of that part.

    ``sign`` is 0 where it lies among the zeros; ``inner`` is the level among the magnitudes of its sign. Both
    have a row for each group.
    """

    sign: NDArray[np.int8]
    inner: FloatArray

    @classmethod
    def of(cls, levels: Sequence[float], sides: tuple[Side, ...], zero: FloatArray) -> Levels:
        """The places of rising levels, by the estimated shares of zeros and of each sign."""
        asked, positive = np.asarray(levels)[None, :], np.maximum(sides[0].share[:, None], 1e-9)
        negative = sides[1].share[:, None] if len(sides) > 1 else np.zeros((len(zero), 1))
        rest = asked - negative - zero[:, None]
        sign = np.where(rest > 0, 1, np.where(asked <= negative, -1, 0)).astype(np.int8)
        inner = np.where(sign > 0, rest / positive, 1 - asked / np.maximum(negative, 1e-9))
        return cls(sign, np.clip(inner, 0.0, 1.0))


def choose_ramps(
    grid: SignedGrid, sides: tuple[Side, ...], levels: Levels, single: NDArray[np.bool_], middle: int
) -> Ramps:
    """A ramp for each level: between the 40th and the 60th percentile of where its quantile may lie.

    The groups ``single`` have that of the level ``middle`` (its place) for all levels.
    """
    lower = np.full(levels.sign.shape, grid.zero, dtype=np.intp)
    upper = lower + 1
    for side in sides:
        likely, weights = side.fit.weights.likely()
        for place in range(levels.sign.shape[1]):
            rows = np.flatnonzero(levels.sign[:, place] == side.sign)
            if not rows.size:
                continue
            points = log_points(side, likely[rows], levels.inner[rows, place])
            least, most = weighted_quantiles(points, weights[rows], (_BESIDE, 1 - _BESIDE))
            magnitudes = grid.magnitudes
            first = np.floor((least - magnitudes.log_edges[0]) / magnitudes.step).astype(np.intp)
            last = np.ceil((most - magnitudes.log_edges[0]) / magnitudes.step).astype(np.intp)
            first = np.clip(first, 0, magnitudes.cells - 1)
            last = np.clip(last, first + 1, magnitudes.cells)
            ends = (grid.zero + 1 + first, grid.zero + 1 + last)
            if side.sign < 0:
                ends = (grid.zero - last, grid.zero - first)
            lower[rows, place], upper[rows, place] = ends
    lower[single], upper[single] = lower[single, middle, None], upper[single, middle, None]
    return Ramps(np.maximum.accumulate(lower, axis=1), np.maximum.accumulate(upper, axis=1))


def log_points(side: Side, likely: NDArray[np.intp], inner: FloatArray) -> FloatArray:
    """The logarithm of the quantile under each likely shape, at each group's level."""
    shapes = side.shapes
    shape, position = np.divmod(likely, shapes.positions)
    offsets = _log_quantiles(inner)
    edges = shapes.grid.log_edges
    places = edges[0] + (position + 0.5) * shapes.position_step
    return np.asarray(np.clip(places + np.take_along_axis(offsets, shape, axis=1), edges[0], edges[-1]))


def weighted_quantiles(
    points: FloatArray, weights: FloatArray, levels: Sequence[float]
) -> tuple[FloatArray, ...]:
    """Quantiles of weighted points, a row of them for each group."""
    order = np.argsort(points, axis=1)
    ordered: FloatArray = np.take_along_axis(points, order, axis=1)
    below = np.cumsum(np.take_along_axis(weights, order, axis=1), axis=1)
    total = below[:, -1:]
    found = []
    for level in levels:
        place = np.minimum((below < level * total).sum(axis=1), points.shape[1] - 1)
        found.append(ordered[np.arange(len(points)), place])
    return tuple(found)


def _log_quantiles(levels: FloatArray) -> FloatArray:
    """For each level a row: the distance of each shape's quantile from its position, away from the ends."""
    table = _log_quantile_table()
    place = np.clip((levels - _FINE_LEVELS[0]) * (len(_FINE_LEVELS) - 1) / np.ptp(_FINE_LEVELS), 0, 998.999)
    first, part = place.astype(np.intp), (place % 1)[:, None]
    return np.asarray((1 - part) * table[first] + part * table[first + 1])


def partial_law(
    shapes: PlacedShapes, likely: NDArray[np.intp], magnitudes: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """P(X < x) and E[X; X < x] of each likely shape, at any magnitude x: a row for each group."""
    shape, position = np.divmod(likely, shapes.positions)
    log_place = shapes.grid.log_edges[0] + (position + 0.5) * shapes.position_step
    below, partial_mean = _laws()
    place = (np.log(magnitudes) - log_place - _DISTANCE[0]) / (_DISTANCE[1] - _DISTANCE[0])
    place = np.clip(place, 0.0, len(_DISTANCE) - 1.001)
    first, part = place.astype(np.intp), place % 1
    found, found_mean = (
        (1 - part) * table[shape, first] + part * table[shape, first + 1] for table in (below, partial_mean)
    )
    return found, np.exp(log_place) * found_mean


@lru_cache(maxsize=1)
def _laws() -> tuple[FloatArray, FloatArray]:
    """P(X < x) and E[X; X < x] of all shapes at position 1, for all distances log x."""
    below = np.array([sum((peak.below(_DISTANCE) for peak in shape), np.zeros(1)) for shape in ALL_SHAPES])
    middles = np.exp((_DISTANCE[1:] + _DISTANCE[:-1]) / 2)
    return below, np.cumsum(np.diff(below, axis=1, prepend=below[:, :1]) * np.append(0.0, middles), axis=1)


@lru_cache(maxsize=1)
def _log_quantile_table() -> FloatArray:
    below, _ = _laws()
    return np.array([np.interp(_FINE_LEVELS, each, _DISTANCE) for each in below]).T
