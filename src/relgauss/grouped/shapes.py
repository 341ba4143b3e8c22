"""How the positive values of a group may lie: in one or two peaks on the logarithmic axis, anywhere.

Noisy counts of a small group are mostly noise, bin by bin; that its values lie together is what makes it
visible. A *shape* says how values lie about a position; *placed shapes* are every shape at every position.
They are public and only guide computations on released numbers: no guarantee rests on them. Negative values
have the same shapes, mirrored.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc, ndtr

from relgauss.arrays import FloatArray
from relgauss.grouped.signed_grid import CELLS_PER_BIN, LogGrid

Singles = NDArray[np.float32]
"""Numbers that only weigh shapes against each other: half the digits, and twice as fast."""

POSITIONS_PER_CELL = 2

_FLANKS = (0.03, 0.12, 0.5)  # values within 3 %, 12 % or 50 % of each other, on either side
_PARETO_RIGHTS = (0.3, 0.67, 0.9)  # Pareto tails of index 3.3, 1.5 and 1.1
_BELLS = (0.05, 0.1, 0.16, 0.25, 0.5, 1.0, 2.0)  # lognormal
_POWERS = (1.0, 2.0, 8.0)  # spread evenly from 0 on, then falling off as exponential, normal, uniform laws do
_FLANK_OF_TWO = 0.06
_SHIFTS = (-0.8, 0.5, 0.8, 1.1, 1.4, 1.8)  # the second peak: at 0.45, 1.6, 2.2, 3, 4 or 6 times the first
_MINORITIES = (0.05, 0.1, 0.25)
_FAR_BELL = 0.25
_FAR_SHIFTS = (2.3, 3.0, 3.8, 4.6, 5.7, 6.9)  # at 10, 20, 45, 100, 300 or 1,000 times the first
_FAR_MINORITIES = (0.012, 0.05, 0.2)
_WORST_LOSS = 0.5  # of the mean


@dataclass(frozen=True)
class Peak:
    """A share of the values, with log-density falling off like -distance/left and -distance/right.

    ``shift`` is the distance of the peak from the position of its shape; all are on the logarithmic axis.
    """

    share: float
    shift: float
    left: float
    right: float

    def below(self, distance: FloatArray) -> FloatArray:
        """The share of all values that lie below a log-distance from the shape's position."""
        x = distance - self.shift
        left_part = self.left / (self.left + self.right)
        rising = left_part * np.exp(np.minimum(x, 0.0) / self.left)
        falling = 1 - (1 - left_part) * np.exp(-np.maximum(x, 0.0) / self.right)
        return self.share * np.where(x < 0, rising, falling)

    @property
    def is_slow(self) -> bool:
        """Whether values fall off more slowly than a Pareto tail of index 2."""
        return self.right > 0.5


@dataclass(frozen=True)
class Bell:
    """A share of the values, lognormal: a normal law of this spread on the logarithmic axis."""

    share: float
    shift: float
    spread: float

    def below(self, distance: FloatArray) -> FloatArray:
        """The share of all values that lie below a log-distance from the shape's position."""
        below: FloatArray = self.share * ndtr((distance - self.shift) / self.spread)
        return below

    @property
    def is_slow(self) -> bool:
        """Whether one value in a thousand still falls off more slowly than a Pareto tail of index 2."""
        return self.spread > 1.5


@dataclass(frozen=True)
class FromZero:
    """All values, of a density proportional to exp(-x^power/power): even near 0."""

    power: float

    is_slow = False

    def below(self, distance: FloatArray) -> FloatArray:
        """The share of all values that lie below a log-distance from the shape's position."""
        x = np.exp(np.clip(distance, -300.0, 50.0 / self.power))
        below: FloatArray = gammainc(1 / self.power, x**self.power / self.power)
        return below


Shape = tuple[Peak | Bell | FromZero, ...]


def _smaller(peak: Peak | Bell | FromZero, share: float) -> Peak | Bell | FromZero:
    """The same peak, of this share of the values."""
    return peak if isinstance(peak, FromZero) else replace(peak, share=share)


ONE_PEAK: tuple[Shape, ...] = (
    *((Peak(1.0, 0.0, left, right),) for left in _FLANKS for right in _FLANKS),
    *((Peak(1.0, 0.0, _FLANKS[0], right),) for right in _PARETO_RIGHTS),
    *((Bell(1.0, 0.0, spread),) for spread in _BELLS),
    *((FromZero(power),) for power in _POWERS),
)
TWO_PEAKS: tuple[Shape, ...] = tuple(
    (
        Peak(1 - minority, 0.0, _FLANK_OF_TWO, _FLANK_OF_TWO),
        Peak(minority, shift, _FLANK_OF_TWO, _FLANK_OF_TWO),
    )
    for shift in _SHIFTS
    for minority in _MINORITIES
)
FAR_BASES = (0, ONE_PEAK.index((Bell(1.0, 0.0, _FAR_BELL),)))
"""The shapes of one peak, by their places, that may have a few values far above."""

