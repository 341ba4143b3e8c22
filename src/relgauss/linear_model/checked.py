"""Arrays and frames, checked before anything is spent, without a word about what a record holds.

Types that hold no numbers are refused by name, since types are public; then scikit-learn checks. Some of its
messages quote the array, and NumPy warns when a number does not fit; an error or a warning of that kind would
tell of a record. What a message may say is listed here; all else is reworded.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from relgauss.arrays import FloatArray
from relgauss.errors import InvalidParameterError, InvalidValueError, RelgaussError

_SHOWN = 5  # columns in a message
_TEXT_FIX = (
    "List its categories, categories={'city': ['Bern', 'Rome']}, leave the column out, or make it numbers."
)
_FILL = "Pass missing=0.0, or another number that a missing value is to count as, or leave the column out."
_FILL_NEW = "Fill it, or fit with missing=0.0 or another number: the model knows of no missing values."
_TEXT_OF_ARRAY_FIX = (
    "Make it numbers, leave the column out, or pass a data frame, and the values that the column may have: "
    "categories={'city': ['Bern', 'Rome']}."
)
_DATES_FIX = "Make them numbers: days since a public day."
_TIMES_FIX = "Make them numbers: hours, or days."
_SPARSE_FIX = "Make them dense: frame.sparse.to_dense() in pandas, matrix.toarray() in SciPy."

# Messages of scikit-learn that name shapes, types, names of columns, or that a value is not finite.
_PUBLIC = (
    "Feature names are only supported",
    "Found array with ",
    "Found input variables with inconsistent numbers of samples",
    "Input X contains ",
    "Input y contains ",
    "The feature names should match",
    "This ",
    "X has ",
    "float() argument must be",
    "y should be a 1d array",
)


def checked_data(
    model: BaseEstimator, X: ArrayLike, y: ArrayLike | None, missing: float | None = None, *, y_numeric: bool
) -> tuple[FloatArray, NDArray[Any]]:
    """Features and labels to fit to; numbers must be finite as doubles, NaN is ``missing`` if that is one."""
    with _without_quotes(X, y):
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
        X = _without_others(model, X)
        refuse_features(X)
        features: FloatArray = validate_data(model, X, dtype=np.float64, reset=False, ensure_all_finite=False)
    return _finite(model, features, missing, _FILL_NEW)


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
    if np.isfinite(features).all():
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


def refuse_file(data: object, of: str) -> None:
    """Refuse the name of a file, which ``read_records`` reads; ``of`` is its target, as one would pass it."""
    if isinstance(data, str | Path):
        reader = f"read_records({str(data)!r}, target={of})"
        fix = f"Read it first: from relgauss.records import read_records; {reader}."
        raise InvalidValueError("The records are given as the name of a file.", fix)


def is_frame(data: object) -> bool:
    """Whether this is a data frame of any kind."""
    import narwhals as nw

    try:
        return isinstance(nw.from_native(data, pass_through=True), nw.DataFrame | nw.LazyFrame)
    except nw.exceptions.DuplicateError:
        raise InvalidValueError("Two columns of the data frame have the same name.", "Rename one.") from None


def refuse_features(
    data: object,
    left_out: Collection[str] = (),
    columns: Collection[str] | None = None,
    *,
    is_known: bool = False,
) -> None:
    """Refuse dates, and text that is not ``left_out``, in features: of a frame in some ``columns``.

    Of a frame for which ``is_known`` what its columns hold, text is left to those who read it.
    """
    import narwhals as nw

    if is_frame(data):
        schema = nw.from_native(data, pass_through=True).collect_schema()  # type: ignore[attr-defined]
        for name in left_out:
            if name not in schema:
                shown = ", ".join(map(repr, list(schema)[:_SHOWN])) + (
                    ", ..." if len(schema) > _SHOWN else ""
                )
                raise InvalidParameterError("categories", name, "a feature", f"The features are {shown}.")
        counting = {name: kind for name, kind in schema.items() if columns is None or name in columns}
        times = [name for name, kind in counting.items() if kind == nw.Duration]
        dates = [name for name, kind in counting.items() if kind.is_temporal() and name not in times]
        text = [name for name, kind in counting.items() if kind == nw.String and name not in left_out]
        _refuse("The table", [] if is_known else text, dates, times)
        return
    if isinstance(nw.from_native(data, series_only=True, pass_through=True), nw.Series):
        raise InvalidValueError(
            "One row, or one column, of a data frame is no table.",
            "Pass a frame with a row for each record: X.iloc[[0]].",
        )
    if isinstance(data, list) and data and isinstance(data[0], Mapping):
        raise InvalidValueError("Records are given as mappings.", "Pass a data frame: pd.DataFrame(records).")
    if isinstance(data, np.ndarray):
        _refuse_array("The table", data)


def refuse_labels(labels: object) -> None:
    """Refuse dates and text as labels that are to be numbers."""
    import narwhals as nw

    series = nw.from_native(labels, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        is_time = series.dtype == nw.Duration
        is_date = series.dtype.is_temporal() and not is_time
        _refuse("The label", [""] * (series.dtype == nw.String), [""] * is_date, [""] * is_time)
    elif isinstance(labels, np.ndarray | list | tuple):
        _refuse_array("The label", np.asarray(labels, dtype=getattr(labels, "dtype", object)))


def refuse_masked(array: object) -> None:
    """Refuse a masked array by its type, whatever is masked: scikit-learn would read what lies under it."""
    if isinstance(array, np.ma.MaskedArray):
        raise InvalidValueError(
            "A masked array holds values under its mask.", "Fill them by a public rule: array.filled(0)."
        )


def _refuse_array(what: str, values: np.ndarray) -> None:
    kind = values.dtype.kind
    is_text = kind in "US" or (kind == "O" and any(isinstance(each, str) for each in values.flat))
    _refuse(what, [""] * is_text, [""] * (kind == "M"), [""] * (kind == "m"))


def _refuse(what: str, text: list[str], dates: list[str], times: list[str]) -> None:
    """Name the columns; an array has none."""
    found = (text, "text", _TEXT_FIX), (dates, "dates", _DATES_FIX), (times, "spans of time", _TIMES_FIX)
    for names, kind, fix in found:
        if names:
            where = f": in {', '.join(map(repr, names[:_SHOWN]))}" if any(names) else ""
            if kind == "text" and not where:
                fix = _TEXT_OF_ARRAY_FIX
            if what == "The label" and kind == "text":
                fix = "Make it numbers, or fit a PrivateLogisticRegression to classes."
            raise InvalidValueError(f"{what} holds {kind} where numbers are needed{where}.", fix)


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
    except (TypeError, ValueError, OverflowError) as error:
        if "NAType" in str(error):  # of pandas, in a column of Python objects
            where = _columns_of_text(arrays[0])
            fix = "Pass missing=0.0, or another number that a missing value is to count as, or fill it."
            raise InvalidValueError(f"Input X contains missing values{where}.", fix) from None
        if isinstance(error, RelgaussError) or str(error).startswith(_PUBLIC):
            raise
        raise _reworded(str(error), _columns_of_text(arrays[0])) from None


def _reworded(message: str, columns: str) -> InvalidValueError:
    if message.startswith(("Sparse data was passed", "fill value must be 0")):
        return InvalidValueError("The table is sparse.", _SPARSE_FIX)
    if message.startswith("Complex data"):
        return InvalidValueError("Complex data not supported.", "Pass real numbers.")
    if message.startswith("Expected 2D array"):
        return InvalidValueError(
            f"{message.partition(':')[0]}.",
            "Reshape your data: a row for each record.",
        )
    if message.startswith(("could not convert", "Cannot cast", "float() argument")) or columns:
        return InvalidValueError(
            f"The table holds text where numbers are needed{columns}.",
            _TEXT_FIX if columns else _TEXT_OF_ARRAY_FIX,
        )
    return InvalidValueError("The records are no arrays of numbers.", "Pass a matrix and a vector of floats.")


def _columns_of_text(table: object) -> str:
    """Which columns of a frame are of a type that holds no numbers; types are public."""
    import narwhals as nw

    frame = nw.from_native(table, pass_through=True, eager_only=True)
    if not isinstance(frame, nw.DataFrame):
        return ""
    names = [name for name, kind in frame.schema.items() if not (kind.is_numeric() or kind == nw.Boolean)]
    return f": in {', '.join(map(repr, names[:_SHOWN]))}" if names else ""
