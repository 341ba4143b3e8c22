"""Sums over the partitions of a Dask cluster: partial sums where they are, a tree of additions, one answer.

Workers return sums, never records. Tasks are pure, so one that is lost with its worker is computed again to
the same sum; noise is drawn where the answer arrives, once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.records.blocks import Block, Change, Rows, block_rows, sum_blocks
from relgauss.records.storage import rooms_for
from relgauss.records.streamed import changed_blocks, changed_while_read

if TYPE_CHECKING:
    from dask.delayed import Delayed

Chunk = tuple[FloatArray, FloatArray]

_FAN_IN = 16  # sums that one task adds: each task costs some 10 ms of a scheduler's time


class Partial(NamedTuple):
    """The sum over some rows, and their number; no rows have no sum."""

    rows: int
    sum: NDArray[Any] | None


@dataclass(frozen=True, eq=False)
class DaskRows(Rows):
    """Partitions of rows on a cluster, each a delayed (features, labels)."""

    partitions: tuple[Delayed, ...]
    count: int
    columns: int
    columns_read: int
    changes: tuple[Change, ...] = ()

    @property
    def block_rows(self) -> int:  # type: ignore[override]
        """At most so many rows are in a block: those of the columns that are read."""
        return block_rows(self.columns_read)

    @property
    def most_blocks(self) -> int:
        """Each partition ends with a block that may not be full."""
        return self.count // self.block_rows + len(self.partitions)

    def total(self, part: Callable[[Block], NDArray[Any]]) -> NDArray[Any]:
        """Sum each partition where it is, then sums of sums; refuse rows that are not what they were."""
        import dask

        partial_sum, add = dask.delayed(_partial_sum, pure=False), dask.delayed(_add, pure=False)
        sums = [partial_sum(partition, self.changes, part) for partition in self.partitions]
        while len(sums) > 1:
            sums = [add(*sums[i : i + _FAN_IN]) for i in range(0, len(sums), _FAN_IN)]
        (result,) = dask.compute(sums[0])
        if result.rows != self.count:
            raise changed_while_read()
        return np.asarray(result.sum)

    def changed(self, change: Change, columns: int) -> DaskRows:
        """Note the change; nothing is computed."""
        return replace(self, columns=columns, changes=(*self.changes, change))


def _partial_sum(chunk: Chunk, changes: tuple[Change, ...], part: Callable[[Block], NDArray[Any]]) -> Partial:
    features, labels = chunk
    if not len(labels):
        return Partial(0, None)
    blocks = changed_blocks(features, labels, changes, rooms_for(changes))
    return Partial(len(labels), sum_blocks(blocks, part))


def _add(*partials: Partial) -> Partial:
    rows, total = 0, None
    for partial in partials:
        if partial.sum is not None:
            rows += partial.rows
            total = partial.sum if total is None else total + partial.sum
    return Partial(rows, total)
