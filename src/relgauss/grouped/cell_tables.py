"""Exact counts and sums by group and cell, for one column of values or several: one pass, read in batches.

However many groups there are, few are in memory at once: DuckDB keeps what does not fit on disk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from relgauss.errors import TableError
from relgauss.grouped.signed_grid import LEFT_OUT, SignedGrid
from relgauss.grouped.table_rows import TableRows
from relgauss.grouped.totals import CellTotals
from relgauss.grouped.value_rule import ValueRule
from relgauss.records.duckdb_connection import refusals
from relgauss.records.tables import Table

if TYPE_CHECKING:
    import pyarrow

CELLS, GROUPS = "relgauss_cells", "relgauss_groups"
HALF = 2**63
"""Sums are read as two numbers of 64 bits, which hold all below 2^126. Proof: proofs/grouped-means.md."""
_STREAMED = 100_000  # cells in one batch of a stream
_BATCH = 4096  # groups in memory at once


@dataclass(frozen=True)
class ValueColumn:
    """How the values of a column are counted: a public rule and a public grid."""

    rule: ValueRule
    grid: SignedGrid


@dataclass(frozen=True, eq=False)
class CountedColumn:
    """One column of values by one column of groups; ``keys`` are the groups in order."""

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


def count_cells(rows: TableRows, columns: Sequence[ValueColumn]) -> None:
    """Count and add up all columns by group and cell, in a table of the connection; missing keys stay.

    Each row adds to one cell of every column. Where columns are stored apart each is read by itself; a text
    is read once, for all columns together.
    """
    numbered = list(enumerate(columns))
    if rows.table.is_counted or len(columns) == 1:
        parts = [_cells_of(rows, place, column) for place, column in numbered]
        _create(rows.table, CELLS, " UNION ALL ".join(parts))
        return
    keys, measured = rows.key_list, _measured(rows, numbered)
    sets = ", ".join(f"({keys}, c{place})" for place, _ in numbered)
    value = " ".join(f"WHEN grouping(c{place}) = 0 THEN {place}" for place, _ in numbered)
    cell = ", ".join([*(f"c{place}" for place, _ in numbered), str(LEFT_OUT)])
    total = " ".join(f"WHEN grouping(c{place}) = 0 THEN sum(u{place})" for place, _ in numbered)
    _create(
        rows.table,
        CELLS,
        f"SELECT {keys}, CASE {value} END AS value, coalesce({cell}) AS place, count(*) AS n, "
        f"CASE {total} END AS total FROM {measured} GROUP BY GROUPING SETS ({sets})",
    )


def _cells_of(rows: TableRows, place: int, column: ValueColumn) -> str:
    """The cells of one column, as SQL."""
    return (
        f"SELECT {rows.key_list}, {place} AS value, coalesce(c{place}, {LEFT_OUT}) AS place, count(*) AS n, "
        f"sum(u{place}) AS total FROM {_measured(rows, [(place, column)])} GROUP BY {rows.key_list}, c{place}"
    )


def _measured(rows: TableRows, numbered: Sequence[tuple[int, ValueColumn]]) -> str:
    """Keys, and for each column by its number the place of each row's value, and its steps, as SQL."""
    keys = rows.key_list
    ruled = [f"{column.rule.value_sql(rows.values[place])} AS x{place}" for place, column in numbered]
    places = [f"{column.grid.place_sql(f'x{place}')} AS c{place}" for place, column in numbered]
    units = [f"{column.rule.units_sql(f'x{place}')} AS u{place}" for place, column in numbered]
    measured = f"(SELECT {', '.join([keys, *ruled])} FROM {rows.source})"
    return f"(SELECT {', '.join([keys, *places, *units])} FROM {measured})"


def number_groups(rows: TableRows) -> int:
    """Number the groups that the cells show, in the order of their keys; how many there are."""
    places = f"CAST(row_number() OVER (ORDER BY {rows.key_list}) - 1 AS INTEGER)"
    found = f"SELECT DISTINCT {rows.key_list} FROM {CELLS} WHERE value = 0 AND {rows.has_group}"
    _create(rows.table, GROUPS, f"SELECT *, {places} AS g FROM ({found})")
    return int(rows.table.rows(f"SELECT count(*) FROM {GROUPS}")[0][0])


def groups_as_found(rows: TableRows, by: Sequence[str]) -> int:
    """The same for groups that are public; a table without any is refused."""
    found = number_groups(rows)
    if not found:
        names = " and ".join(map(repr, by))
        raise TableError(f"No row of the table has a group in {names}.", "Check the column and the query.")
    return found


def keys_of_groups(rows: TableRows) -> tuple[list[object], ...]:
    """The keys of all numbered groups: a list for each column."""
    keys: tuple[list[object], ...] = tuple([] for _ in rows.keys)
    for row in rows.table.each_row(f"SELECT {rows.key_list} FROM {GROUPS} ORDER BY g"):
        for column, key in zip(keys, row, strict=True):
            column.append(key)
    return keys


