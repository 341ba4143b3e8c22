"""Rows of numbers, each with a label and its norm, read in blocks: how every stage of a fit sees the data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from relgauss.arrays import FloatArray

BLOCK_ROWS = 2**13  # a block of 30 columns stays in the cache while a pass goes through it twice


class Block(NamedTuple):
    """Some rows: features (m, d), labels (m,) and the L2 norms of the features (m,)."""

    features: FloatArray
    labels: FloatArray
    norms: FloatArray


@dataclass(frozen=True, eq=False)
class Rows:
    """All rows, in memory. ``count`` and ``columns`` are public, what the arrays hold is not."""

    features: FloatArray
    labels: FloatArray
    norms: FloatArray

    @property
    def count(self) -> int:
        """The number of rows."""
        return len(self.labels)

    @property
    def columns(self) -> int:
        """The number of features."""
        return int(self.features.shape[1])

    def blocks(self) -> Iterator[Block]:
        """The rows in order, a block at a time."""
        for part in parts(self.count):
            yield Block(self.features[part], self.labels[part], self.norms[part])


def parts(count: int) -> Iterator[slice]:
    """The rows of each block."""
    for start in range(0, count, BLOCK_ROWS):
        yield slice(start, min(start + BLOCK_ROWS, count))


def fill_rows(target: FloatArray, labels: FloatArray, block_of: Callable[[slice], FloatArray]) -> Rows:
    """Rows computed block by block into ``target``, with their norms.

    ``block_of`` treats each row by itself, so a row of the result depends on one record only. It may read
    what ``target`` holds of the same rows: then a large table is held in memory once.
    """
    norms = np.empty(len(labels))
    for part in parts(len(labels)):
        block = block_of(part)
        target[part] = block
        norms[part] = row_norms(block)
    return Rows(target, labels, norms)


def row_norms(features: FloatArray) -> FloatArray:
    """The L2 norm of each row: at most d/2 + 2 roundings."""
    norms: FloatArray = np.sqrt(np.einsum("ij,ij->i", features, features))
    return norms
