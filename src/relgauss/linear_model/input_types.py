"""What a model cannot be given, refused by its type: types are public, and messages may tell of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import numpy as np
from scipy.sparse import issparse

from relgauss.errors import InvalidParameterError, InvalidValueError

SHOWN = 5  # columns in a message
TEXT_FIX = (
    "List its categories, categories={'city': ['Bern', 'Rome']}, leave the column out, or make it numbers."
)
TEXT_OF_ARRAY_FIX = (
    "Make it numbers, leave the column out, or pass a data frame, and the values that the column may have: "
    "categories={'city': ['Bern', 'Rome']}."
)
_DATES_FIX = "Make them numbers: days since a public day."
_TIMES_FIX = "Make them numbers: hours, or days."


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
        if not schema:
            raise InvalidValueError("The table has no columns.", "Pass at least one feature.")
        for name in left_out:
            if name not in schema:
                shown = ", ".join(map(repr, list(schema)[:SHOWN])) + (", ..." if len(schema) > SHOWN else "")
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
    first = data[0] if isinstance(data, list) and data else data
    if isinstance(first, Mapping) and not issparse(data):  # a sparse matrix of keys is one, too
        raise InvalidValueError("Records are given as mappings.", "Pass a data frame: pd.DataFrame(records).")
    if isinstance(data, Iterator):
        raise InvalidValueError("Records are given one after the other.", "Pass all of them: list(records).")
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
    found = (text, "text", TEXT_FIX), (dates, "dates", _DATES_FIX), (times, "spans of time", _TIMES_FIX)
    for names, kind, fix in found:
        if names:
            where = f": in {', '.join(map(repr, names[:SHOWN]))}" if any(names) else ""
            if kind == "text" and not where:
                fix = TEXT_OF_ARRAY_FIX
            if what == "The label" and kind == "text":
                fix = "Make it numbers, or fit a PrivateLogisticRegression to classes."
            raise InvalidValueError(f"{what} holds {kind} where numbers are needed{where}.", fix)
