"""A public grid for values of unknown scale: cells of equal ratio on either side of a cell for exact zeros.

    [ negative cells | zero | positive cells | missing ]

Magnitudes have a known range; a public choice says which signs may occur, and whether missing values are
left out, and then have a cell of their own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from relgauss import validate
from relgauss.arrays import FloatArray
from relgauss.errors import InvalidParameterError

Signs = Literal["positive", "both"]
"""Which values may occur: zeros and positive ones, or negative ones as well."""

BIN_RATIO = 1.25  # about the spread of values that belong together; each bin costs a noisy count
MOST_BINS = 128  # bins of ratio 1.38 over the widest usual range; tails would hide in coarser ones
CELLS_PER_BIN, FINE_CELLS_PER_BIN = 2, 8  # values that lie close together fill no more than one wide cell

_MIRROR = -(2**30)  # that of the lowest negative magnitude; places are at most 10^8 from 0, or from it
LEFT_OUT = 2**30
"""The place of a value that is left out."""

_WIDEST = 2.0**64
_NARROWEST = 1 + 1e-6  # values are rounded to 2^-30 of themselves, so that less would be no range


@dataclass(frozen=True)
class LogGrid:
    """``bins`` bins of equal ratio over the magnitudes [low, high], each cut into cells:

        edge_j = low (high/low)^(j/cells),   j = 0, ..., cells = cells_per_bin bins

    Bins are counted with noise; windows and ramps begin and end at the edges of cells. ``low`` and ``high``
    are the ends of the public range of magnitudes.
    """

    low: float
    high: float
    bins: int
    cells_per_bin: int = CELLS_PER_BIN

    @classmethod
    def over(cls, low: float, high: float) -> LogGrid:
        """The grid over a public range: bins of ratio 1.25, or wider ones if there were too many."""
        fix = (
            "Pass what is publicly known about magnitudes, such as (1e3, 1e6); that of -5 is 5. Zeros are "
            "always allowed: the low end is the smallest amount that matters."
        )
        low = validate.positive("the range's low end", low, fix)
        high = validate.positive("the range's high end", high, fix)
        if high < low:
            swapped = f"Swap its ends: the range is ({high:g}, {low:g})."
            raise InvalidParameterError("value_range", (low, high), "a range (low, high)", swapped)
        if not _NARROWEST <= high / low <= _WIDEST or not 1e-100 < low < high < 1e100:
            requirement = "a range (low, high) with 1.000001 low <= high <= 2^64 low"
            raise InvalidParameterError("value_range", (low, high), requirement, fix)
        wanted = math.ceil(math.log(high / low) / math.log(BIN_RATIO) - 1e-9)
        return cls(low, high, min(wanted, MOST_BINS))

    @property
    def cells(self) -> int:
        """The number of cells."""
        return self.cells_per_bin * self.bins

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
        return _log_mean(self.edges[:: self.cells_per_bin])

    @cached_property
    def cell_centres(self) -> FloatArray:
        """For each cell, the mean of values whose logarithms are spread evenly over it."""
        return _log_mean(self.edges)


@dataclass(frozen=True)
class SignedGrid:
    """Cells in the order of their values, then one for missing values if those are left out.

    Attributes
    ----------
    magnitudes
        The cells of positive values; those of negative values are their mirror image.
    signs
        "positive": zeros and positive values. "both": negative ones too.
    leaves_out_missing
        Whether missing values have a cell.
    """

    magnitudes: LogGrid
    signs: Signs = "positive"
    leaves_out_missing: bool = True

    @property
    def coarse(self) -> SignedGrid:
        """The same bins, cut into the wide cells that windows begin and end at."""
        return replace(self, magnitudes=replace(self.magnitudes, cells_per_bin=CELLS_PER_BIN))

    @property
    def fine(self) -> SignedGrid:
        """The same bins, cut into the narrow cells that ramps begin and end at: for quantiles."""
        return replace(self, magnitudes=replace(self.magnitudes, cells_per_bin=FINE_CELLS_PER_BIN))

    @property
    def zero(self) -> int:
        """The cell of exact zeros; positive cells follow it, negative ones come before it."""
        return self.magnitudes.cells if self.signs == "both" else 0

    @property
    def value_cells(self) -> int:
        """The number of cells that hold values."""
        return self.zero + 1 + self.magnitudes.cells

    @property
    def cells(self) -> int:
        """The number of all cells; that of missing values is the last one, if there is one."""
        return self.value_cells + self.leaves_out_missing

    @property
    def zero_bin(self) -> int:
        """The bin of exact zeros."""
        return self.zero // self.magnitudes.cells_per_bin

    @property
    def value_bins(self) -> int:
        """The number of bins that hold values."""
        return self.zero_bin + 1 + self.magnitudes.bins

    @property
    def bins(self) -> int:
        """The number of all bins, each of which costs a noisy count."""
        return self.value_bins + self.leaves_out_missing

    @cached_property
    def edges(self) -> FloatArray:
        """The edges of the cells that hold values: zeros lie between 0 or -low, and low."""
        positive = self.magnitudes.edges
        below = -positive[::-1] if self.signs == "both" else np.zeros(1)
        return np.concatenate([below, positive])

    @cached_property
    def bin_edges(self) -> NDArray[np.intp]:
        """The edges of bins, as indices of edges."""
        cells, step = self.magnitudes.cells, self.magnitudes.cells_per_bin
        below = np.arange(0, self.zero + 1, step)
        return np.concatenate([below, self.zero + 1 + np.arange(0, cells + 1, step)])

    @cached_property
    def bin_centres(self) -> FloatArray:
        """For each bin that holds values, the mean of values whose logarithms are spread evenly over it."""
        positive = self.magnitudes.bin_centres
        below = -positive[::-1] if self.signs == "both" else np.zeros(0)
        return np.concatenate([below, np.zeros(1), positive])

    def bin_counts(self, counts: NDArray[Any]) -> NDArray[Any]:
        """Counts of bins from counts of cells, a row for each group."""
        starts = self.bin_edges[:-1]
        if self.leaves_out_missing:
            starts = np.append(starts, self.value_cells)
        summed: NDArray[Any] = np.add.reduceat(counts, starts, axis=1)
        return summed

    def place_sql(self, value: str) -> str:
        """Where a value lies that went through the rule in SQL: a number, which ``cells_at`` takes to a cell.

        Magnitudes lie in cells above the lowest one; negative values are turned about, and far below the
        others. NULL is the value that is left out.
        """
        low, step = sql_number(math.log(self.magnitudes.low)), sql_number(self.magnitudes.step)
        positive, negative = (
            f"CAST(floor((ln({magnitude}) - {low}) / {step}) AS INTEGER)"
            for magnitude in (value, f"-{value}")
        )
        if self.signs == "positive":
            return positive
        return f"CASE WHEN {value} < 0 THEN {_MIRROR} - {negative} ELSE {positive} END"

    def cells_at(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """The cells of such places; rounding may have taken one below the first cell, or above the last."""
        is_negative = places < _MIRROR // 2
        places = np.where(is_negative, _MIRROR - places, places)
        inside = np.clip(places, 0, self.magnitudes.cells - 1)
        cells = np.where(is_negative, self.zero - 1 - inside, self.zero + 1 + inside)
        cells[places < -1] = self.zero  # far below the lowest magnitude
        cells[places == LEFT_OUT] = self.value_cells
        return cells

    def cells_of(self, values: FloatArray) -> NDArray[np.intp]:
        """The cells of values that went through the rule; NaN is the value that is left out."""
        with np.errstate(divide="ignore", invalid="ignore"):
            place = np.floor((np.log(np.abs(values)) - math.log(self.magnitudes.low)) / self.magnitudes.step)
        inside = np.clip(np.nan_to_num(place), 0, self.magnitudes.cells - 1).astype(np.intp)
        cells = np.where(values > 0, self.zero + 1 + inside, self.zero - 1 - inside)
        cells = np.where(values == 0, self.zero, cells)
        return np.where(np.isnan(values), self.value_cells, cells)


@dataclass(frozen=True, eq=False)
class Windows:
    """A window [edges[lower], edges[upper]] for each group, as indices of the grid's edges."""

    lower: NDArray[np.intp]
    upper: NDArray[np.intp]

    def rows(self, chosen: slice) -> Windows:
        """Those of some of the groups."""
        return Windows(self.lower[chosen], self.upper[chosen])


@dataclass(frozen=True, eq=False)
class Ramps:
    """Ramps from edges[lower] to edges[upper] for each group, as indices of the grid's edges.

    A row for each group; both ends rise, or stay, from one ramp to the next.
    """

    lower: NDArray[np.intp]
    upper: NDArray[np.intp]


def sql_number(value: float) -> str:
    """A double as an SQL literal, to the last bit; written otherwise it would be a decimal."""
    return f"{value:.17e}"


def _log_mean(edges: FloatArray) -> FloatArray:
    return np.diff(edges) / np.diff(np.log(edges))
