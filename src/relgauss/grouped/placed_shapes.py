"""Every shape at every position of a grid, and what bins, windows and means make of it.

Noisy counts of a small group are mostly noise, bin by bin; that its values lie together is what makes it
visible. Placed shapes are public, and computed once for a grid.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.grouped.shapes import (
    ALL_SHAPES,
    MANY,
    MINORITIES,
    PRIOR,
    Many,
    Shape,
    kind_apart,
    log_spread,
    misfit_apart,
)
from relgauss.grouped.signed_grid import CELLS_PER_BIN, LogGrid

Singles = NDArray[np.float32]
"""Numbers that only weigh shapes against each other: half the digits and memory, and twice as fast."""

_POSITIONS_PER_CELL = 2
_WORST_LOSS = 0.5  # of the mean
_NOTHING = 1e-9  # a share of values; much smaller ones take long to multiply


@dataclass(frozen=True, eq=False)
class PlacedShapes:
    """Every shape at every position of a grid: a row for each, all positions of one shape together.

    Attributes
    ----------
    grid
        The grid.
    positions
        The number of positions, equally spaced on the logarithmic axis.
    position_step
        The distance from one to the next.
    law
        For each shape a row: the share of values below an edge, by how many steps it lies above a position.
    below
        The share of values below each edge of a cell.
    bin_shares
        The share of values in each bin.
    mean, variance
        Those of the values.
    shortfall, excess
        E max(edge - X, 0) and E max(X - edge, 0): what clipping at an edge adds to the mean, and takes off,
        in parts of the mean.
    relative_losses
        shortfall at all edges, then excess; a window that misses a shape loses 1/2.
    spread
        The standard deviation of the logarithms of values.
    is_slow
        Whether values fall off more slowly than a Pareto tail of index 2.
    apart
        The kind of what lies apart from the others; 0 is none.
    log_prior
        The logarithm of the prior weight; it favours no position over another.
    """

    grid: LogGrid
    positions: int
    position_step: float
    law: FloatArray
    below: Singles
    bin_shares: Singles
    mean: FloatArray
    variance: FloatArray
    shortfall: Singles
    excess: Singles
    relative_losses: Singles
    spread: FloatArray
    is_slow: NDArray[np.bool_]
    apart: NDArray[np.intp]
    log_prior: FloatArray

    @cached_property
    def minorities(self) -> tuple[PlacedMinorities, ...]:
        """What the last shapes have apart from the many, those that lie at one place together."""
        by_shape = self.bin_shares.reshape(-1, self.positions, self.grid.bins)
        found = []
        for place in dict.fromkeys(replace(few, share=1.0) for _, few in MINORITIES):
            below = _below(_law((place,), self.grid), self.grid)[:, ::CELLS_PER_BIN]
            shares = np.diff(below, axis=1).astype(np.float32)
            shares[shares < _NOTHING] = 0.0
            overlaps = {
                many: np.max([np.einsum("pb,pb->p", by_shape[each], shares) for each in many.members], axis=0)
                for many in MANY
            }
            numbers = [n for n, (_, few) in enumerate(MINORITIES) if replace(few, share=1.0) == place]
            manys, fews = zip(*(MINORITIES[number] for number in numbers), strict=True)
            found.append(
                PlacedMinorities(
                    np.array(numbers),
                    manys,
                    np.array([[few.share] for few in fews], dtype=np.float32),
                    np.array([[misfit_apart(*MINORITIES[n])] for n in numbers], dtype=np.float32),
                    shares,
                    np.square(shares).sum(axis=1),
                    overlap=np.array([overlaps[many] for many in manys]),
                )
            )
        return tuple(found)

    @cached_property
    def common(self) -> int:
        """The number of rows of shapes that have no minority apart: the first ones."""
        return len(self.below) - len(MINORITIES) * self.positions

    @cached_property
    def squared_shares(self) -> Singles:
        """The sum of the squared shares of all bins."""
        squared: Singles = np.einsum("ij,ij->i", self.bin_shares, self.bin_shares)
        return squared

    def share_below(self, rows: NDArray[np.intp], edges: NDArray[np.intp]) -> FloatArray:
        """The share of values below edges, to all digits; that above is 1 less it, where it is nearly 1."""
        shape, position = np.divmod(rows, self.positions)
        inside = self.law[shape, _POSITIONS_PER_CELL * edges - position + self.positions - 1]
        return np.where(edges == 0, 0.0, np.where(edges == self.grid.cells, 1.0, inside))


@dataclass(frozen=True, eq=False)
class PlacedMinorities:
    """Minorities that lie at one place apart, at every position of the many: of these, a column for each.

    Attributes
    ----------
    numbers
        Which minorities they are: a row for each of them in what follows.
    manys
        What each lies apart from.
    share
        The share of all values.
    misfit
        The part of a group by which a bin may differ there from the best shape of the many.
    shares
        The share of the minority in each bin, a row for each position: alike for all of them.
    squared
        The sum of their squares.
    overlap
        What the many at most put where the minority lies: the largest sum of products with their shares.
    """

    numbers: NDArray[np.intp]
    manys: tuple[Many, ...]
    share: Singles
    misfit: Singles
    shares: Singles
    squared: Singles
    overlap: Singles


@lru_cache(maxsize=4)
def placed_shapes(grid: LogGrid) -> PlacedShapes:
    """All shapes at all positions of this grid; shape by shape, so that few numbers have all digits."""
    count, edges, shapes = _POSITIONS_PER_CELL * grid.cells, grid.cells + 1, len(ALL_SHAPES)
    laws = np.array([_law(shape, grid) for shape in ALL_SHAPES])
    below, shortfall, excess = (np.empty((shapes, count, edges), dtype=np.float32) for _ in range(3))
    losses = np.empty((shapes, count, 2 * edges), dtype=np.float32)
    bins = np.empty((shapes, count, grid.bins), dtype=np.float32)
    mean, variance = np.empty((shapes, count)), np.empty((shapes, count))
    for place, law in enumerate(laws):
        each = _below(law, grid)
        below[place], bins[place] = each, np.diff(each[:, ::CELLS_PER_BIN], axis=1)
        parts = np.diff(each, axis=1) * grid.cell_centres
        partial_mean = np.pad(np.cumsum(parts, axis=1), ((0, 0), (1, 0)))
        mean[place] = partial_mean[:, -1]
        variance[place] = np.maximum(parts @ grid.cell_centres - mean[place] ** 2, 0.0)
        scale = mean[place][:, None]  # in whose units nothing is too large for single precision
        shortfall[place] = np.maximum(grid.edges * each - partial_mean, 0.0) / scale
        excess[place] = np.maximum(scale - partial_mean - grid.edges * (1 - each), 0.0) / scale
        lost = np.concatenate([shortfall[place], excess[place]], axis=1)
        losses[place] = np.minimum(lost, _WORST_LOSS)
    return PlacedShapes(
        grid,
        count,
        grid.step / _POSITIONS_PER_CELL,
        laws,
        below.reshape(-1, edges),
        bins.reshape(-1, grid.bins),
        mean.ravel(),
        variance.ravel(),
        shortfall.reshape(-1, edges),
        excess.reshape(-1, edges),
        losses.reshape(-1, 2 * edges),
        spread=np.repeat([log_spread(shape) for shape in ALL_SHAPES], count),
        is_slow=np.repeat([any(peak.is_slow for peak in shape) for shape in ALL_SHAPES], count),
        apart=np.repeat([kind_apart(shape) for shape in ALL_SHAPES], count),
        log_prior=np.repeat(np.log(PRIOR), count),
    )


def _law(shape: Shape, grid: LogGrid) -> FloatArray:
    """The share of values below an edge, by how many steps of positions it lies above one, in all pairs.

    Positions are in the middles of their steps.
    """
    last = _POSITIONS_PER_CELL * grid.cells
    distance = np.arange(0.5 - last, last) * (grid.step / _POSITIONS_PER_CELL)
    return sum((peak.below(distance) for peak in shape), np.zeros(distance.size))


def _below(law: FloatArray, grid: LogGrid) -> FloatArray:
    """The share of values below each edge of a cell, a row for each position; at the ends of the range

    it is 0 and 1, as values beyond are clipped to them.
    """
    edge, position = np.arange(grid.cells + 1), np.arange(_POSITIONS_PER_CELL * grid.cells)[:, None]
    below: FloatArray = law[_POSITIONS_PER_CELL * edge - position + position.size - 1]
    below[:, 0], below[:, -1] = 0.0, 1.0
    return below