FAR_MINORITIES: tuple[Shape, ...] = tuple(
    (_smaller(ONE_PEAK[base][0], 1 - minority), Bell(minority, shift, _FAR_BELL))
    for base in FAR_BASES
    for shift in _FAR_SHIFTS
    for minority in _FAR_MINORITIES
)
FAR_PEAKS: tuple[Shape, ...] = tuple(
    (Bell(0.5, 0.0, _FAR_BELL), Bell(0.5, shift, _FAR_BELL)) for shift in _FAR_SHIFTS
)
ALL_SHAPES = ONE_PEAK + TWO_PEAKS + FAR_PEAKS + FAR_MINORITIES
_PRIOR = ((ONE_PEAK, 0.775), (TWO_PEAKS, 0.2), (FAR_PEAKS, 0.02), (FAR_MINORITIES, 0.005))


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

    @property
    def far_bases(self) -> list[int]:
        """For each of the last shapes, which have minorities far above, the shape without them."""
        return [base for base in FAR_BASES for _ in range(len(FAR_MINORITIES) // len(FAR_BASES))]

    @property
    def far_minorities(self) -> Singles:
        """The share of values that each of these minorities is."""
        return np.tile(_FAR_MINORITIES, len(FAR_BASES) * len(_FAR_SHIFTS)).astype(np.float32)

    @cached_property
    def far_shares(self) -> Singles:
        """The share of values in each bin that these minorities have: by minority and position."""
        by_shape = self.bin_shares.reshape(-1, self.positions, self.grid.bins)
        kept = (1 - self.far_minorities)[:, None, None]
        far: Singles = by_shape[-len(kept) :] - kept * by_shape[self.far_bases]
        return far

    @cached_property
    def far_squares(self) -> Singles:
        """The sum of the squared shares of all bins, of a minority by itself."""
        squared: Singles = np.square(self.far_shares).sum(axis=2) / self.far_minorities[:, None] ** 2
        return squared

    @cached_property
    def squared_shares(self) -> Singles:
        """The sum of the squared shares of all bins."""
        squared: Singles = np.einsum("ij,ij->i", self.bin_shares, self.bin_shares)
        return squared

    @cached_property
    def partial_means(self) -> FloatArray:
        """E[X; X < edge] for each edge."""
        parts = np.diff(self.below, axis=1) * self.grid.cell_centres
        return np.concatenate([np.zeros((len(parts), 1)), np.cumsum(parts, axis=1)], axis=1)

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
        short = np.maximum(self.grid.edges * self.below - self.partial_means, 0.0)
        return short.astype(np.float32)

    @cached_property
    def excess(self) -> Singles:
        """E max(X - edge, 0): how much clipping at this edge from above takes off the mean."""
        beyond = self.mean[:, None] - self.partial_means
        return np.maximum(beyond - self.grid.edges * (1 - self.below), 0.0).astype(np.float32)

    @cached_property
    def relative_losses(self) -> Singles:
        """shortfall/mean at all edges, then excess/mean; a window that misses a shape loses 1/2."""
        lost = np.concatenate([self.shortfall, self.excess], axis=1) / self.mean[:, None]
        return np.minimum(lost, _WORST_LOSS).astype(np.float32)


@lru_cache(maxsize=4)
def placed_shapes(grid: LogGrid) -> PlacedShapes:
    """All shapes at all positions of this grid."""
    count = POSITIONS_PER_CELL * grid.cells
    positions = grid.log_edges[0] + (np.arange(count) + 0.5) * grid.step / POSITIONS_PER_CELL
    distance = grid.log_edges[None, 1:-1] - positions[:, None]
    shapes = ALL_SHAPES
    inner = np.concatenate([sum((peak.below(distance) for peak in shape), 0.0) for shape in shapes])
    below = np.concatenate([np.zeros((len(inner), 1)), inner, np.ones((len(inner), 1))], axis=1)
    prior = np.concatenate([np.full(len(family), weight / len(family)) for family, weight in _PRIOR])
    return PlacedShapes(
        grid,
        positions=count,
        position_step=grid.step / POSITIONS_PER_CELL,
        below=below,
        spread=np.repeat([_spread(shape) for shape in shapes], count),
        is_slow=np.repeat([any(peak.is_slow for peak in shape) for shape in shapes], count),
        log_prior=np.repeat(np.log(prior), count),
    )


def _spread(shape: Shape) -> float:
    """The standard deviation of the log-distance, by its distribution function on a fine grid."""
    distance = np.linspace(-12.0, 14.0, 5201)
    shares = np.diff(sum((peak.below(distance) for peak in shape), np.zeros(1)))
    middle = (distance[1:] + distance[:-1]) / 2
    centre = shares @ middle / shares.sum()
    return math.sqrt(shares @ (middle - centre) ** 2 / shares.sum())
