"""Rows of numbers, each with a label, summed block by block: how every stage of a fit sees the data.

A fit needs its records only through sums over all of them. What holds the records (arrays in memory, files,
a cluster) decides how a sum is made; what is summed is the same everywhere.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray, row_norms
from relgauss.records.storage import Arrays, HeldRoom, MemoryStorage, Room, Storage, rooms_for
from relgauss.records.threads import in_threads, thread_count

LEAST_ROWS, MOST_ROWS = 2**13, 2**16  # of a block that is full
_BLOCK_NUMBERS = 2**19  # in a block of more rows than the least: 4 MiB stay in the cache for a second look
SPARE = 1  # columns beside the features: one of ones, for an intercept
_TURNED_ROWS = 512
_RUNS = 64  # of blocks, that threads take in turn; however many there are, the runs are the same


def block_rows(columns: int) -> int:
    """The rows of a full block of so many features: few columns make long blocks.

    Threads wait for each other between calls of NumPy, so calls should take long; in fewer rows than 2^13 a
    call on a whole block takes longer too, as NumPy then copies what it broadcasts.
    """
    most = _BLOCK_NUMBERS // max(columns, 1)
    return min(max(1 << max(most.bit_length() - 1, 0), LEAST_ROWS), MOST_ROWS)


class Block:
    """Some rows: features (m, d), labels (m,) and the L2 norms of the features (m,).

    ``room`` is for a matrix that is computed from them, and needed only until the next block.
    """

    def __init__(
        self,
        features: FloatArray,
        labels: FloatArray,
        norms: FloatArray | None = None,
        room: Room | None = None,
    ) -> None:
        self.features = features
        self.labels = labels
        self.room = room or Room()
        self._found: tuple[bytes, FloatArray] | None = None
        if norms is not None:
            self.norms = norms

    @cached_property
    def norms(self) -> FloatArray:
        """The norm of each row."""
        return row_norms(self.features)

    def scores(self, theta: FloatArray) -> FloatArray:
        """x · theta for each row x, to be read only; of its first entries, if theta has fewer.

        They are kept until others are asked for: rows in memory are the same blocks in every pass.
        """
        point = theta.tobytes()
        if self._found is None or self._found[0] != point:
            self._found = point, self.features[:, : theta.size] @ theta
        return self._found[1]


Change = Callable[[Block], tuple[FloatArray, FloatArray]]
"""New features, perhaps in the block's room, and labels of some rows. It treats each row by itself, so a row
of the result depends on one record only."""

Relabel = Callable[[FloatArray], FloatArray]


class Rows(ABC):
    """All rows. Their number and that of their columns are public, what they hold is not."""

    count: int
    columns: int
    block_rows: int  # at most so many are in a block

    @property
    @abstractmethod
    def most_blocks(self) -> int:
        """At most so many blocks are summed."""

    @abstractmethod
    def total(self, part: Callable[[Block], NDArray[Any]]) -> NDArray[Any]:
        """The sum of ``part`` over all blocks: one pass over the records."""

    @abstractmethod
    def changed(self, change: Change, columns: int) -> Rows:
        """Rows with other features and labels.

        Of these rows only the labels may be read afterwards, and only if no other change made them.
        """

    def relabelled(self, labels_of: Relabel) -> Rows:
        """Rows with other labels, each a function of the record's own."""
        return self.changed(lambda block: (block.features, labels_of(block.labels)), self.columns)


