"""Data frames as Arrow, of any kind that narwhals knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from relgauss.errors import InvalidParameterError, TableError
from relgauss.records.cells_as_text import Columns, as_text, no_column, valid_text
from relgauss.records.moments import in_microseconds, is_of_moments

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow


def as_arrow(data: object, in_percent: Columns = no_column) -> pyarrow.Table:
    """The frame as Arrow; a column that may mix kinds of values is text there, as in a file, and so
    is one of periods or intervals of pandas, and one of its categories, which are of a kind that they share.

    That is decided by its type: its values would let one record decide how all others are read. Columns that
    are written ``in_percent`` are those in which digits alone are no number.
    """
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
    check_names(data)
    if not frame.collect_schema().names():
        raise TableError("The data frame has no columns.", "Pass one that has some.")
    return _converted(_collected(frame) if isinstance(frame, nw.LazyFrame) else frame, in_percent)


def _collected(frame: nw.LazyFrame[Any]) -> nw.DataFrame[Any]:
    try:
        return frame.collect()
    except Exception as error:  # noqa: BLE001 - its text may quote a record
        raise TableError(
            f"The lazy frame cannot be computed ({type(error).__name__}).",
            "Check that frame.collect() works.",
        ) from None


def check_names(data: object) -> None:
    """Refuse a frame whose columns are called by numbers, or by tuples as in a pandas MultiIndex."""
    import narwhals as nw

    frame = nw.from_native(data, pass_through=True)
    if not isinstance(frame, nw.DataFrame | nw.LazyFrame):
        return
    other = next((name for name in frame.collect_schema().names() if not isinstance(name, str)), None)
    if other is not None:
        shown = tuple(map(str, other)) if isinstance(other, tuple) else str(other)
        raise TableError(
            f"A column of the data frame is called {shown}, which is no text.",
            "Name all columns by text: frame.columns = ['a', 'b'], or of a MultiIndex "
            "frame.columns = ['_'.join(map(str, each)) for each in frame.columns].",
        )


def _converted(frame: nw.DataFrame[Any], in_percent: Columns) -> pyarrow.Table:
    import pyarrow

    # ValueError is a text that is no Unicode, TypeError a type that Arrow does not have.
    no_one_type = pyarrow.ArrowException, OverflowError, ValueError, TypeError
    untyped = [name for name in frame.columns if _is_untyped(frame[name])]
    coded = [name for name in frame.columns if _has_categories_of_pandas(frame[name])]
    if not untyped and not coded:
        try:
            table = frame.to_arrow().select(frame.columns)  # without an index, which is no column
            return _readable(frame, table, in_percent)
        except no_one_type:
            pass
    columns = {}
    for name in frame.columns:
        if name in coded:
            columns[name] = _texts_of_categories(frame[name], in_percent(name))
            continue
        try:
            columns[name] = (
                _cells(frame[name], in_percent(name)) if name in untyped else frame[name].to_arrow()
            )
        except no_one_type:
            columns[name] = _cells(frame[name], in_percent(name))
    return _readable(frame, pyarrow.table(columns), in_percent)


def _readable(frame: nw.DataFrame[Any], table: pyarrow.Table, in_percent: Columns) -> pyarrow.Table:
    """The table, of which columns of types that DuckDB fails on are of others; that is decided by types."""
    import pyarrow

    for place, field in enumerate(table.schema):
        if pyarrow.types.is_float16(field.type):
            table = table.set_column(place, field.name, table[place].cast(pyarrow.float32()))
        elif pyarrow.types.is_decimal256(field.type) or _is_of_pandas(field.type):
            cells = _cells(frame[field.name], in_percent(field.name))
            table = table.set_column(place, field.name, cells)
        elif is_of_moments(field.type):
            table = table.set_column(place, field.name, in_microseconds(table[place]))
    return table


def _is_of_pandas(kind: pyarrow.DataType) -> bool:
    """Whether Arrow does not have this type, and stores something else: for periods their numbers."""
    return str(getattr(kind, "extension_name", "")).startswith("pandas.")


def _has_categories_of_pandas(column: nw.Series[Any]) -> bool:
    """Whether each cell is one of a list, whose kind pandas infers: a single other one may change it."""
    return column.implementation.is_pandas_like() and str(column.to_native().dtype) == "category"


def _texts_of_categories(column: nw.Series[Any], in_percent: bool) -> pyarrow.Array:
    """By the categories: pandas shows all intervals otherwise, (0.0, 30.0], if a single one is missing."""
    import pyarrow

    coded = column.to_native().cat
    listed = [valid_text(text_of(each, in_percent=in_percent)) for each in coded.categories.astype(object)]
    places = coded.codes.to_numpy()
    return pyarrow.array(listed, pyarrow.large_string()).take(pyarrow.array(places, mask=places < 0))


def _is_untyped(column: nw.Series[Any]) -> bool:
    """Whether each cell has a type of its own; narwhals calls such a column text if its first cells are."""
    import narwhals as nw

    return column.dtype == nw.Object or str(getattr(column.to_native(), "dtype", "")) == "object"


def _cells(column: nw.Series[Any], in_percent: bool) -> pyarrow.Array:
    """A column as text, cell by cell."""
    import pyarrow

    texts = [valid_text(text_of(cell, in_percent=in_percent)) for cell in column.to_list()]
    return pyarrow.array(texts, pyarrow.large_string())


def text_of(cell: object, *, in_percent: bool = False) -> str | None:
    """A cell as text; an empty one stays."""
    return cell if isinstance(cell, str) else as_text(cell, in_percent=in_percent)
