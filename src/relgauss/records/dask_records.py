"""Records on a Dask cluster: partial sums where the partitions are, a tree of additions, one answer.

Workers return sums, never records. Tasks are pure, so one that is lost with its worker is computed again to
the same sum; noise is drawn where the answer arrives, once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.errors import MissingExtraError, TableError
from relgauss.records.blocks import Block, Change, Rows, sum_blocks
from relgauss.records.streamed import changed_blocks, most_blocks

if TYPE_CHECKING:
    from dask.delayed import Delayed

Chunk = tuple[FloatArray, FloatArray]


@dataclass(frozen=True, eq=False)
class DaskRows(Rows):
    """Partitions of rows on a cluster, each a delayed (features, labels)."""

    partitions: tuple[Delayed, ...]
    count: int
    columns: int
    changes: tuple[Change, ...] = ()

    @property
    def most_blocks(self) -> int:
        """Each partition ends with a block that may not be full."""
        return most_blocks(self.count, len(self.partitions))

    def total(self, part: Callable[[Block], NDArray[Any]]) -> NDArray[Any]:
        """Sum each partition where it is, then pairs of sums."""
        import dask

        sums = [
            dask.delayed(_partial_sum, pure=False)(partition, self.changes, part)
            for partition in self.partitions
        ]
        while len(sums) > 1:
            pairs = [dask.delayed(_add)(*sums[i : i + 2]) for i in range(0, len(sums) - 1, 2)]
            sums = pairs + sums[len(pairs) * 2 :]
        result: NDArray[Any] = np.asarray(dask.compute(sums[0])[0])
        return result

    def changed(self, change: Change, columns: int) -> DaskRows:
        """Note the change; nothing is computed."""
        return replace(self, columns=columns, changes=(*self.changes, change))


def _partial_sum(
    chunk: Chunk, changes: tuple[Change, ...], part: Callable[[Block], NDArray[Any]]
) -> NDArray[Any] | None:
    features, labels = chunk
    return sum_blocks(changed_blocks(features, labels, changes), part) if len(labels) else None


def _add(first: NDArray[Any] | None, second: NDArray[Any] | None) -> NDArray[Any] | None:
    """An empty partition has no sum."""
    if first is None or second is None:
        return second if first is None else first
    total: NDArray[Any] = first + second
    return total


class DaskRecords:
    """Features and target of a Dask data frame, or of a Dask array and one of labels.

    The rows of each partition are counted and checked once; every pass of a fit computes on the cluster that
    ``distributed`` has made current, or in this process.
    """

    def __init__(
        self, data: Any, target: Any, *, features: Sequence[str] | None = None, missing: float = 0.0
    ) -> None:
        if hasattr(data, "partitions") and hasattr(data, "dtypes"):
            self.names, chunks = _frame_chunks(data, target, features, missing)
            self.target = str(target)
        else:
            self.names, chunks = _array_chunks(data, target)
            self.target = "y"
        counts = _counts(chunks, (*self.names, self.target))
        self.count, self.columns = sum(counts), len(self.names)
        if self.count == 0:
            raise TableError("The table has no rows.", "Check its partitions.")
        self._partitions = tuple(chunks)

    def rows(self) -> Rows:
        """As what a fit reads."""
        return DaskRows(self._partitions, self.count, self.columns)


def is_dask(data: object) -> bool:
    """Whether this is a Dask collection."""
    return type(data).__module__.split(".")[0] in ("dask", "dask_expr")


def _frame_chunks(
    frame: Any, target: str, features: Sequence[str] | None, missing: float
) -> tuple[tuple[str, ...], list[Delayed]]:
    import dask

    names = tuple(name for name in frame.columns if name != target) if features is None else tuple(features)
    for name in (*names, target):
        if name not in frame.columns:
            columns = ", ".join(map(repr, frame.columns))
            raise TableError(f"The table has no column {name!r}.", f"Its columns are {columns}.")
        if frame.dtypes[name].kind not in "iufb":
            raise TableError(
                f"The column {name!r} does not hold numbers, but {frame.dtypes[name]}.",
                "Name a column of numbers, or convert it first.",
            )
    chosen = frame[[*names, target]]
    return names, [dask.delayed(_from_frame)(part, missing) for part in chosen.to_delayed()]


def _from_frame(part: Any, missing: float) -> Chunk:
    matrix = part.to_numpy(dtype=np.float64, na_value=np.nan)
    matrix = np.where(np.isnan(matrix), missing, matrix)
    return np.ascontiguousarray(matrix[:, :-1]), matrix[:, -1]


def _array_chunks(features: Any, labels: Any) -> tuple[tuple[str, ...], list[Delayed]]:
    import dask

    if features.ndim != 2 or labels.ndim != 1:
        raise TableError(
            f"The arrays have {features.ndim} and {labels.ndim} dimensions.", "Pass a matrix and a vector."
        )
    features = features.rechunk({1: -1})
    labels = labels.rechunk((features.chunks[0],))
    blocks = zip(features.to_delayed().ravel(), labels.to_delayed().ravel(), strict=True)
    names = tuple(f"x{j}" for j in range(features.shape[1]))
    return names, [dask.delayed(_from_arrays)(*block) for block in blocks]


def _from_arrays(features: Any, labels: Any) -> Chunk:
    return np.ascontiguousarray(features, dtype=np.float64), np.asarray(labels, dtype=np.float64)


def _counts(chunks: list[Delayed], names: Sequence[str]) -> list[int]:
    """The rows of each partition; refuse values that are not finite, naming the column."""
    try:
        import dask
    except ImportError:
        raise MissingExtraError("Dask", "dask") from None
    checked = dask.compute(*(dask.delayed(_checked)(chunk) for chunk in chunks))
    bad = np.any([not_finite for _, not_finite in checked], axis=0)
    if bad.any():
        name = names[int(np.flatnonzero(bad)[0])]
        raise TableError(
            f"The column {name!r} holds values that are not finite numbers.",
            "Clean the column, or leave it out.",
        )
    return [count for count, _ in checked]


def _checked(chunk: Chunk) -> tuple[int, NDArray[np.bool_]]:
    features, labels = chunk
    not_finite = ~np.isfinite(features).all(axis=0)
    return len(labels), np.append(not_finite, not np.isfinite(labels).all())
