"""A released table as an Excel workbook: a sheet of numbers and one with the privacy statement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

_MOST_TEXT = 32_767  # characters that a cell can hold


def write_workbook(
    columns: Mapping[str, Sequence[Any]], statement: str, file: Path, *, has_total: bool = False
) -> None:
    """Write the columns, keys first; a totals row is the last one. No text is ever a formula."""
    import openpyxl

    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("table")
    sheet.freeze_panes = "A2"
    _append(sheet, columns)
    rows = list(zip(*columns.values(), strict=True))
    if has_total:
        rows[-1] = ("Total", *rows[-1][1:])
    for row in rows:
        _append(sheet, row)
    about = book.create_sheet("privacy")
    for line in statement.splitlines():
        _append(about, [line])
    book.save(file)


def _append(sheet: Any, row: Iterable[object]) -> None:
    """A row of cells; what is neither number nor truth is text, and stays as it is."""
    from openpyxl.cell import WriteOnlyCell

    cells = []
    for value in row:
        if value is None or isinstance(value, bool | int | float):
            cells.append(WriteOnlyCell(sheet, value))
        else:
            cell = WriteOnlyCell(sheet, _without_controls(str(value))[:_MOST_TEXT])
            cell.data_type = "s"  # a text that begins with = would be a formula
            cells.append(cell)
    sheet.append(cells)


def _without_controls(text: str) -> str:
    """Excel's files cannot hold control characters: they are spelled out."""
    return "".join(each if each >= " " or each in "\t\n" else f"\\x{ord(each):02x}" for each in text)
