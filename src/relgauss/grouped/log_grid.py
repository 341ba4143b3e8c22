"""A public grid with equal steps on the logarithmic axis, for values of unknown scale in a known range."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from relgauss import validate
from relgauss.arrays import FloatArray
from relgauss.errors import InvalidParameterError

BIN_RATIO = 1.25  # about the spread of values that belong together; each bin costs a noisy count
MOST_BINS = 128  # bins of ratio 1.38 over the widest usual range; tails would hide in coarser ones
CELLS_PER_BIN = 2

_WIDEST = 2.0**64
_NARROWEST = 1 + 1e-6  # values are rounded to 2^-30 of themselves, so that less would be no range


@dataclass(frozen=True)
class LogGrid:
    """``bins`` bins of equal ratio over [low, high], each cut into cells:

        edge_j = low (high/low)^(j/cells),   j = 0, ..., cells = 2 bins

    Bins are counted with noise; windows begin and end at the edges of cells. ``low`` and ``high`` are the
    ends of the public range of values.
    """

    low: float
    high: float
    bins: int

    @classmethod
    def over(cls, low: float, high: float) -> LogGrid:
        """The grid over a public range: bins of ratio 1.25, or wider ones if there were too many."""
        fix = "Pass what is publicly known about the values, such as (1e3, 1e6)."
        low = validate.positive("the range's low end", low, fix)
        high = validate.positive("the range's high end", high, fix)
        if not _NARROWEST <= high / low <= _WIDEST or not 1e-100 < low < high < 1e100:
            requirement = "a range (low, high) with 1.000001 low <= high <= 2^64 low"
            raise InvalidParameterError("value_range", (low, high), requirement, fix)
        wanted = math.ceil(math.log(high / low) / math.log(BIN_RATIO) - 1e-9)
        return cls(low, high, min(wanted, MOST_BINS))

    @property
    def cells(self) -> int:
        """The number of cells."""
        return CELLS_PER_BIN * self.bins

    @property
    def step(self) -> float:
        """The width of a cell on the logarithmic axis."""
        return math.log(self.high / self.low) / self.cells

    @cached_property
    def log_edges(self) -> FloatArray:
        """The logarithms of the edges of all cells."""
        return np.linspace(math.log(self.low), math.log(self.high), self.cells + 1)

    @cached_property
    def edges(self) -> FloatArray:
        """The edges of all cells; the first is low and the last is high, exactly."""
        edges = np.exp(self.log_edges)
        edges[0], edges[-1] = self.low, self.high
        return edges

    @cached_property
    def bin_centres(self) -> FloatArray:
        """For each bin, the mean of values whose logarithms are spread evenly over it."""
        return _log_mean(self.edges[::CELLS_PER_BIN])

    @cached_property
    def cell_centres(self) -> FloatArray:
        """For each cell, the mean of values whose logarithms are spread evenly over it."""
        return _log_mean(self.edges)


@dataclass(frozen=True, eq=False)
class Windows:
    """A window [edges[lower], edges[upper]] for each group, as indices of the grid's edges."""

    lower: NDArray[np.intp]
    upper: NDArray[np.intp]


def _log_mean(edges: FloatArray) -> FloatArray:
    return np.diff(edges) / np.diff(np.log(edges))
