"""Types that hold no numbers, refused by name before anything is spent: types are public."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from relgauss.errors import InvalidParameterError, InvalidValueError

_SHOWN = 5  # columns in a message
TEXT_FIX = (
    "List its categories, categories={'city': ['Bern', 'Rome']}, leave the column out, or make it numbers."
)
_DATES_FIX = "Make them numbers: days since a public day."


def is_frame(data: object) -> bool:
    """Whether this is a data frame of any kind."""
    import narwhals as nw

    try:
        return isinstance(nw.from_native(data, pass_through=True), nw.DataFrame | nw.LazyFrame)
    except nw.exceptions.DuplicateError:
        raise InvalidValueError("Two columns of the data frame have the same name.", "Rename one.") from None


def refuse_features(
    data: object, left_out: Collection[str] = (), columns: Collection[str] | None = None
) -> None:
    """Refuse dates, and text that is not ``left_out``, in features: of a frame in some ``columns``."""
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
        dates = [name for name, kind in counting.items() if kind.is_temporal()]
        text = [name for name, kind in counting.items() if kind == nw.String and name not in left_out]
        _refuse("The table", text, dates)
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
        _refuse("The label", [""] * (series.dtype == nw.String), [""] * series.dtype.is_temporal())
    elif isinstance(labels, np.ndarray):
        _refuse_array("The label", labels)


def _refuse_array(what: str, values: np.ndarray) -> None:
    kind = values.dtype.kind
    is_text = kind in "US" or (kind == "O" and any(isinstance(each, str) for each in values.flat))
    _refuse(what, [""] * is_text, [""] * (kind in "mM"))


def _refuse(what: str, text: list[str], dates: list[str]) -> None:
    """Name the columns; an array has none."""
    for names, kind, fix in ((text, "text", TEXT_FIX), (dates, "dates", _DATES_FIX)):
        if names:
            where = f": in {', '.join(map(repr, names[:_SHOWN]))}" if any(names) else ""
            if what == "The label" and kind == "text":
                fix = "Make it numbers, or fit a PrivateLogisticRegression to classes."
            raise InvalidValueError(f"{what} holds {kind} where numbers are needed{where}.", fix)
