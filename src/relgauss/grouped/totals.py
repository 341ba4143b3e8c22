"""One pass over the records: exact counts and sums, by group and cell, and the bounded answers they give.

Nothing here is protected yet: an answer goes through noise, by the bound that it carries. Sums of clipped
values follow from those of cells for every window that begins and ends at edges of cells.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.bounded.answer import BoundedAnswer
from relgauss.errors import TableError
from relgauss.grouped.contribution import Contribution
from relgauss.grouped.signed_grid import CELLS_PER_BIN, Ramps, SignedGrid, Windows, sql_number
from relgauss.grouped.table_rows import key_sql
from relgauss.grouped.value_rule import ValueRule
from relgauss.records.tables import Table

OUTSIDE_WEIGHT = 0.1875
"""Of a row outside of a window, beside its sum: exact in binary; 2 % more noise pays for it."""

_LOG_ERROR = 1e-9  # a value is at most this part outside of the cell that a computed logarithm assigns it
_ROUNDING = 2.0**-12  # of a sum, for both neighbours together, in a group of fewer than 2^39 rows
_RAMP_ROUNDING = 2.0**-11  # of a difference of two ramps, alike


@dataclass(frozen=True, eq=False)
class GroupTotals:
    """The size of each group and the sum of its values, in steps of the rule's lattice."""

    groups: tuple[object, ...]
    sizes: NDArray[np.int64]
    sums: tuple[int, ...]
    rule: ValueRule

    def mean(self, group: int) -> float:
        """The mean of a group's values, rounded twice: to the lattice and to a double."""
        return math.ldexp(self.sums[group] / int(self.sizes[group]), self.rule.exponent)


