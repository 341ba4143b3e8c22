"""Cells of a sheet, of a SQLite table or of an untyped column of a frame as text, as a CSV file holds them.

All of them let every cell have a type of its own. Columns that are all text have one type whatever they
hold, so no record decides how its column is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from relgauss.records.duckdb_connection import literal
from relgauss.records.header_names import check_header

if TYPE_CHECKING:
    import pyarrow

_TOGETHER = 16_384  # rows as Python objects at once
_MISSING = ("NAType", "NaTType")  # of pandas, which need not be there
WHOLE_BELOW = 2**127  # whole numbers below it, which DuckDB can hold, are written by their digits
MARK = "e00"  # behind a number with a point, so that every style reads it; keys are shown without
MARKED = rf"[+-]?[0-9]+\.[0-9]+{MARK}"
"""A number that was a cell of its own type, as text with a mark behind it."""
Columns = Callable[[str], bool]


def no_column(_: str) -> bool:
    """None of them."""
    return False


def as_text(cell: object, *, in_percent: bool = False) -> str | None:
    """A cell as text: whole numbers by their digits, other numbers in a form that every style reads (2.5e00).

    In a column that is written in percent, digits alone are no number, so a float that is whole is 1.0e00.

    An empty cell is missing, as it is in a CSV file, and so is NaN. Bytes are marked as DuckDB does, since
    digits are a number.
    """
    if is_missing(cell) or (isinstance(cell, str) and not cell):
        return None
    if isinstance(cell, bool | np.bool_):
        return "true" if cell else "false"
    if isinstance(cell, float | np.floating):
        return _number_as_text(float(cell), in_percent)
    if isinstance(cell, Decimal):
        return _number_as_text(cell, in_percent)
    if isinstance(cell, datetime | date | time):
        return cell.isoformat()
    if isinstance(cell, bytes):
        return f"\\x{cell.hex()}"
    try:
        return str(cell)
    except ValueError:  # Python writes no whole number of more than some thousand digits
        return None


def _number_as_text(number: float | Decimal, in_percent: bool) -> str:
    # Exactly: a cell of its own type may have more digits than a double, and say whose row it is.
    # Decimals are compared with whole numbers, as a process may let them fail where they meet floats.
    if -WHOLE_BELOW < number < WHOLE_BELOW and number == int(number):
        return f"{int(number)}.0{MARK}" if in_percent else str(int(number))
    text = str(number)
    return text if "e" in text.lower() or "n" in text else f"{text}{MARK}"  # n as in inf


def without_mark(text: str) -> str:
    """SQL for a text without the mark of a number that was a cell of its own type: 1.5 for 1.5e00."""
    is_marked = f"ends_with({text}, {literal(MARK)}) AND regexp_full_match({text}, {literal(MARKED)})"
    return f"CASE WHEN {is_marked} THEN regexp_replace({text}, '([.]0)?{MARK}$', '') ELSE {text} END"


def is_missing(cell: object) -> bool:
    """Whether there is no value: None, NaN, and what pandas has for them."""
    if isinstance(cell, Decimal):
        return cell.is_nan()
    if isinstance(cell, float | np.floating | np.datetime64 | np.timedelta64):
        return bool(cell != cell)
    return cell is None or type(cell).__name__ in _MISSING


def text_table(
    names: Sequence[str], rows: Iterable[Sequence[object]], in_percent: Columns = no_column
) -> pyarrow.Table:
    """Rows of cells as a table of text; a row that is too short lacks its last cells."""
    import pyarrow

    schema = pyarrow.schema([(name, pyarrow.string()) for name in names])
    batches = [
        pyarrow.record_batch([pyarrow.array(column, pyarrow.string()) for column in columns], schema)
        for columns in _chunks(rows, [in_percent(name) for name in names])
    ]
    return pyarrow.Table.from_batches(batches, schema)


def check_names(names: Sequence[object], where: str) -> list[str]:
    """The names of columns: texts, all different."""
    check_header(names, f"The first row of {where}")
    return [str(name) for name in names]


def valid_text(text: str | None) -> str | None:
    """The text with a ? for each invalid surrogate, which Arrow cannot hold."""
    return None if text is None else text.encode("utf-8", "replace").decode("utf-8")


def _chunks(rows: Iterable[Sequence[object]], in_percent: Sequence[bool]) -> Iterator[list[list[str | None]]]:
    """Columns of text, some rows at a time."""
    remaining = iter(rows)
    while chunk := list(islice(remaining, _TOGETHER)):
        yield [
            [valid_text(as_text(row[place], in_percent=parts)) if place < len(row) else None for row in chunk]
            for place, parts in enumerate(in_percent)
        ]
