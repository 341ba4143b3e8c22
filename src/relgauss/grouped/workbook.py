"""A released table as an Excel workbook: a sheet of numbers and one with the privacy statement."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

_MOST_TEXT = 32_767  # characters that a cell can hold
DIGITS = 6
"""Of a number that is published in a file for people."""


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
            cell = WriteOnlyCell(sheet, rounded(value))
            cell.number_format = _number_format(value)
            cells.append(cell)
        else:
            cell = WriteOnlyCell(sheet, _without_controls(str(value))[:_MOST_TEXT])
            cell.data_type = "s"  # a text that begins with = would be a formula
            cells.append(cell)
    sheet.append(cells)


def rounded(value: Any) -> Any:
    """A number to six digits: what is published has noise in the third or fourth."""
    if not isinstance(value, float) or not math.isfinite(value):
        return value
    short = float(f"{value:.{DIGITS}g}")
    return int(short) if abs(short) >= 10**DIGITS else short


def _number_format(value: bool | float | None) -> str:
    """How Excel shows a number: whole from 1,000 on, else with some decimals."""
    if isinstance(value, bool) or value is None:
        return "General"
    if isinstance(value, int) or abs(value) >= 1000:
        return "#,##0"
    return "0.00" if abs(value) >= 1 else "0.0000"


def _without_controls(text: str) -> str:
    """Excel's files cannot hold control characters: they are spelled out."""
    return "".join(each if each >= " " or each in "\t\n" else f"\\x{ord(each):02x}" for each in text)
