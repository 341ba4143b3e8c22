"""A released table as an Excel workbook: numbers, what a reader should know, and the privacy statement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

_MOST_TEXT = 32_767  # characters that a cell can hold


def write_workbook(
    columns: Mapping[str, Sequence[Any]],
    statement: str,
    file: Path,
    *,
    about: Sequence[str] = (),
    keys: int = 1,
    has_total: bool = False,
) -> None:
    """Write the columns, the ``keys`` first, a totals row last; notes and statement have their own sheets.

    No text is ever a formula. Cells hold numbers with all their digits; Excel shows fewer, but of keys: 2014
    is not 2,014.
    """
    import openpyxl

    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("table")
    sheet.freeze_panes = "A2"
    _append(sheet, columns)
    rows = list(zip(*columns.values(), strict=True))
    if has_total:
        rows[-1] = ("Total", *rows[-1][1:])
    for row in rows:
        _append(sheet, row, keys)
    for title, lines in (("notes", about), ("privacy", statement.splitlines())):
        written = book.create_sheet(title)
        for line in lines:
            _append(written, [line])
    book.save(file)


def _append(sheet: Any, row: Iterable[object], keys: int = 0) -> None:
    """A row of cells; what is neither number nor truth is text, and stays as it is."""
    from openpyxl.cell import WriteOnlyCell

    cells = []
    for place, value in enumerate(row):
        if value is None or isinstance(value, bool | int | float):
            cell = WriteOnlyCell(sheet, value)
            cell.number_format = "General" if place < keys else _number_format(value)
            cells.append(cell)
        else:
            cell = WriteOnlyCell(sheet, _without_controls(str(value))[:_MOST_TEXT])
            cell.data_type = "s"  # a text that begins with = would be a formula
            cells.append(cell)
    sheet.append(cells)


def _number_format(value: bool | float | None) -> str:
    """How Excel shows a number: whole from 1,000 on, else with some decimals."""
    if isinstance(value, bool) or value is None:
        return "General"
    if isinstance(value, int) or abs(value) >= 1000:
        return "#,##0"
    if value == 0 or abs(value) >= 0.01:
        return "0.00" if abs(value) >= 1 else "0.0000"
    return "General"


def _without_controls(text: str) -> str:
    """Excel's files cannot hold control characters: they are spelled out."""
    return "".join(each if each >= " " or each in "\t\n" else f"\\x{ord(each):02x}" for each in text)
