"""Quotation marks of CSV files that close a field before its text ends: "6" pipe",5 or "co\\"ok",5.

Readers differ in what they make of them, and DuckDB leaves signs out without a word. So a file with one is
refused; the line is named by its number, never by what it holds.
"""

from __future__ import annotations

import csv
import mmap
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from relgauss.errors import TableError

if TYPE_CHECKING:
    import duckdb

_FIX = 'Write a mark within a text twice, "6"" pipe", and no backslash before it; CSV libraries do.'


def holds_quotes(files: Sequence[Path]) -> bool:
    """Whether a file may hold a quotation mark; what is packed may."""
    return any(file.suffix.lower() == ".gz" or _has_mark(file) for file in files)


def _has_mark(file: Path) -> bool:
    with file.open("rb") as opened:
        try:
            with mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as held:
                return held.find(b'"') >= 0
        except (OSError, ValueError):  # it is empty, or on a file system that maps none
            return True


def reads_strictly(connection: duckdb.DuckDBPyConnection, reader: str) -> bool:
    """Whether DuckDB's strict reader takes all lines; of others it may refuse some that are in order."""
    import duckdb

    try:
        # Fetched, since an answer that nobody took keeps DuckDB 2.0 from the next question.
        connection.execute(f"SELECT count(*) FROM {reader}").fetchall()
    except duckdb.Error:  # its text quotes a line
        return False
    return True


def check_closing_marks(file: Path, lines: Iterable[str], delimiter: str) -> None:
    """Refuse a file in which other than blanks and the delimiter follows the mark that closes a field."""
    blanks = re.compile(rf'"[ \t]+(?=[\r\n{re.escape(delimiter)}]|$)')  # these may follow
    trimmed = (blanks.sub('"', line) for line in lines)
    reader = csv.reader(trimmed, delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        for _ in reader:
            pass
    except csv.Error as error:
        if "expected after" in str(error):
            raise TableError(
                f"Line {reader.line_num:,} of {file} has text behind a closing quotation mark.", _FIX
            ) from None
