"""Dask data frames and arrays as records: columns by public rules, values checked once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from relgauss import validate
from relgauss.arrays import FloatArray
from relgauss.errors import InvalidParameterError, TableError
from relgauss.records.blocks import Rows
from relgauss.records.columns import check_features
from relgauss.records.dask_rows import Chunk, DaskRows
from relgauss.records.prepared import prepared_by

if TYPE_CHECKING:
    from dask.delayed import Delayed

_NUMBERS = "iufb"  # kinds of NumPy types


class DaskRecords:
    """Features and target of a Dask data frame, or of a Dask array and one of labels.

    The rows of each partition are counted and checked once; every pass of a fit computes on the cluster that
    ``distributed`` has made current, or in this process.
    """

    def __init__(
        self, data: Any, target: Any, *, features: Sequence[str] | None = None, missing: float | None = None
    ) -> None:
        if missing is not None:
            missing = validate.number("missing", missing, "Pass the number that stands for a missing value.")
        if hasattr(data, "dtypes"):
            self.names, chunks = _frame_chunks(data, target, features, missing)
            self.target = str(target)
        else:
            if features is not None:
                raise InvalidParameterError(
                    "features", features, "left out for an array", "Choose its columns first."
                )
            self.names, chunks = _array_chunks(data, target, missing)
            self.target = "y"
        self.count, self.columns = _count(chunks, (*self.names, self.target)), len(self.names)
        self._partitions = tuple(chunks)
        self.missing = missing
        self.assumed = (prepared_by("what computes the Dask collection, alike in every pass,"),)
        self.categories: dict[str, list[str]] = {}
        self.classes = None
        self._kept = data, target  # a persisted collection lives on its cluster as long as here

    def chunks(self) -> Iterator[Chunk]:
        """Features and labels of each partition in turn, brought here."""
        for part in self._partitions:
            yield part.compute()

    def rows(self, n_jobs: int | None = 1) -> Rows:  # the threads of workers are Dask's own
        """The records as rows that a fit can read."""
        return DaskRows(self._partitions, self.count, self.columns, self.columns)


def is_dask(data: object) -> bool:
    """Whether this is a Dask collection."""
    return type(data).__module__.split(".")[0] in ("dask", "dask_expr")


def _frame_chunks(
    frame: Any, target: str, features: Sequence[str] | None, missing: float | None
) -> tuple[tuple[str, ...], list[Delayed]]:
    import dask

    held = list(frame.columns)
    if len(set(held)) < len(held):
        raise TableError("Two columns of the data frame have the same name.", "Rename one.")
    names = tuple(check_features(held, target, features))
    for name in (*names, target):
        if name not in held:
            listed = ", ".join(map(repr, held))
            raise TableError(f"There is no column {name!r} in the data frame.", f"Its columns are {listed}.")
    for name in (*names, target):
        if frame.dtypes[name].kind not in _NUMBERS:
            raise TableError(
                f"The column {name!r} does not hold numbers, but {frame.dtypes[name]}.",
                "Name a column of numbers, or convert it first.",
            )
    chosen = frame[[*names, target]]
    return names, [dask.delayed(_from_frame)(part, missing) for part in chosen.to_delayed()]


def _array_chunks(features: Any, labels: Any, missing: float | None) -> tuple[tuple[str, ...], list[Delayed]]:
    import dask

    fix = "Pass a matrix and a vector of numbers, both Dask arrays with as many rows."
    for array, dimensions in ((features, 2), (labels, 1)):
        if not is_dask(array) or getattr(array, "ndim", 0) != dimensions or array.dtype.kind not in _NUMBERS:
            kind = f"{type(array).__name__} of {getattr(array, 'ndim', 'no')} dimensions"
            raise TableError(f"The records are no Dask arrays of numbers: {kind}.", fix)
    if np.isnan([*features.shape, *labels.shape]).any():
        raise TableError("The Dask arrays do not know their shape.", "Call compute_chunk_sizes() on them.")
    if len(features) != len(labels):
        raise TableError(f"There are {len(features)} rows and {len(labels)} labels.", fix)
    features = features.rechunk({1: -1})
    labels = labels.rechunk((features.chunks[0],))
    blocks = zip(features.to_delayed().ravel(), labels.to_delayed().ravel(), strict=True)
    names = tuple(f"x{j}" for j in range(features.shape[1]))
    return names, [dask.delayed(_from_arrays)(*block, missing) for block in blocks]


def _from_frame(part: Any, missing: float | None) -> Chunk:
    features = [_numbers(part.iloc[:, place], missing) for place in range(part.shape[1] - 1)]
    return np.column_stack(features), _numbers(part.iloc[:, -1], None)


def _from_arrays(features: Any, labels: Any, missing: float | None) -> Chunk:
    return np.ascontiguousarray(_numbers(features, missing)), _numbers(labels, None)


def _numbers(values: Any, missing: float | None) -> FloatArray:
    """Values as doubles; one that is NaN or masked is ``missing``, or stays NaN, which the check refuses.

    If some are no numbers, infinities stand in the place of all, so that the check refuses them.

    An error would not do: Dask logs it where it happens and returns it, and its text may quote a record.
    """
    try:
        given = values.to_numpy(dtype=np.float64, na_value=np.nan) if hasattr(values, "to_numpy") else values
        with np.errstate(over="ignore", invalid="ignore"):  # a warning would tell of a record
            numbers = np.ma.filled(np.ma.asarray(given, dtype=np.float64), np.nan)
    except (TypeError, ValueError, OverflowError):
        return np.full(values.shape, np.inf)
    if missing is None:
        return numbers
    is_missing = np.isnan(numbers)
    return np.where(is_missing, missing, numbers) if is_missing.any() else numbers


def _count(chunks: list[Delayed], names: Sequence[str]) -> int:
    """The number of rows; refuse values that are not finite, naming the column."""
    import dask

    checked = dask.compute(*(dask.delayed(_checked)(chunk) for chunk in chunks))
    bad = np.any([not_finite for _, not_finite in checked], axis=0)
    if bad.any():
        name = names[int(np.flatnonzero(bad)[0])]
        raise TableError(
            f"The column {name!r} holds values that are not finite numbers (some may be missing).",
            "Clean the column, leave it out, or state what a missing feature counts as: missing.",
        )
    count = sum(count for count, _ in checked)
    if count == 0:
        raise TableError("The table has no rows.", "Check its partitions.")
    return int(count)


def _checked(chunk: Chunk) -> tuple[int, NDArray[np.bool_]]:
    features, labels = chunk
    not_finite = ~np.isfinite(features).all(axis=0)
    return len(labels), np.append(not_finite, not np.isfinite(labels).all())
