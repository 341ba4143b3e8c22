"""Rows that are read anew in every pass: memory stays flat, whatever their number."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.errors import TableError
from relgauss.records.blocks import Block, Change, Rows, block_rows, changed_block, sum_blocks
from relgauss.records.storage import Room, rooms_for


class Stream(ABC):
    """Something that can be read again and again, in chunks of any size."""

    count: int
    columns: int

    @property
    @abstractmethod
    def most_chunks(self) -> int:
        """At most so many chunks come in one pass."""

    @abstractmethod
    def chunks(self) -> Iterator[tuple[FloatArray, FloatArray]]:
        """All features and labels, some rows at a time, in the same order in every pass."""


@dataclass(frozen=True, eq=False)
class StreamedRows(Rows):
    """The rows of a stream; changes are applied block by block as it is read."""

    stream: Stream
    columns: int
    changes: tuple[Change, ...] = ()

    @property
    def count(self) -> int:  # type: ignore[override]
        """The number of rows."""
        return self.stream.count

    @property
    def block_rows(self) -> int:  # type: ignore[override]
        """At most so many rows are in a block: those of the columns that are read."""
        return block_rows(self.stream.columns)

    @property
    def most_blocks(self) -> int:
        """Each chunk ends with a block that may not be full."""
        return self.count // self.block_rows + self.stream.most_chunks

    def total(self, part: Callable[[Block], NDArray[Any]]) -> NDArray[Any]:
        """Read the stream once; refuse one that is not what it was."""
        return sum_blocks(self.blocks(), part)

    def blocks(self) -> Iterator[Block]:
        """The rows in order, read once."""
        rows, blocks, rooms = 0, 0, rooms_for(self.changes)
        for features, labels in self.stream.chunks():
            rows += len(labels)
            if rows > self.count:
                break
            for block in changed_blocks(features, labels, self.changes, rooms):
                yield block
                blocks += 1
        if rows != self.count or blocks > self.most_blocks:
            raise changed_while_read()

    def changed(self, change: Change, columns: int) -> StreamedRows:
        """Note the change; nothing is read."""
        return replace(self, columns=columns, changes=(*self.changes, change))


def changed_while_read() -> TableError:
    """What refuses a pass whose rows are not those of the first."""
    return TableError("The records changed while they were read.", "Fit to a table that stays as it is.")


def slices(count: int, rows: int) -> Iterator[slice]:
    """Those of each block, of so many rows."""
    for start in range(0, count, rows):
        yield slice(start, min(start + rows, count))


def changed_blocks(
    features: FloatArray, labels: FloatArray, changes: tuple[Change, ...], rooms: Sequence[Room]
) -> Iterator[Block]:
    """A chunk in blocks, with all changes applied to each."""
    first, *others = rooms
    for part in slices(len(labels), block_rows(features.shape[1])):
        yield changed_block(Block(features[part], labels[part], room=first), changes, others)
