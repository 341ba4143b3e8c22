"""Arrays and frames, checked before anything is spent, without a word about what a record holds.

Types that hold no numbers are refused by name (``input_types.py``); then scikit-learn checks. Some of its
messages quote the array, and NumPy warns when a number does not fit; an error or a warning of that kind would
tell of a record: what is said instead is in ``input_errors.py``.
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
from relgauss.errors import InvalidValueError, RelgaussError
from relgauss.linear_model.input_errors import columns_of_text, in_our_words
from relgauss.linear_model.input_types import is_frame, refuse_features, refuse_labels, refuse_masked
from relgauss.records.threads import in_threads, thread_count

_FILL = "Pass missing=0.0, or another number that a missing value is to count as, or leave the column out."
_FILL_NEW = "Fill it, or fit with missing=0.0 or another number: the model knows of no missing values."

_AT_ONCE = 2**18  # numbers that are checked by one thread before it takes the next ones


def checked_data(
    model: BaseEstimator, X: ArrayLike, y: ArrayLike | None, missing: float | None = None, *, y_numeric: bool
) -> tuple[FloatArray, NDArray[Any]]:
    """Features and labels to fit to; numbers must be finite as doubles, NaN is ``missing`` if that is one."""
    with _without_quotes(X, y):
        X = _held(X)
        refuse_features(X)
        if y_numeric:
            refuse_labels(y)
        features, labels = validate_data(
            model, X, y, dtype=np.float64, y_numeric=y_numeric, ensure_all_finite=False
        )
        if labels.dtype.kind == "f" or y_numeric:
            labels = np.asarray(labels, dtype=np.float64)
            if not np.isfinite(labels).all():  # as a longdouble it was finite
                raise ValueError("Input y contains infinity or a value too large for dtype('float64').")
    return _finite(model, features, missing, _FILL), labels


def checked_features(model: BaseEstimator, X: ArrayLike, missing: float | None = None) -> FloatArray:
    """Features to predict by, of the columns that the model was fitted to; a frame may have others."""
    with _without_quotes(X):
        X = _without_others(model, _held(X))
        refuse_features(X)
        features: FloatArray = validate_data(model, X, dtype=np.float64, reset=False, ensure_all_finite=False)
    return _finite(model, features, missing, _FILL_NEW)


def _held(X: ArrayLike) -> ArrayLike:
    """A frame as scikit-learn takes it: collected if it is lazy, dense if all of it is sparse."""
    import narwhals as nw

    frame: Any = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        X = frame.collect().to_native()
    elif hasattr(X, "sparse"):
        X = X.sparse.to_dense()
    return X


def _without_others(model: BaseEstimator, X: ArrayLike) -> ArrayLike:
    """A frame without the columns that the model does not know, if it has all that it knows.

    Those that are left stay in their order, which has to be that of the fit, as everywhere in scikit-learn.
    """
    import narwhals as nw

    names = set(getattr(model, "feature_names_in_", ()))
    if not names or not is_frame(X):
        return X
    frame: Any = nw.from_native(X)
    held = frame.collect_schema().names()
    known = [name for name in held if name in names]
    if not len(known) == len(names) < len(held):
        return X
    kept: ArrayLike = frame.select(known).to_native()
    return kept


def _finite(model: BaseEstimator, features: FloatArray, missing: float | None, fix: str) -> FloatArray:
    """The features, NaN replaced by what stands for it; what no rule covers is refused by its column."""
    if _all_finite(features, thread_count(getattr(model, "n_jobs", 1))):
        return features
    is_nan = np.isnan(features)
    if missing is not None and np.isfinite(features[~is_nan]).all():
        return np.where(is_nan, missing, features)
    what, places = "NaN", is_nan.any(axis=0)
    if missing is not None or not places.any():
        what, places = "infinity", np.isinf(features).any(axis=0)
        fix = "Clean the column, or leave it out."
    number = int(np.flatnonzero(places)[0])
    names = getattr(model, "feature_names_in_", None)
    where = f"number {number}" if names is None else repr(str(names[number]))
    raise InvalidValueError(f"Input X contains {what}, in the column {where}.", fix)


def _all_finite(features: FloatArray, threads: int) -> bool:
    """Whether all numbers are, a few rows at a time: nothing of the size of the table is made."""
    length = max(_AT_ONCE // max(features.shape[1], 1), 1)
    starts = range(0, len(features), length)
    return all(in_threads(lambda start: np.isfinite(features[start : start + length]).all(), starts, threads))


@contextmanager
def _without_quotes(*arrays: object) -> Iterator[None]:
    """Refuse masked arrays; reword errors, and drop NumPy's warnings."""
    from narwhals.exceptions import DuplicateError

    for array in arrays:
        refuse_masked(array)
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Warning: converting a masked element", UserWarning)
            yield
    except DuplicateError:
        raise InvalidValueError("Two columns of the data frame have the same name.", "Rename one.") from None
    except (TypeError, ValueError, ArithmeticError) as error:
        if "NAType" in str(error):  # of pandas, in a column of Python objects
            where = columns_of_text(arrays[0])
            fix = "Pass missing=0.0, or another number that a missing value is to count as, or fill it."
            raise InvalidValueError(f"Input X contains missing values{where}.", fix) from None
        if isinstance(error, RelgaussError):
            raise
        raise in_our_words(error, columns_of_text(arrays[0])) from None
