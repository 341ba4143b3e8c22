"""Records of a table that DuckDB reads, streamed as Arrow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Self

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.errors import TableError
from relgauss.records.blocks import BLOCK_ROWS, ArrayRows, Rows, columnwise
from relgauss.records.columns import Column, read_columns
from relgauss.records.streamed import Stream, StreamedRows
from relgauss.records.tables import Table, open_table

_CHUNK_ROWS = 8 * BLOCK_ROWS  # whole blocks: the same as those of the same rows in memory
_FEW_NUMBERS = 2**25  # a table of up to 256 MiB is read once and kept


class TableRecords(Stream):
    """Features and target of a table: a file, a folder, a database, a query or a data frame.

    Without a target, labels are zero; with ``classes``, they are numbers of these. Values are checked once,
    when it is opened; every pass reads them anew, unless they are few. ``watch`` is told the number of rows
    after each chunk that is read.
    """

    def __init__(
        self,
        data: object,
        *,
        target: str | None,
        features: Sequence[str] | None = None,
        categories: Mapping[str, Sequence[str]] | None = None,
        missing: float | None = 0.0,
        classes: Sequence[str | float] | None = None,
        table: str | None = None,
        query: str | None = None,
        watch: Callable[[int], None] | None = None,
    ) -> None:
        with ExitStack() as stack:
            self._table = stack.enter_context(open_table(data, table=table, query=query))
            features_read, targets = read_columns(
                self._table, target, features, categories or {}, missing, classes
            )
            columns = [*features_read, *targets]
            self._sql = _select([number for column in columns for number in column.numbers(self._table)])
            self.names = tuple(label for column in features_read for label in column.labels)
            self.features = tuple(column.name for column in features_read)
            self.target = target
            self.classes = classes
            self.missing = missing
            self.assumed = self._table.assumed
            self.categories = {name: list(values) for name, values in (categories or {}).items()}
            self.columns = len(self.names)
            self.count = _check(self._table, columns)
            self._watch = watch
            self._open = stack.pop_all()

    @property
    def most_chunks(self) -> int:
        """All chunks but the last are full."""
        return -(-self.count // _CHUNK_ROWS)

    def chunks(self) -> Iterator[tuple[FloatArray, FloatArray]]:
        """One pass over the table, in chunks of one size, whatever the sizes in which DuckDB reads it."""
        for numbers in full_chunks(self._batches(), _CHUNK_ROWS):
            labels = numbers[:, -1] if self.target is not None else np.zeros(len(numbers))
            yield numbers[:, : self.columns], labels
            if self._watch is not None:
                self._watch(len(numbers))

    def _batches(self) -> Iterator[list[FloatArray]]:
        for batch in self._table.batches(f"{self._sql} FROM {self._table.source}", _CHUNK_ROWS):
            yield [column.to_numpy(zero_copy_only=False) for column in batch.columns]

    def rows(self) -> Rows:
        """As what a fit reads: in memory if they are few, streamed if not. The size is public."""
        streamed = StreamedRows(self, self.columns)
        if self.count * (self.columns + 1) > _FEW_NUMBERS:
            return streamed
        features, labels = columnwise(self.count, self.columns + 1), np.empty(self.count)
        start = 0
        for block in streamed.blocks():
            stop = start + len(block.labels)
            features[start:stop, : self.columns], labels[start:stop] = block.features, block.labels
            start = stop
        return ArrayRows(features[:, : self.columns], labels, is_own=True)

    def close(self) -> None:
        """Close what was opened."""
        self._open.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def full_chunks(batches: Iterable[list[FloatArray]], rows: int) -> Iterator[FloatArray]:
    """Batches of columns as matrices of this many rows, the last of those that are left over."""
    chunk, filled = np.empty((0, 0)), 0
    for columns in batches:
        start, stop = 0, len(columns[0])
        while start < stop:
            if filled == 0:
                chunk = columnwise(rows, len(columns))  # as they come
            taken = min(stop - start, rows - filled)
            for target, column in zip(chunk.T, columns, strict=True):
                target[filled : filled + taken] = column[start : start + taken]
            start, filled = start + taken, filled + taken
            if filled == rows:
                yield chunk
                filled = 0
    if filled:
        yield chunk[:filled]


def _select(numbers: list[str]) -> str:
    return "SELECT " + ", ".join(
        f"CAST({number} AS DOUBLE) AS c{index}" for index, number in enumerate(numbers)
    )


def _check(table: Table, columns: Sequence[Column]) -> int:
    """The number of records; refuse a table with a value that no rule covers, naming column and file."""
    refused = [column.refused(table) for column in columns]
    sums = ", ".join(f"coalesce(sum(CAST({each} AS INTEGER)), 0)" for each in refused)
    count, *bad = table.rows(f"SELECT count(*), {sums} FROM {table.source}")[0]
    for column, condition, times in zip(columns, refused, bad, strict=True):
        if times:
            where = table.file_with(condition)
            raise TableError(
                f"The column {column.name!r}{where} holds values that are not {column.requirement}.",
                "Clean the column, leave it out, or state how it is to be read.",
            )
    if count == 0:
        raise TableError("The table has no rows.", "Check the file or the query.")
    return int(count)
