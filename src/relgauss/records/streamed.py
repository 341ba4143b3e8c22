"""Rows that are read anew in every pass: memory stays flat, whatever their number."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.errors import TableError
from relgauss.records.blocks import BLOCK_ROWS, Block, Change, Rows, changed_block, sum_blocks
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
    def most_blocks(self) -> int:
        """Each chunk ends with a block that may not be full."""
        return most_blocks(self.count, self.stream.most_chunks)

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


def most_blocks(count: int, chunks: int) -> int:
    """How many blocks some chunks of rows make at most."""
    return count // BLOCK_ROWS + chunks


def slices(count: int) -> Iterator[slice]:
    """The rows of each block."""
    for start in range(0, count, BLOCK_ROWS):
        yield slice(start, min(start + BLOCK_ROWS, count))


def changed_blocks(
    features: FloatArray, labels: FloatArray, changes: tuple[Change, ...], rooms: Sequence[Room]
) -> Iterator[Block]:
    """A chunk in blocks, with all changes applied to each."""
    first, *others = rooms
    for part in slices(len(labels)):
        yield changed_block(Block(features[part], labels[part], room=first), changes, others)
