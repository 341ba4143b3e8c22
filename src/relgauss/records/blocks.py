"""Rows of numbers, each with a label, summed block by block: how every stage of a fit sees the data.

A fit needs its records only through sums over all of them. What holds the records (arrays in memory, files,
a cluster) decides how a sum is made; what is summed is the same everywhere.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray

BLOCK_ROWS = 2**13  # a block of 30 columns stays in the cache while a pass goes through it twice


class Room:
    """Memory for a matrix of one block, which the next block uses again.

    Fresh memory costs time, most where an allocator gives it back at once: on Dask's workers a fit took 1.6
    times as long.
    """

    def __init__(self) -> None:
        self._numbers = np.empty(0)

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
        if norms is not None:
            self.norms = norms

    @cached_property
    def norms(self) -> FloatArray:
        """The norm of each row."""
        return row_norms(self.features)


Change = Callable[[Block], tuple[FloatArray, FloatArray]]
"""New features, perhaps in the block's room, and labels of some rows. It treats each row by itself, so a row
of the result depends on one record only."""


class Rows(ABC):
    """All rows. Their number and that of their columns are public, what they hold is not."""

    count: int
    columns: int

    @property
    @abstractmethod
    def most_blocks(self) -> int:
        """At most so many blocks are summed, of at most ``BLOCK_ROWS`` rows each."""

    @abstractmethod
    def total(self, part: Callable[[Block], NDArray[Any]]) -> NDArray[Any]:
        """The sum of ``part`` over all blocks: one pass over the records."""

    @abstractmethod
    def changed(self, change: Change, columns: int) -> Rows:
        """Rows with other features and labels; these rows are not to be used afterwards."""


@dataclass(frozen=True, eq=False)
class ArrayRows(Rows):
    """Rows in memory. Changed rows are computed once, and take the place of those they come from.

    They are held column by column, as ``columnwise`` makes them: X θ and s X then run along memory, and a
    pass of descent takes 0.6 to 0.9 of the time that it takes row by row (``benchmarks.scale``).
    """

    features: FloatArray
    labels: FloatArray
    norms: FloatArray | None = None
    is_own: bool = False  # whether the features may be overwritten

    @property
    def count(self) -> int:  # type: ignore[override]
        """The number of rows."""
        return len(self.labels)

    @property
    def columns(self) -> int:  # type: ignore[override]
        """The number of features."""
        return int(self.features.shape[1])

    @property
    def most_blocks(self) -> int:
        """All blocks but the last are full."""
        return -(-self.count // BLOCK_ROWS)

    def blocks(self) -> Iterator[Block]:
        """The rows in order."""
        room = Room()
        for part in slices(self.count):
            norms = None if self.norms is None else self.norms[part]
            yield Block(self.features[part], self.labels[part], norms, room)

    def total(self, part: Callable[[Block], NDArray[Any]]) -> NDArray[Any]:
        """The sum over all blocks, in order."""
        return sum_blocks(self.blocks(), part)

    def changed(self, change: Change, columns: int) -> ArrayRows:
        """Change all rows now."""
        base = self.features if not self.is_own or self.features.base is None else self.features.base
        if not self.is_own or base.shape[1] < columns:
            base = columnwise(self.count, columns + 1)  # one more, for a column of ones later on
        target, labels, norms = base[:, :columns], np.empty(self.count), np.empty(self.count)
        for part, block in zip(slices(self.count), self.blocks(), strict=True):
            features, labels[part] = change(block)
            norms[part] = row_norms(features)
            target[part] = features
        return ArrayRows(target, labels, norms, is_own=True)


def columnwise(rows: int, columns: int) -> FloatArray:
    """Room for a matrix whose columns are contiguous."""
    return np.empty((rows, columns), order="F")


def slices(count: int) -> Iterator[slice]:
    """The rows of each block."""
    for start in range(0, count, BLOCK_ROWS):
        yield slice(start, min(start + BLOCK_ROWS, count))


def sum_blocks(blocks: Iterator[Block], part: Callable[[Block], NDArray[Any]]) -> NDArray[Any]:
    """The sum of ``part`` over blocks, one after another."""
    total = part(next(blocks))
    for block in blocks:
        total = total + part(block)
    return total


def row_norms(features: FloatArray) -> FloatArray:
    """The L2 norm of each row: at most d/2 + 2 roundings."""
    norms: FloatArray = np.sqrt(np.einsum("ij,ij->i", features, features))
    return norms
