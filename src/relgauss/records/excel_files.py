"""Sheets of Excel workbooks (.xlsx), read by openpyxl row by row; nothing is downloaded or calculated."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Iterator
from datetime import datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relgauss.errors import MissingExtraError, TableError
from relgauss.records.cells_as_text import check_names, text_table

if TYPE_CHECKING:
    import pyarrow


def read_sheet(file: Path, sheet: str | None) -> pyarrow.Table:
    """The sheet of this name, or the only one: its first row names the columns, all cells become text.

    A formula is what Excel last calculated. A row without any cell is none, like a blank line.
    """
    try:
        import openpyxl
    except ImportError:
        raise MissingExtraError("An Excel file", "excel") from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # openpyxl's warnings quote cells
        try:
            book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        except (OSError, KeyError, ValueError, zipfile.BadZipFile, SyntaxError):  # of its XML
            raise _unreadable(file) from None
        try:
            return _read(book, file, sheet)
        finally:
            book.close()


def _read(book: Any, file: Path, sheet: str | None) -> pyarrow.Table:
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
    return text_table(check_names(header, f"the sheet {name!r} of {file}"), rows)


def _rows(sheet: Any, file: Path) -> Iterator[tuple[object, ...]]:
    try:
        for row in sheet.iter_rows(values_only=True):
            if any(cell is not None for cell in row):
                yield tuple(_day(cell) for cell in row)
    except (OSError, KeyError, ValueError, TypeError, zipfile.BadZipFile, SyntaxError):
        raise _unreadable(file) from None  # its own error may quote a cell


def _day(cell: object) -> object:
    """A day without a time of day, which openpyxl hands over as midnight, as the day it is shown as."""
    if isinstance(cell, datetime) and cell.time() == time():
        return cell.date()
    return cell


def _unreadable(file: Path) -> TableError:
    return TableError(f"{file} cannot be read as an Excel workbook.", "Save it anew as .xlsx, or as CSV.")
