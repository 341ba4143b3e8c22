"""One column of values by one column of public groups, counted in one pass and read some groups at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from relgauss.grouped.cell_tables import ValueColumn, count_cells, totals_by_batch
from relgauss.grouped.table_groups import groups_as_found, keys_of_groups
from relgauss.grouped.table_rows import TableRows
from relgauss.grouped.totals import CellTotals
from relgauss.records.tables import Table

_BATCH = 4096  # groups in memory at once


@dataclass(frozen=True, eq=False)
class CountedColumn:
    """Exact counts and sums by group and cell, in tables of the connection.

    ``keys`` are the groups in order.
    """

    keys: tuple[object, ...]
    rows: TableRows
    column: ValueColumn

    def batches(self) -> Iterator[CellTotals]:
        """The groups in order, some at a time."""
        start = 0
        for cells in totals_by_batch(self.rows, 0, self.column, len(self.keys), _BATCH):
            end = start + len(cells.groups)
            yield replace(cells, groups=self.keys[start:end])
            start = end


def count_column(table: Table, by: str, value: str, column: ValueColumn) -> CountedColumn:
    """Count and add up the values in the column ``value`` by groups of the column ``by`` and cells."""
    rows = TableRows.of(table, [by], [value], None)
    count_cells(rows, [column])
    groups_as_found(rows, [by])
    return CountedColumn(tuple(keys_of_groups(rows)[0]), rows, column)
