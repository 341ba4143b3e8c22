"""Records of a table that DuckDB reads: decoded once, and held where there is room."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Self

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.errors import InvalidParameterError, TableError
from relgauss.records.blocks import MOST_ROWS, SPARE, HeldRows, Rows, block_rows
from relgauss.records.column_kinds import Category, Column, Number
from relgauss.records.columns import Missing, checked_missing, read_columns
from relgauss.records.free_memory import memory_limit
from relgauss.records.storage import MemoryStorage, ScratchStorage, Storage
from relgauss.records.streamed import Stream, StreamedRows, changed_while_read
from relgauss.records.tables import Table, open_table

_CHUNK_ROWS = MOST_ROWS  # whole blocks: the same as those of the same rows in memory


class NoScratchWarning(UserWarning):
    """There is no room for a scratch file, so every pass over the records reads the table anew."""


class TableRecords(Stream):
    """Features and target of a table: a file, a folder, a database, a query or a data frame.

    Without a target, labels are zero; with ``classes``, they are numbers of these. The table is read once,
    when it is opened, and its values are checked: they are then held in memory, or in a scratch file in the
    folder ``scratch``. Where there is no room for one either, every pass reads the table anew. ``watch`` is
    told the number of rows after each chunk that is read. Of records to predict for a model knows which
    columns are ``booleans``, and that the others hold numbers; else the table shows it.
    """

    def __init__(
        self,
        data: object,
        *,
        target: str | None,
        features: Sequence[str] | None = None,
        categories: Mapping[str, Sequence[str]] | None = None,
        missing: Missing = None,
        classes: Sequence[str | float] | None = None,
        table: str | None = None,
        query: str | None = None,
        scratch: str | Path | None = None,
        watch: Callable[[int], None] | None = None,
        booleans: Collection[str] | None = None,
    ) -> None:
        self.missing = checked_missing(missing)
        self._scratch = _existing_folder(scratch)
        with ExitStack() as stack:
            self._table = stack.enter_context(open_table(data, table=table, query=query))
            features_read, targets = read_columns(
                self._table,
                target,
                features,
                categories or {},
                classes,
                missing=self.missing,
                booleans=booleans,
            )
            self._read = [*features_read, *targets]
            self._sql = _select([number for column in self._read for number in column.numbers(self._table)])
            counts_as = [each.counts_as for each in self._read for _ in each.labels]
            self._fill = np.array([math.nan if each is None else each for each in counts_as])
            if isinstance(self.missing, Mapping):  # as numbers, also of booleans
                self.missing = {**self.missing, **_missing_numbers(self._read)}
            self.names = tuple(label for column in features_read for label in column.labels)
            self.features = tuple(column.name for column in features_read)
            self.target = target
            self.booleans = tuple(
                column.name for column in features_read if isinstance(column, Number) and column.is_boolean
            )
            self.classes = classes
            self.assumed = self._table.assumed
            self.categories = {
                column.name: list(column.values) for column in features_read if isinstance(column, Category)
            }
            self.columns = len(self.names)
            self._watch = watch
            self._held, self.count = self._hold()
            self._is_held = self._held is not None
            if self.count == 0:
                raise TableError("The table has no rows.", "Check the file or the query.")
            self._open = stack.pop_all()

    @property
    def most_chunks(self) -> int:
        """All chunks but the last are full."""
        return -(-self.count // _CHUNK_ROWS)

    def chunks(self) -> Iterator[tuple[FloatArray, FloatArray]]:
        """All features and labels, some rows at a time: as they are held, or from one pass over the table."""
        if self._held is None:
            yield from self._chunks(_CHUNK_ROWS)
            return
        for place in range(-(-self.count // self._held.block_rows)):
            held = self._held.read(place)
            yield held.features[:, : self.columns], held.labels

    def rows(self, n_jobs: int | None = 1) -> Rows:
        """As what a fit reads. It changes what is held, so the next fit to these records reads them anew."""
        held, self._held = self._held, None
        if held is None and self._is_held:
            held, count = self._hold()
            if count != self.count:
                raise changed_while_read()
        if held is None:
            return StreamedRows(self, self.columns)
        return HeldRows(held, self.columns, n_jobs)

    def _hold(self) -> tuple[Storage | None, int]:
        """Read the table into memory or a scratch file, if there is room; and the number of its rows."""
        width, limit, count = self.columns + SPARE, memory_limit(), 0
        rows = block_rows(self.columns)
        storage: Storage | None = MemoryStorage(width, rows)
        expected = self._table.count() if self._table.is_counted else 0
        for features, labels in self._chunks(rows):
            count += len(labels)
            if storage is None:
                continue
            try:
                is_large = storage.bytes_of(width, max(count, expected)) > limit
                if is_large and isinstance(storage, MemoryStorage):
                    storage = _moved(storage, ScratchStorage(width, rows, self._scratch))
                storage.add(features, labels)
            except OSError as error:
                storage = None
                warnings.warn(
                    f"No room for a scratch file ({error.strerror}): every pass reads the table anew. Name a "
                    "folder with more room: scratch=...",
                    NoScratchWarning,
                    stacklevel=4,
                )
        return storage, count

    def _chunks(self, rows: int) -> Iterator[tuple[FloatArray, FloatArray]]:
        """One pass over the table, in chunks of one size, whatever the sizes in which DuckDB reads it."""
        with closing(self._batches()) as batches:
            for numbers in full_chunks(batches, rows):
                if not self._is_filled(numbers):
                    break
                labels = numbers[:, -1] if self.target is not None else np.zeros(len(numbers))
                yield numbers[:, : self.columns], labels
                if self._watch is not None:
                    self._watch(len(numbers))
            else:
                return
        raise _refusal(self._table, self._read)  # asks the table, which must not be in the middle of a pass

    def _batches(self) -> Generator[list[FloatArray], None, None]:
        for batch in self._table.batches(f"{self._sql} FROM {self._table.source}", _CHUNK_ROWS):
            yield [column.to_numpy(zero_copy_only=False) for column in batch.columns]

    def _is_filled(self, numbers: FloatArray) -> bool:
        """Put what stands for a missing number in its place; False if there is something no rule covers."""
        if np.isfinite(numbers).all():
            return True
        if self.missing is None or np.isinf(numbers).any():
            return False
        rows, columns = np.nonzero(np.isnan(numbers))
        numbers[rows, columns] = self._fill[columns]
        return not np.isnan(numbers).any()

    def close(self) -> None:
        """Close the table and let go of the scratch file."""
        self._held = None
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
                chunk = np.empty((rows, len(columns)), order="F")  # as they come
            taken = min(stop - start, rows - filled)
            for target, column in zip(chunk.T, columns, strict=True):
                target[filled : filled + taken] = column[start : start + taken]
            start, filled = start + taken, filled + taken
            if filled == rows:
                yield chunk
                filled = 0
    if filled:
        yield chunk[:filled]


def _moved(held: MemoryStorage, target: ScratchStorage) -> ScratchStorage:
    """What was held in memory, in a file."""
    for place in range(-(-held.count // held.block_rows)):
        block = held.read(place)
        target.add(block.features, block.labels)
    return target


def _existing_folder(folder: str | Path | None) -> Path | None:
    if folder is not None and not (isinstance(folder, str | Path) and Path(folder).is_dir()):
        fix = "Pass a folder on a disk with room for the records."
        raise InvalidParameterError("scratch", str(folder), "a folder that exists", fix)
    return None if folder is None else Path(folder)


def _missing_numbers(columns: Sequence[Column]) -> dict[str, float]:
    return {each.name: each.counts_as for each in columns if each.counts_as is not None}


def _select(numbers: list[str]) -> str:
    return "SELECT " + ", ".join(f"{number} AS c{index}" for index, number in enumerate(numbers))


def _refusal(table: Table, columns: Sequence[Column]) -> TableError:
    """What refuses a table with a value that no rule covers, naming column and file."""
    refused = [column.refused(table) for column in columns]
    sums = ", ".join(f"coalesce(sum(CAST({each} AS INTEGER)), 0)" for each in refused)
    (bad,) = table.rows(f"SELECT {sums} FROM {table.source}")
    for column, condition, times in zip(columns, refused, bad, strict=True):
        if times:
            where = table.file_with(condition)
            return TableError(
                f"The column {column.name!r}{where} holds values that are not {column.requirement}.",
                column.fix,
            )
    return changed_while_read()
