"""Sheets of Excel workbooks (.xlsx), read by openpyxl row by row; nothing is downloaded or calculated."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from datetime import datetime, time
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relgauss.errors import MissingExtraError, TableError
from relgauss.records.cells_as_text import Columns, check_names, no_column, text_table

if TYPE_CHECKING:
    import pyarrow


# What Excel shows where a formula has no value.
_ERRORS = re.compile(
    "#(N/A|DIV/0!|NAME[?]|GETTING_DATA|(BLOCKED|BUSY|CALC|CONNECT|FIELD|NULL|NUM|PYTHON|REF|SPILL|UNKNOWN|VALUE)!)"
)
_QUOTED = re.compile(r'"[^"]*"|\\.')  # within the format of a number: shown as it is


def read_sheet(file: Path, sheet: str | None, in_percent: Columns = no_column) -> pyarrow.Table:
    """The sheet of this name, or the only one: its first row names the columns, all cells become text.

    A formula is what Excel last calculated; an error is missing. A row without any cell is none, like a blank
    line. In columns that are written ``in_percent`` a whole number that is shown with % is the float it is.
    """
    try:
        import openpyxl
    except ImportError:
        raise MissingExtraError("An Excel file", "excel") from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # openpyxl's warnings quote cells
        try:
            book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        except Exception:  # noqa: BLE001 - of many kinds, as its XML may be wrong in any way
            raise _unreadable(file) from None
        try:
            return _read(book, file, sheet, in_percent)
        finally:
            book.close()


def _read(book: Any, file: Path, sheet: str | None, in_percent: Columns) -> pyarrow.Table:
    names = [each.title for each in book.worksheets]
    name = names[0] if sheet is None and len(names) == 1 else sheet
    if name not in names:
        wanted = "No sheet is named" if name is None else f"There is no sheet {name!r}"
        raise TableError(
            f"{wanted} in {file}.",
            f"Its sheets are {', '.join(map(repr, names)) or 'none'}: name one (table=).",
        )
    rows = _rows(book[name], file)
    header = list(next(rows, ()))
    while header and header[-1] is None:  # a sheet is as wide as its widest row
        header.pop()
    columns = check_names(header, f"the sheet {name!r} of {file}")
    if any(map(in_percent, columns)):
        rows = islice(_rows(book[name], file, _shown), 1, None)
    return text_table(columns, rows, in_percent)


def _rows(
    sheet: Any, file: Path, value_of: Callable[[Any], object] | None = None
) -> Iterator[tuple[object, ...]]:
    """All rows with a cell; ``value_of`` a cell is asked where its value does not say it all."""
    cells = sheet.iter_rows(values_only=value_of is None)
    try:
        for row in cells:
            values = row if value_of is None else [value_of(cell) for cell in row]
            if any(value is not None for value in values):
                yield tuple(map(_meant, values))
    except Exception:  # noqa: BLE001 - its text may quote a cell
        raise _unreadable(file) from None


def _meant(value: object) -> object:
    """A day without a time of day, which openpyxl hands over as midnight, as a day; an error as nothing."""
    if isinstance(value, datetime) and value.time() == time():
        return value.date()
    return None if isinstance(value, str) and _ERRORS.fullmatch(value) else value


def _shown(cell: Any) -> object:
    """The value of a cell; a whole number is a float if it is shown in percent."""
    if type(cell.value) is int and "%" in _QUOTED.sub("", cell.number_format or ""):
        return float(cell.value)
    return cell.value


def _unreadable(file: Path) -> TableError:
    return TableError(f"{file} cannot be read as an Excel workbook.", "Save it anew as .xlsx, or as CSV.")
