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

from relgauss.bounded.answer import BoundedAnswer
from relgauss.errors import TableError
from relgauss.grouped.log_grid import CELLS_PER_BIN, LogGrid, Windows
from relgauss.grouped.value_rule import ValueRule, sql_number
from relgauss.records.tables import Table

_LOG_ERROR = 1e-9  # a value is at most this part outside of the cell that a computed logarithm assigns it


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

    Sums are whole numbers, in steps of the rule's lattice.
    """

    groups: tuple[object, ...]
    counts: NDArray[np.int64]
    sums: NDArray[np.object_]
    grid: LogGrid
    rule: ValueRule

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The number of rows of each group, whatever they hold."""
        sizes: NDArray[np.int64] = self.counts.sum(axis=1)
        return sizes

    def bin_counts(self, groups: NDArray[np.intp]) -> BoundedAnswer:
        """The counts of the bins of some groups, a row for each.

        Replacing one record moves one count down by 1 and another up by 1, both of the same group: an L2
        distance of at most sqrt(2), whatever the number of bins and groups. Proof: proofs/log-histogram.md.
        """
        counts = self.counts[groups].reshape(len(groups), -1, CELLS_PER_BIN).sum(axis=2)
        return BoundedAnswer.enforced(counts.astype(np.float64), math.nextafter(math.sqrt(2), 2))

    def window_sums(self, groups: NDArray[np.intp], windows: Windows) -> BoundedAnswer:
        """The window sum of some groups, each in its own window; the bound is the largest of theirs.

        Only the group of the replaced record moves.
        """
        ends = zip(groups, windows.lower, windows.upper, strict=True)
        answers = [self.window_sum(group, lower, upper) for group, lower, upper in ends]
        moved = max(answer.sensitivity.r for answer in answers)
        return BoundedAnswer.enforced(np.concatenate([answer.value for answer in answers]), moved)

    def window_sum(self, group: int, lower: int, upper: int) -> BoundedAnswer:
        """The sum of (max(a, min(b, value)) - a)/(b - a) over a group, for the window [a, b].

        ``lower`` and ``upper`` are the indices of its ends among the grid's edges.
        Replacing one record moves it by at most 1, and a little for the rounding of logarithms, of edges and
        of the answer, which the sensitivity includes. Proof: proofs/grouped-means.md.
        """
        counts = self.counts[group]
        low, high = (self.rule.units(self.grid.edges[edge]) for edge in (lower, upper))
        inside = int(self.sums[group, lower:upper].sum()) - low * int(counts[lower:upper].sum())
        total = inside + (high - low) * int(counts[upper:].sum())
        slack = 2 * (math.ceil(high * _LOG_ERROR) + 2)
        moved = (1 + slack / (high - low)) * (1 + (int(counts.sum()) + 4) * 2.0**-52)
        return BoundedAnswer.enforced(np.array([total / (high - low)]), moved)


def total_by_group(table: Table, by: str, value: str, rule: ValueRule) -> GroupTotals:
    """Count and add up the values in the column ``value`` of each group of the column ``by``."""
    sql = f"SELECT key, count(*), sum({rule.units_sql('x')}) FROM {_values(table, by, value, rule)}"
    rows = _refuse_none(table.rows(f"{sql} GROUP BY key ORDER BY key"), by)
    groups, sizes, sums = zip(*rows, strict=True)
    return GroupTotals(groups, np.array(sizes, dtype=np.int64), sums, rule)


def total_by_cell(table: Table, by: str, value: str, rule: ValueRule, grid: LogGrid) -> CellTotals:
    """Count and add up the values in the column ``value`` by groups of the column ``by`` and cells."""
    cell = f"CAST(floor((ln(x) - {sql_number(math.log(grid.low))}) / {sql_number(grid.step)}) AS SMALLINT)"
    cells = (
        f"SELECT key, {cell} AS cell, count(*) AS n, sum({rule.units_sql('x')}) AS total "
        f"FROM {_values(table, by, value, rule)} GROUP BY key, cell"
    )
    sql = f"SELECT key, list(cell), list(n), list(total) FROM ({cells}) GROUP BY key ORDER BY key"
    rows = _refuse_none(table.rows(sql), by)
    counts = np.zeros((len(rows), grid.cells), dtype=np.int64)
    sums = np.zeros((len(rows), grid.cells), dtype=np.object_)
    for group, (_, found, numbers, totals) in enumerate(rows):
        cells_of_group = np.clip(found, 0, grid.cells - 1)
        np.add.at(counts[group], cells_of_group, numbers)
        np.add.at(sums[group], cells_of_group, totals)
    return CellTotals(tuple(row[0] for row in rows), counts, sums, grid, rule)


def _values(table: Table, by: str, value: str, rule: ValueRule) -> str:
    """All records that have a group: its key and, by the rule, a number."""
    records = f"SELECT {table.column(by)} AS key, {table.numbers(value)} AS v FROM {table.source}"
    return f"(SELECT key, {rule.value_sql('v')} AS x FROM ({records}) WHERE key IS NOT NULL)"


def _refuse_none(rows: list[tuple[Any, ...]], by: str) -> list[tuple[Any, ...]]:
    if not rows:
        raise TableError(f"No row of the table has a group in {by!r}.", "Check the column and the query.")
    return rows