@dataclass(frozen=True, eq=False)
class CellTotals:
    """A row of ``counts`` and of ``sums`` for each group, a column for each cell of the grid.

    Sums are whole numbers, in steps of the rule's lattice; that of missing values is 0. They are integers of
    Python's, unless those of 64 bits hold what all cells of a group add up to in absolute value.
    """

    groups: tuple[object, ...]
    counts: NDArray[np.int64]
    sums: NDArray[Any]
    grid: SignedGrid
    rule: ValueRule

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The number of rows of each group, whatever they hold."""
        sizes: NDArray[np.int64] = self.counts.sum(axis=1)
        return sizes

    @property
    def coarse(self) -> CellTotals:
        """The same in the wider cells that windows begin and end at."""
        # Totals that kept themselves would stay in memory long after their batch of groups.
        return self if self.grid.coarse == self.grid else self._coarse

    @cached_property
    def _coarse(self) -> CellTotals:
        grid = self.grid.coarse
        fine, step = self.grid, self.grid.magnitudes.cells_per_bin // CELLS_PER_BIN
        starts = [*range(0, fine.zero, step), fine.zero, *range(fine.zero + 1, fine.value_cells, step)]
        starts += [fine.value_cells] * fine.leaves_out_missing
        counts, sums = (np.add.reduceat(each, starts, axis=1) for each in (self.counts, self.sums))
        return CellTotals(self.groups, counts, sums, grid, self.rule)

    def group_sizes(self, contribution: Contribution) -> BoundedAnswer:
        """The number of rows of each group, for when it is not public."""
        return BoundedAnswer.enforced(self.sizes.astype(np.float64), contribution.count_sensitivity)

    def bin_counts(self, groups: NDArray[np.intp], contribution: Contribution) -> BoundedAnswer:
        """The counts of the bins of some groups, a row for each.

        Replacing one row moves one count down by 1 and another up by 1, both of the same group: an L2
        distance of at most sqrt(2), whatever the number of bins and groups. Proof: proofs/log-histogram.md.
        """
        counts = self.grid.bin_counts(self.counts[groups])
        return BoundedAnswer.enforced(counts.astype(np.float64), contribution.count_sensitivity)

    def window_sums(
        self, groups: NDArray[np.intp], windows: Windows, contribution: Contribution
    ) -> BoundedAnswer:
        """What some groups hold in their windows [a, b], a row for each, under the largest of their bounds:
        the sum of (max(a, min(b, value)) - (a + b)/2)/(b - a), and the number of values outside [a, b].

        The second is times ``OUTSIDE_WEIGHT``. A value that is left out adds 0 to both. A row adds at most
        1/2 in absolute value to the sum, and a little for the rounding of logarithms, of edges and of the
        sum, which the sensitivity includes. Proof: proofs/grouped-means.md.
        """
        cells = self.grid.value_cells
        counts, sums = (summed_before(each[groups, :cells]) for each in (self.counts, self.sums))
        low, high = self._edge_units[windows.lower], self._edge_units[windows.upper]
        row = np.arange(len(groups))
        inside = sums[row, windows.upper] - sums[row, windows.lower]
        present = counts[:, -1]
        below, above = counts[row, windows.lower], present - counts[row, windows.upper]
        doubled = 2 * (inside + low * below + high * above) - (low + high) * present
        slack = 2 * float(np.max(_slack(low, high) / (high - low)))
        sum_moved = contribution.sum_sensitivity * (1 + slack) * (1 + _ROUNDING)
        # A unit that stays in its group moves the number outside by no more than the rows that it has there,
        # while counts of cells lose as many and gain as many.
        outside_moved = contribution.count_sensitivity
        if contribution.sizes_public:
            outside_moved /= math.sqrt(2)
        moved = math.hypot(sum_moved, OUTSIDE_WEIGHT * outside_moved) * (1 + 2.0**-50)
        answer = np.column_stack([doubled / (2 * (high - low)), OUTSIDE_WEIGHT * (below + above)])
        return BoundedAnswer.enforced(answer.astype(np.float64), moved)

    def ramp_counts(
        self, groups: NDArray[np.intp], ramps: Ramps, contribution: Contribution
    ) -> BoundedAnswer:
        """How many values lie below, between and above the ramps of some groups, a row for each.

        With r_k = max(0, min(1, (value - a_k)/(b_k - a_k))), and r_0 = 1, r_(K+1) = 0, the answers are the
        sums of r_k - r_(k+1) over a group's values, k = 0, ..., K: what a row adds is not negative and sums
        to 1, or is 0 for a value that is left out. So they move as counts do, and a little more for the
        rounding of logarithms, of edges and of sums. Proof: proofs/grouped-means.md.
        """
        cells, parts = self.grid.value_cells, ramps.lower.shape[1] + 1
        counts, sums = (summed_before(each[groups, :cells]) for each in (self.counts, self.sums))
        low, high = self._edge_units[ramps.lower], self._edge_units[ramps.upper]
        inside, inside_sums = (
            (
                np.take_along_axis(each, ramps.upper, axis=1) - np.take_along_axis(each, ramps.lower, axis=1)
            ).astype(np.object_)
            for each in (counts, sums)
        )
        present = counts[:, -1:].astype(np.object_)  # products of these are longer than 64 bits
        above = present - np.take_along_axis(counts, ramps.upper, axis=1)
        risen = (inside_sums - low * inside + above * (high - low)) / (high - low)
        answer = -np.diff(np.concatenate([present, risen, np.zeros_like(present)], axis=1), axis=1)
        slack = float(np.max(_slack(low, high) / (high - low)))
        room = (1 + 4 * math.sqrt(parts) * slack) * (1 + math.sqrt(parts) * _RAMP_ROUNDING)
        moved = contribution.count_sensitivity * room * (1 + 2.0**-50)
        return BoundedAnswer.enforced(answer.astype(np.float64), moved)

    @cached_property
    def _edge_units(self) -> NDArray[np.object_]:
        return np.array([self.rule.units(edge) for edge in self.grid.edges], dtype=np.object_)


def summed_before(cells: NDArray[Any]) -> NDArray[Any]:
    """The sums of all cells before each of them, and of all; whole numbers stay exact."""
    summed = np.zeros((len(cells), cells.shape[1] + 1), dtype=cells.dtype)
    np.cumsum(cells, axis=1, out=summed[:, 1:])
    return summed


def _slack(low: NDArray[np.object_], high: NDArray[np.object_]) -> FloatArray:
    """How far a value may lie outside of the cell that it is counted in, near edges of these units."""
    largest = np.maximum(np.abs(low), np.abs(high)).astype(np.float64)
    return np.asarray(np.ceil(largest * _LOG_ERROR) + 2)


def total_by_group(table: Table, by: str, value: str, rule: ValueRule) -> GroupTotals:
    """Count and add up the values in the column ``value`` of each group of the column ``by``.

    What the rule leaves out, and what it makes 0, counts as the low end here: a relative bound needs values
    above 0 in every row.
    """
    low = sql_number(rule.low)
    positive = f"CASE WHEN x >= {low} THEN x ELSE {low} END"
    sql = f"SELECT key, count(*), sum({rule.units_sql(positive)}) FROM {_values(table, by, value, rule)}"
    rows = _refuse_none(table.rows(f"{sql} GROUP BY key ORDER BY key"), by)
    groups, sizes, sums = zip(*rows, strict=True)
    return GroupTotals(groups, np.array(sizes, dtype=np.int64), sums, rule)


def _values(table: Table, by: str, value: str, rule: ValueRule) -> str:
    """All records that have a group: its key and, by the rule, a number; NULL is one that is left out."""
    records = f"SELECT {key_sql(table, by)} AS key, {table.numbers(value)} AS v FROM {table.source}"
    return f"(SELECT key, {rule.value_sql('v')} AS x FROM ({records}) WHERE key IS NOT NULL)"


def _refuse_none(rows: list[tuple[Any, ...]], by: str) -> list[tuple[Any, ...]]:
    if not rows:
        raise TableError(f"No row of the table has a group in {by!r}.", "Check the column and the query.")
    return rows
