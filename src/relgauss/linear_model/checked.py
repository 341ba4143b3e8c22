"""Arrays as scikit-learn checks them, without a word about what a record holds.

Some of scikit-learn's messages quote the array, and NumPy warns when a number does not fit; an error or a
warning of that kind would tell of a record. What a message may say is listed here; all else is reworded.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from relgauss.arrays import FloatArray
from relgauss.errors import InvalidValueError

# Messages of scikit-learn that name shapes, types, names of columns, or that a value is not finite.
_PUBLIC = (
    "Feature names are only supported",
    "Found array with ",
    "Found input variables with inconsistent numbers of samples",
    "Input X contains ",
    "Input y contains ",
    "Sparse data was passed",
    "The feature names should match",
    "This ",
    "X has ",
    "float() argument must be",
    "y should be a 1d array",
)


def checked_data(
    model: BaseEstimator, X: ArrayLike, y: ArrayLike | None, *, y_numeric: bool
) -> tuple[FloatArray, NDArray[Any]]:
    """Features and labels to fit to; numbers must be finite as doubles."""
    with _without_quotes(X, y):
        features, labels = validate_data(model, X, y, dtype=np.float64, y_numeric=y_numeric)
        if labels.dtype.kind == "f" or y_numeric:
            labels = np.asarray(labels, dtype=np.float64)
            if not np.isfinite(labels).all():  # as a longdouble it was finite
                raise ValueError("Input y contains infinity or a value too large for dtype('float64').")
    return features, labels


def checked_features(model: BaseEstimator, X: ArrayLike) -> FloatArray:
    """Features to predict by, of the columns that the model was fitted to."""
    with _without_quotes(X):
        features: FloatArray = validate_data(model, X, dtype=np.float64, reset=False)
    return features


@contextmanager
def _without_quotes(*arrays: object) -> Iterator[None]:
    """Refuse masked arrays, whose mask scikit-learn ignores; reword errors, and drop NumPy's warnings."""
    from narwhals.exceptions import DuplicateError

    if any(isinstance(array, np.ma.MaskedArray) for array in arrays):
        raise InvalidValueError(
            "A masked array holds values under its mask.", "Fill them by a public rule: array.filled(0)."
        )
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Warning: converting a masked element", UserWarning)
            yield
    except DuplicateError:
        raise InvalidValueError("Two columns of the data frame have the same name.", "Rename one.") from None
    except (TypeError, ValueError, OverflowError) as error:
        if str(error).startswith(_PUBLIC):
            raise
        raise _reworded(str(error)) from None


def _reworded(message: str) -> InvalidValueError:
    if message.startswith("Complex data"):
        return InvalidValueError("Complex data not supported.", "Pass real numbers.")
    if message.startswith("Expected 2D array"):
        return InvalidValueError(
            f"{message.partition(':')[0]}.",
            "Reshape your data: a row for each record.",
        )
    if message.startswith("could not convert"):
        return InvalidValueError(
            "The table holds text where numbers are needed.", "Leave the column out, or make it numbers."
        )
    return InvalidValueError("The records are no arrays of numbers.", "Pass a matrix and a vector of floats.")
