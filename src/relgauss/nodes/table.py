"""A node's table as its stages read it: every value is put in a public box, record by record.

    NaN counts as 0, what lies beyond ±1e100 (infinity too) as ±1e100
    a class label above 0 is 1, every other -1

So no table is refused for what a record holds, and no norm, product or sum of what is read overflows. Shape
and type of a table are public. Proof: proofs/node-points.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from relgauss.arrays import FloatArray
from relgauss.errors import InvalidValueError
from relgauss.records.blocks import ArrayRows

LARGEST = 1e100


class Table(NamedTuple):
    """Features and labels in double precision, each value in the box; their shape is public."""

    features: FloatArray
    labels: FloatArray

    @property
    def shape(self) -> tuple[int, int]:
        """The number of records, and of features."""
        count, columns = self.features.shape
        return count, columns

    def rows(self) -> ArrayRows:
        """The records as the stages read them."""
        return ArrayRows(self.features, self.labels)


def rows_of(features: ArrayLike, labels: ArrayLike) -> ArrayRows:
    """Records in double precision, each value in the box."""
    return Table(_boxed(features), _boxed(labels)).rows()


def whitened_rows(rows: ArrayRows, whitening: FloatArray) -> ArrayRows:
    """The records in whitened coordinates, each value in the box again."""
    return rows_of(rows.features @ whitening, rows.labels)


def read_table(X: ArrayLike, y: ArrayLike) -> Table:
    """A row of features and one label for each record; refused by shape and type only."""
    features, labels = _real("The table of features", X), _real("The list of labels", y)
    if features.ndim != 2 or labels.shape != features.shape[:1]:
        raise InvalidValueError(
            f"Features of shape {features.shape} and labels of shape {labels.shape} do not belong together.",
            "Pass a row of features and one label for each record.",
        )
    return Table(_boxed(features), _boxed(labels))


def class_labels(labels: FloatArray) -> FloatArray:
    """1 for a label above 0, -1 for every other."""
    return np.where(labels > 0, 1.0, -1.0)


def _boxed(numbers: ArrayLike) -> FloatArray:
    with np.errstate(over="ignore"):  # of numbers longer than a double
        doubles = np.asarray(numbers, dtype=np.float64)
    return np.clip(np.where(np.isnan(doubles), 0.0, doubles), -LARGEST, LARGEST)


def _real(name: str, values: ArrayLike) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
    """An array of real numbers; texts, dates, complex numbers and masked arrays are none."""
    try:
        array = np.asarray(values)
    except ValueError:  # rows of unlike lengths
        array = np.empty(0, dtype=str)
    if array.dtype.kind not in "iuf" or isinstance(values, np.ma.MaskedArray):
        raise InvalidValueError(
            f"{name} is not an array of real numbers.", "Write a missing value as NaN, which counts as 0."
        )
    return array
