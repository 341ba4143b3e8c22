"""Every shape at every position of a grid, and what bins, windows and means make of it.

Noisy counts of a small group are mostly noise, bin by bin; that its values lie together is what makes it
visible. Placed shapes are public, and computed once for a grid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.grouped.shapes import (
    ALL_SHAPES,
    APART,
    MINORITIES,
    PRIOR,
    Many,
    Shape,
    log_spread,
    misfit_apart,
)
from relgauss.grouped.signed_grid import CELLS_PER_BIN, LogGrid

Singles = NDArray[np.float32]
"""Numbers that only weigh shapes against each other: half the digits, and twice as fast."""

_POSITIONS_PER_CELL = 2
_WORST_LOSS = 0.5  # of the mean
_ROWS_IN_CACHE = 256
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
    below
        The share of values below each edge of a cell.
    spread
        The standard deviation of the logarithms of values.
    is_slow
        Whether values fall off more slowly than a Pareto tail of index 2.
    log_prior
        The logarithm of the prior weight; it favours no position over another.
    """

    grid: LogGrid
    positions: int
    position_step: float
    below: FloatArray
    spread: FloatArray
    is_slow: NDArray[np.bool_]
    log_prior: FloatArray

    @cached_property
    def bin_shares(self) -> Singles:
        """The share of values in each bin."""
        return np.diff(self.below[:, ::CELLS_PER_BIN], axis=1).astype(np.float32)

    @cached_property
    def minorities(self) -> tuple[PlacedMinority, ...]:
        """What the last shapes have apart from the many, those that lie at one place together."""
        by_shape = self.bin_shares.reshape(-1, self.positions, self.grid.bins)
        first, found = len(by_shape) - len(MINORITIES), []
        for place in dict.fromkeys(replace(few, share=1.0) for _, few in MINORITIES):
            below = _below(((place,),), self.grid)[:, ::CELLS_PER_BIN]
            shares = np.diff(below, axis=1).astype(np.float32)
            shares[shares < _NOTHING] = 0.0
            squared = np.square(shares).sum(axis=1)
            for shape, (many, few) in enumerate(MINORITIES, start=first):
                if replace(few, share=1.0) == place:
                    each = [np.einsum("pb,pb->p", by_shape[member], shares) for member in many.members]
                    kind, overlap = APART.index(few), np.max(each, axis=0)
                    misfit = misfit_apart(many, few)
                    found.append(
                        PlacedMinority(shape, kind, many, few.share, misfit, shares, squared, overlap)
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

    @cached_property
    def partial_means(self) -> FloatArray:
        """E[X; X < edge] for each edge."""
        found = np.zeros(self.below.shape)
        for rows in self._row_blocks():
            parts = np.diff(self.below[rows], axis=1) * self.grid.cell_centres
            np.cumsum(parts, axis=1, out=found[rows, 1:])
        return found

    @cached_property
    def mean(self) -> FloatArray:
        """The mean value E X of each placed shape."""
        return self.partial_means[:, -1]

    @cached_property
    def variance(self) -> FloatArray:
        """The variance of each placed shape."""
        squares: FloatArray = np.diff(self.below, axis=1) @ self.grid.cell_centres**2
        return np.maximum(squares - self.mean**2, 0.0)

    @cached_property
    def shortfall(self) -> Singles:
        """E max(edge - X, 0): how much clipping at this edge from below adds to the mean."""
        found = np.empty(self.below.shape, dtype=np.float32)
        for rows in self._row_blocks():
            short = self.grid.edges * self.below[rows] - self.partial_means[rows]
            found[rows] = np.maximum(short, 0.0)
        return found

    @cached_property
    def excess(self) -> Singles:
        """E max(X - edge, 0): how much clipping at this edge from above takes off the mean."""
        found = np.empty(self.below.shape, dtype=np.float32)
        for rows in self._row_blocks():
            beyond = self.mean[rows, None] - self.partial_means[rows]
            found[rows] = np.maximum(beyond - self.grid.edges * (1 - self.below[rows]), 0.0)
        return found

    @cached_property
    def relative_losses(self) -> Singles:
        """shortfall/mean at all edges, then excess/mean; a window that misses a shape loses 1/2."""
        found = np.empty((len(self.below), 2 * self.below.shape[1]), dtype=np.float32)
        for rows in self._row_blocks():
            lost = np.concatenate([self.shortfall[rows], self.excess[rows]], axis=1) / self.mean[rows, None]
            found[rows] = np.minimum(lost, _WORST_LOSS)
        return found

    def _row_blocks(self) -> list[slice]:
        """Some rows at a time, which stay in the cache while several operations go over them."""
        return [slice(first, first + _ROWS_IN_CACHE) for first in range(0, len(self.below), _ROWS_IN_CACHE)]


@dataclass(frozen=True, eq=False)
class PlacedMinority:
    """Values that lie apart, at every position of the many: of these, a row for each position.

    Attributes
    ----------
    shape
        The place, among all shapes, of the one that has it.
    kind
        The place among the minorities that may lie apart.
    many
        What it lies apart from.
    share
        The share of all values.
    misfit
        The part of a group by which a bin may differ there from the best shape of the many.
    shares
        The share of the minority in each bin.
    squared
        The sum of their squares.
    overlap
        What the many at most put where the minority lies: the largest sum of products with their shares.
    """

    shape: int
    kind: int
    many: Many
    share: float
    misfit: float
    shares: Singles
    squared: Singles
    overlap: Singles


@lru_cache(maxsize=4)
def placed_shapes(grid: LogGrid) -> PlacedShapes:
    """All shapes at all positions of this grid."""
    count = _positions(grid).size
    return PlacedShapes(
        grid,
        positions=count,
        position_step=grid.step / _POSITIONS_PER_CELL,
        below=_below(ALL_SHAPES, grid),
        spread=np.repeat([log_spread(shape) for shape in ALL_SHAPES], count),
        is_slow=np.repeat([any(peak.is_slow for peak in shape) for shape in ALL_SHAPES], count),
        log_prior=np.repeat(np.log(PRIOR), count),
    )


def _positions(grid: LogGrid) -> FloatArray:
    count = _POSITIONS_PER_CELL * grid.cells
    positions: FloatArray = grid.log_edges[0] + (np.arange(count) + 0.5) * grid.step / _POSITIONS_PER_CELL
    return positions


def _below(shapes: Sequence[Shape], grid: LogGrid) -> FloatArray:
    """The share of values below each edge of a cell: for each shape, a row for each position."""
    distance = grid.log_edges[None, 1:-1] - _positions(grid)[:, None]
    below = np.zeros((len(shapes), len(distance), grid.cells + 1))
    below[:, :, -1] = 1.0
    for shape, inner in zip(shapes, below[:, :, 1:-1], strict=True):
        for peak in shape:
            inner += peak.below(distance)
    return below.reshape(-1, grid.cells + 1)