def rows_by_group(rows: TableRows, groups: int) -> NDArray[np.int64]:
    """The number of rows of each numbered group."""
    sql = (
        f"SELECT b.g, CAST(sum(a.n) AS BIGINT) AS n FROM {CELLS} AS a JOIN {GROUPS} AS b ON {rows.same_keys} "
        "WHERE a.value = 0 GROUP BY b.g"
    )
    return numbers_by_group(rows.table, sql, groups)


def numbers_by_group(table: Table, sql: str, groups: int) -> NDArray[np.int64]:
    """What a query says of each group by its number, and 0 of others."""
    numbers = np.zeros(groups, dtype=np.int64)
    for batch in table.batches(sql, _STREAMED):
        places, found = _integers(batch)
        numbers[places] = found
    return numbers


def rows_with_group(rows: TableRows) -> int:
    """The number of rows that have all of their keys."""
    return int(rows.table.rows(f"SELECT sum(n) FROM {CELLS} WHERE value = 0 AND {rows.has_group}")[0][0] or 0)


def rows_without_group(rows: TableRows) -> int:
    """The number of rows that lack a key."""
    found = rows.table.rows(f"SELECT sum(n) FROM {CELLS} WHERE value = 0 AND NOT ({rows.has_group})")
    return int(found[0][0] or 0)


def totals_by_batch(
    rows: TableRows, value: int, column: ValueColumn, groups: int, batch: int
) -> Iterator[CellTotals]:
    """Counts and sums of one column, ``batch`` groups at a time in the order of their numbers."""
    sql = (
        f"SELECT b.g, a.place, a.n, CAST(coalesce(a.total, 0) // {HALF} AS BIGINT) AS high, "
        f"CAST(coalesce(a.total, 0) % {HALF} AS BIGINT) AS low "
        f"FROM {CELLS} AS a JOIN {GROUPS} AS b ON {rows.same_keys} WHERE a.value = {value} ORDER BY b.g"
    )
    waiting = _Cells.none()
    streamed = _streamed(rows.table, sql)
    for start in range(0, groups, batch):
        end = min(start + batch, groups)
        parts = [waiting]
        while parts[-1].last < end and (more := next(streamed, None)) is not None:
            parts.append(more)
        now, waiting = _Cells.joined(parts).divided(end)
        yield now.totals(start, end, column)


@dataclass(frozen=True, eq=False)
class _Cells:
    """Cells of groups in ascending order: group, place on the grid, count, and sum in two parts."""

    parts: tuple[NDArray[np.int64], ...]

    @classmethod
    def none(cls) -> _Cells:
        return cls((np.zeros(0, dtype=np.int64),) * 5)

    @property
    def last(self) -> int:
        """The last group."""
        return int(self.parts[0][-1]) if len(self.parts[0]) else -1

    @classmethod
    def joined(cls, some: Sequence[_Cells]) -> _Cells:
        """One after the other."""
        return cls(tuple(map(np.concatenate, zip(*(each.parts for each in some), strict=True))))

    def divided(self, group: int) -> tuple[_Cells, _Cells]:
        """Those before this group, and the others."""
        cut = int(np.searchsorted(self.parts[0], group))
        return _Cells(tuple(part[:cut] for part in self.parts)), _Cells(
            tuple(part[cut:] for part in self.parts)
        )

    def totals(self, start: int, end: int, column: ValueColumn) -> CellTotals:
        groups, places, numbers, high, low = self.parts
        shape = end - start, column.grid.cells
        counts, cells = np.zeros(shape, dtype=np.int64), (groups - start, column.grid.cells_at(places))
        np.add.at(counts, cells, numbers)  # two places may be of one cell
        sums: NDArray[Any]
        if _is_short(cells[0], high, low, end - start):
            sums = np.zeros(shape, dtype=np.int64)
            np.add.at(sums, cells, low)
        else:
            sums = np.zeros(shape, dtype=np.object_)
            np.add.at(sums, cells, high.astype(np.object_) * HALF + low.astype(np.object_))
        return CellTotals(tuple(range(start, end)), counts, sums, column.grid, column.rule)


def _is_short(rows: NDArray[np.int64], high: NDArray[np.int64], low: NDArray[np.int64], groups: int) -> bool:
    """Whether 64 bits hold each group's sums, whichever of its cells are added up: they are much faster."""
    in_all = np.bincount(rows, np.abs(low.astype(np.float64)), groups)
    return not high.any() and bool((in_all < HALF / 2).all())


def _streamed(table: Table, sql: str) -> Iterator[_Cells]:
    for batch in table.batches(sql, _STREAMED):
        yield _Cells(_integers(batch))


def _integers(batch: pyarrow.RecordBatch) -> tuple[NDArray[np.int64], ...]:
    """The columns of a batch without missing values; Arrow's own way to NumPy would import pandas."""
    return tuple(np.from_dlpack(column).astype(np.int64) for column in batch.columns)


def _create(table: Table, name: str, sql: str) -> None:
    with refusals():
        table.connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {sql}")
