"""Data frames as Arrow, of any kind that narwhals knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from relgauss.errors import InvalidParameterError, TableError

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow


def as_arrow(data: object) -> pyarrow.Table:
    """The frame as Arrow; a column that mixes kinds of values is text there, as in a file."""
    import narwhals as nw

    try:
        frame = nw.from_native(data)  # type: ignore[call-overload]
    except TypeError:
        raise InvalidParameterError(
            "data",
            type(data).__name__,
            "a path or a data frame",
            "Pass a file, or a pandas, polars or Arrow table.",
        ) from None
    except nw.exceptions.DuplicateError:
        raise TableError("Two columns of the data frame have the same name.", "Rename one.") from None
    return _converted(frame.collect() if isinstance(frame, nw.LazyFrame) else frame)


def _converted(frame: nw.DataFrame[Any]) -> pyarrow.Table:
    import narwhals as nw
    import pyarrow

    # ValueError is a text that is no Unicode, TypeError a type that Arrow does not have.
    no_one_type = pyarrow.ArrowException, OverflowError, ValueError, TypeError
    try:
        return frame.to_arrow().select(frame.columns)  # without an index, which is no column
    except no_one_type:
        pass
    columns = {}
    for name in frame.columns:
        try:
            columns[name] = frame[name].to_arrow()
        except no_one_type:
            try:
                columns[name] = frame[name].cast(nw.String).to_arrow()
            except no_one_type:
                raise TableError(
                    f"The column {name!r} cannot be read.", "Make it one of numbers or of Unicode text."
                ) from None
    return pyarrow.table(columns)