class HeldRows(Rows):
    """Rows in storage. Changed rows take the place of those they come from, in the first pass over them.

    Every pass adds the blocks in at most ``_RUNS`` runs, and then the runs, so that a sum is the same to the
    last bit in storage of any kind and with any number of threads.
    """

    def __init__(self, source: Storage | Arrays, columns: int, n_jobs: int | None = 1) -> None:
        self.count, self.columns, self.block_rows = source.count, columns, source.block_rows
        self._source = source
        self._threads = thread_count(n_jobs)
        self._held_columns = columns  # in the source, where nothing that is pending has been done
        self._is_first = True
        self._pending: tuple[Change, ...] = (_by_columns,) if isinstance(source, Arrays) else ()
        self._labels_of: tuple[Relabel, ...] = ()  # what makes the labels of those in the source
        self._rooms: deque[Sequence[Room]] = deque()  # those that no thread uses now
        self._blocks: dict[int, Block] = {}  # as they are held, once nothing is pending

    @property
    def most_blocks(self) -> int:
        """All blocks but the last are full."""
        return -(-self.count // self.block_rows)

    def total(self, part: Callable[[Block], NDArray[Any]]) -> NDArray[Any]:
        """The sum over all blocks; if a change is pending, the rows are changed now."""
        places = range(self.most_blocks)
        length = -(-len(places) // _RUNS)
        runs = [places[start : start + length] for start in range(0, len(places), length)]
        target = self._target() if self._pending else None

        def sum_run(run: range) -> NDArray[Any]:
            rooms = self._rooms.pop() if self._rooms else rooms_for(self._pending)
            try:
                total = np.array(part(self._block(run[0], target, rooms)))
                for place in run[1:]:
                    total += part(self._block(place, target, rooms))
                return total
            finally:
                self._rooms.append(rooms)

        total = add_up(in_threads(sum_run, runs, self._threads, parts=length))
        if target is not None:
            self._source, self._held_columns, self._pending = target, self.columns, ()
            if not self._is_first:
                self._labels_of = ()
        return total

    def changed(self, change: Change, columns: int) -> HeldRows:
        """Note the change: the next pass makes it."""
        other = HeldRows(self._source, columns, self._threads)
        other._held_columns, other._pending = self._held_columns, (*self._pending, change)
        other._labels_of, other._is_first = self._labels_of, False
        return other

    def relabelled(self, labels_of: Relabel) -> HeldRows:
        """Note what makes other labels of the first ones, which are held beside all later ones."""
        other = HeldRows(self._source, self.columns, self._threads)
        other._held_columns, other._pending = self._held_columns, self._pending
        other._labels_of, other._is_first = (*self._labels_of, labels_of), self._is_first
        return other

    def _target(self) -> Storage:
        """Where the changed rows go: where they come from, if there is room."""
        if isinstance(self._source, Storage) and self._source.width >= self.columns:
            return self._source
        return MemoryStorage(self.columns + SPARE, self.block_rows, self.count)

    def _block(self, place: int, target: Storage | None, rooms: Sequence[Room]) -> Block:
        block = self._blocks.get(place)
        if block is not None:
            block.room = rooms[0]
            return block
        held = self._source.read(place)
        features = held.features[:, : self._held_columns]
        if target is None and self._is_first:
            return Block(features, self._relabelled(held.first_labels), None, rooms[0])
        if target is None:
            block = Block(features, held.labels, held.norms, rooms[0])
            if self._source.is_memory:  # what a block keeps is to be no more than what is in a file
                self._blocks[place] = block
            return block
        into = target.features_of(place)
        if into is not None:  # the last change writes where the rows are to be held
            rooms = [*rooms[:-2], HeldRoom(into), rooms[-1]]
        if self._is_first:  # its labels are held as they came
            block = changed_block(Block(features, held.labels, room=rooms[0]), self._pending, rooms[1:])
            target.put(place, block.features, block.labels, None, block.labels)
            return Block(block.features, self._relabelled(block.labels), None, block.room)
        labels = self._relabelled(held.labels)
        block = changed_block(Block(features, labels, room=rooms[0]), self._pending, rooms[1:])
        first_labels = None if target is self._source else held.first_labels
        target.put(place, block.features, block.labels, block.norms, first_labels)
        return block

    def _relabelled(self, labels: FloatArray) -> FloatArray:
        for labels_of in self._labels_of:
            labels = labels_of(labels)
        return labels


class ArrayRows(HeldRows):
    """Rows in the user's arrays, which the first pass copies into memory of its own, column by column.

    X θ and s X then run along memory, and a pass of descent takes 0.6 to 0.9 of the time that it takes row by
    row (``benchmarks.scale``).
    """

    def __init__(self, features: FloatArray, labels: FloatArray, n_jobs: int | None = 1) -> None:
        columns = features.shape[1]
        super().__init__(Arrays(features, labels, block_rows(columns)), columns, n_jobs)
        self.features, self.labels = features, labels


@dataclass
class Passes:
    """The number of passes so far; ``tell``, if there is one, is told of each."""

    made: int = 0
    tell: Callable[[int], None] | None = None


@dataclass(frozen=True, eq=False)
class CountedRows(Rows):
    """Other rows; every sum over them, and over what they change into, counts as one pass."""

    rows: Rows
    passes: Passes = field(default_factory=Passes)

    @property
    def count(self) -> int:  # type: ignore[override]
        """The number of rows."""
        return self.rows.count

    @property
    def columns(self) -> int:  # type: ignore[override]
        """The number of features."""
        return self.rows.columns

    @property
    def block_rows(self) -> int:  # type: ignore[override]
        """At most so many rows are in a block."""
        return self.rows.block_rows

    @property
    def most_blocks(self) -> int:
        """At most so many blocks, as in the rows that are counted."""
        return self.rows.most_blocks

    def total(self, part: Callable[[Block], NDArray[Any]]) -> NDArray[Any]:
        """The sum over all rows, counted as one more pass."""
        self.passes.made += 1
        total = self.rows.total(part)
        if self.passes.tell is not None:
            self.passes.tell(self.passes.made)
        return total

    def changed(self, change: Change, columns: int) -> CountedRows:
        """The changed rows, whose passes are counted together with these."""
        return replace(self, rows=self.rows.changed(change, columns))

    def relabelled(self, labels_of: Relabel) -> CountedRows:
        """The same rows with other labels."""
        return replace(self, rows=self.rows.relabelled(labels_of))


def _by_columns(block: Block) -> tuple[FloatArray, FloatArray]:
    """The same rows, held column by column; a few at a time, so that a line of the cache is read once."""
    features = block.room.columnwise(*block.features.shape)
    for start in range(0, len(features), _TURNED_ROWS):
        part = slice(start, start + _TURNED_ROWS)
        features[part] = block.features[part]
    return features, block.labels


def changed_block(block: Block, changes: tuple[Change, ...], rooms: Sequence[Room]) -> Block:
    """A block after all changes, each with the room for what comes next."""
    for change, room in zip(changes, rooms, strict=True):
        block = Block(*change(block), room=room)
    return block


def sum_blocks(blocks: Iterable[Block], part: Callable[[Block], NDArray[Any]]) -> NDArray[Any]:
    """The sum of ``part`` over blocks, one after another."""
    return add_up(part(block) for block in blocks)


def add_up(parts: Iterable[NDArray[Any]]) -> NDArray[Any]:
    """The sum of some arrays, one after another, in new memory."""
    several = iter(parts)
    total = np.array(next(several))
    for part in several:
        total += part
    return total
