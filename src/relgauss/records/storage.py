"""Where rows are held while a fit reads them: in the user's arrays, in memory, or in a scratch file.

A block is held in one piece, column by column, so that a pass reads along memory or disk: the labels as they
came, the labels as they are, the norms of the rows, and the features. All blocks but the last are full, which
proofs/float-sums.md counts on.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from relgauss.arrays import FloatArray

Kept = TypeVar("Kept")

_FEATURES = 3  # the first column of the features
_SLAB_BLOCKS = 16  # blocks whose memory is asked for at once: the system gives large pieces in less time


class Held(NamedTuple):
    """A block as it is held; its norms are those of the rows when they were last put."""

    features: FloatArray
    first_labels: FloatArray
    labels: FloatArray
    norms: FloatArray


@dataclass(frozen=True, eq=False)
class Arrays:
    """Rows in arrays that belong to somebody else: they are read, never written."""

    features: FloatArray
    labels: FloatArray
    block_rows: int
    is_memory = True

    @property
    def count(self) -> int:
        """The number of rows."""
        return len(self.labels)

    def read(self, place: int) -> Held:
        """A block; its norms are not known."""
        part = slice(place * self.block_rows, (place + 1) * self.block_rows)
        labels = self.labels[part]
        return Held(self.features[part], labels, labels, np.full(len(labels), np.nan))


class Storage(ABC):
    """Blocks of up to ``width`` features; all blocks but the last have as many rows."""

    is_memory: bool

    def __init__(self, width: int, block_rows: int, count: int = 0) -> None:
        self.width, self.block_rows, self.count = width, block_rows, count
        self._read: dict[int, Held] = {}  # what threads would wait for while one of them makes it anew

    @property
    def bytes(self) -> int:
        """The size of all numbers."""
        return self.bytes_of(self.width, self.count)

    @staticmethod
    def bytes_of(width: int, count: int) -> int:
        """The size of so many rows."""
        return 8 * (_FEATURES + width) * count

    def add(self, features: FloatArray, labels: FloatArray) -> None:
        """Hold one more block; those before it must be full."""
        place = -(-self.count // self.block_rows)
        self.count += len(labels)
        self.put(place, features, labels, None, labels)

    @abstractmethod
    def put(
        self,
        place: int,
        features: FloatArray,
        labels: FloatArray,
        norms: FloatArray | None,
        first_labels: FloatArray | None = None,
    ) -> None:
        """Replace a block, but for what is None."""

    def features_of(self, place: int) -> FloatArray | None:
        """Where the features of a block may be written to directly, if they may."""
        return None

    def read(self, place: int) -> Held:
        """A block, to be read only."""
        held = self._read.get(place)
        if held is None:
            numbers = self._block(place)
            held = self._read[place] = Held(numbers[:, _FEATURES:], *numbers[:, :_FEATURES].T)
        return held

    @abstractmethod
    def _block(self, place: int) -> FloatArray:
        """All numbers of a block."""

    def _rows(self, place: int) -> int:
        return min(self.block_rows, self.count - place * self.block_rows)


class MemoryStorage(Storage):
    """Blocks in memory; ``count`` rows are there from the start, and hold anything until they are put."""

    is_memory = True

    def __init__(self, width: int, block_rows: int, count: int = 0) -> None:
        super().__init__(width, block_rows, count)
        slab_rows = _SLAB_BLOCKS * block_rows
        rows = [min(slab_rows, count - start) for start in range(0, count, slab_rows)]
        self._slabs = [np.empty((_FEATURES + width) * each) for each in rows]

    def put(
        self,
        place: int,
        features: FloatArray,
        labels: FloatArray,
        norms: FloatArray | None,
        first_labels: FloatArray | None = None,
    ) -> None:
        """Copy what is given."""
        if place == len(self._slabs) * _SLAB_BLOCKS:
            self._slabs.append(np.empty((_FEATURES + self.width) * _SLAB_BLOCKS * self.block_rows))
        held = self.read(place)
        if features.ctypes.data != held.features.ctypes.data:  # else they were written there
            held.features[:, : features.shape[1]] = features
        held.labels[:] = labels
        for column, given in ((held.norms, norms), (held.first_labels, first_labels)):
            if given is not None:
                column[:] = given

    def features_of(self, place: int) -> FloatArray:
        """The features as they are held."""
        return self.read(place).features

    def _block(self, place: int) -> FloatArray:
        slab, place_in_slab = divmod(place, _SLAB_BLOCKS)
        rows, columns = self._rows(place), _FEATURES + self.width
        start = place_in_slab * self.block_rows * columns
        return self._slabs[slab][start : start + rows * columns].reshape(columns, rows).T


class ScratchStorage(Storage):
    """Blocks in a file that only its owner may read (mode 0600), and that no folder lists.

    It has no name, or loses it before anything is written, so the system frees it when this process ends,
    however it ends. It is read through the page cache. Writing raises ``OSError`` where there is no room.
    """

    is_memory = False

    def __init__(self, width: int, block_rows: int, folder: Path | None) -> None:
        super().__init__(width, block_rows)
        self._file = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115 - it lives as long as this
        self._map: mmap.mmap | None = None

    def put(
        self,
        place: int,
        features: FloatArray,
        labels: FloatArray,
        norms: FloatArray | None,
        first_labels: FloatArray | None = None,
    ) -> None:
        """Write what is given, by a call that can tell of a full disk; a mapped page could only kill."""
        rows = len(labels)
        given = [(_FEATURES, features.T), (1, labels), (2, norms), (0, first_labels)]
        for column, numbers in given:
            if numbers is not None:
                self._write(numbers, self._start(place) + 8 * column * rows)

    def _write(self, numbers: FloatArray, offset: int) -> None:
        left = np.ascontiguousarray(numbers).reshape(-1).view(np.uint8).data
        while left:
            written = os.pwrite(self._file.fileno(), left, offset)
            left, offset = left[written:], offset + written

    def _block(self, place: int) -> FloatArray:
        if self._map is None or len(self._map) < self.bytes:
            os.truncate(self._file.fileno(), self.bytes)  # spare columns of the last block were not written
            self._map = mmap.mmap(self._file.fileno(), self.bytes, access=mmap.ACCESS_READ)
        rows, columns = self._rows(place), _FEATURES + self.width
        numbers = np.frombuffer(self._map, count=rows * columns, offset=self._start(place))
        return numbers.reshape(columns, rows).T

    def _start(self, place: int) -> int:
        return 8 * place * self.block_rows * (_FEATURES + self.width)


class Room:
    """Memory for a matrix of one block, which the next block uses again.

    Fresh memory costs time, most where an allocator gives it back at once: on Dask's workers a fit took 1.6
    times as long.
    """

    def __init__(self) -> None:
        self._numbers = np.empty(0)
        self._kept: dict[object, Any] = {}

    def kept(self, key: object, make: Callable[[], Kept]) -> Kept:
        """What ``make`` makes, once for all blocks that have this room."""
        if key not in self._kept:
            self._kept[key] = make()
        kept: Kept = self._kept[key]
        return kept

    def columnwise(self, rows: int, columns: int) -> FloatArray:
        """Room for a matrix whose columns are contiguous."""
        if self._numbers.size < rows * columns:
            self._numbers = np.empty(rows * columns)
        return self._numbers[: rows * columns].reshape(columns, rows).T

    def like(self, features: FloatArray) -> FloatArray:
        """Room for a matrix of this shape, in the same order."""
        rows, columns = features.shape
        if features.strides[0] < features.strides[1]:
            return self.columnwise(rows, columns)
        return self.columnwise(columns, rows).T


class HeldRoom(Room):
    """Where a block will be held: a matrix that is made there column by column need not be copied."""

    def __init__(self, held: FloatArray) -> None:
        super().__init__()
        self._held = held

    def columnwise(self, rows: int, columns: int) -> FloatArray:
        """The first columns of what is held."""
        return self._held[:, :columns]

    def like(self, features: FloatArray) -> FloatArray:
        """What is held, or other memory for rows that are not in its order."""
        if features.strides[0] < features.strides[1]:
            return self.columnwise(*features.shape)
        return np.empty_like(features)


def rooms_for(changes: Sequence[object]) -> tuple[Room, ...]:
    """Room for what each change makes of a block, and for what is computed from the last one."""
    return tuple(Room() for _ in range(len(changes) + 1))
