"""The released table as a file: CSV, Excel, HTML, Parquet or JSON, never without its privacy statement."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from relgauss.budget import PrivacyStatement
from relgauss.errors import InvalidParameterError, MissingExtraError
from relgauss.grouped.table_columns import IS_TOTAL
from relgauss.grouped.text import lines_about, statement_with_notes
from relgauss.grouped.workbook import write_workbook
from relgauss.writing import check_place, write_together

if TYPE_CHECKING:
    import pyarrow

_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
FORMATS = (".csv", ".xlsx", ".html", ".parquet", ".json")
_NEEDS = {".parquet": ("A Parquet file", "pyarrow", "files"), ".xlsx": ("An Excel file", "openpyxl", "excel")}


class Publishable(Protocol):
    """What can be written: a table under the user's names, in all forms, and its statement."""

    @property
    def by(self) -> str | tuple[str, ...]:
        """The column, or the columns, of groups."""

    @property
    def privacy(self) -> PrivacyStatement:
        """What the whole table cost."""

    def published(self) -> dict[str, list[Any]]:
        """The columns, keys first, under the user's names; a totals row is the last one."""

    def about(self) -> dict[str, Any]:
        """Confidence, notes and cautions: what a reader of the numbers should know."""

    def total(self) -> dict[str, Any] | None:
        """A row for all groups together, if there is one."""

    def to_arrow(self) -> pyarrow.Table:
        """The table, with the statement in its metadata."""

    def to_dict(self) -> dict[str, Any]:
        """Table and statement as plain values."""

    def to_html(self) -> str:
        """Table and statement as a page."""


def check_output_file(file: Path) -> None:
    """Refuse, before any budget is spent, a file that the table could not be written to."""
    _check_ending(file)
    for each in files_of(file):
        check_place(each)


def _check_ending(file: Path) -> None:
    ending = file.suffix.lower()
    if ending not in FORMATS:
        raise InvalidParameterError(
            "output_file",
            str(file),
            f"a {', '.join(FORMATS[:-1])} or {FORMATS[-1]} file",
            "Change its ending.",
        )
    if ending in _NEEDS:
        what, module, extra = _NEEDS[ending]
        try:
            __import__(module)
        except ImportError:
            raise MissingExtraError(what, extra) from None


def files_of(file: Path) -> list[Path]:
    """The table's file and, beside a CSV file, that of its privacy statement."""
    if file.suffix.lower() != ".csv":
        return [file]
    return [file, file.with_name(file.name + ".privacy.json")]


def write_release(release: Publishable, file: Path, *, replace: bool = True) -> list[Path]:
    """Write the table in the format that the file's ending names; return the files written.

    Parquet holds the statement in its metadata, JSON and HTML beside the groups, Excel on a sheet of its own;
    beside a CSV file it is a file of its own, named after it. Notes and cautions stand beside the statement.
    They appear as a whole: never a table without its statement.
    """
    _check_ending(file)
    files = files_of(file)
    match file.suffix.lower():
        case ".csv":
            statement = statement_with_notes(release) + "\n"
            write_together(
                [
                    (files[1], lambda path: path.write_text(statement, encoding="utf-8")),
                    (file, lambda path: _write_csv(release, path)),
                ],
                replace=replace,
            )
        case ".xlsx":
            columns, statement = release.published(), release.privacy.text()
            about, has_total = lines_about(release), release.total() is not None
            keys = 1 if isinstance(release.by, str) else len(release.by)

            def write(path: Path) -> None:
                write_workbook(columns, statement, path, about=about, keys=keys, has_total=has_total)

            write_together([(file, write)], replace=replace)
        case ".parquet":
            write_together([(file, lambda path: _write_parquet(release, path))], replace=replace)
        case ending:
            text = release.to_html() if ending == ".html" else _json(release)
            write_together([(file, lambda path: path.write_text(text, encoding="utf-8"))], replace=replace)
    return files


def _json(release: Publishable) -> str:
    return json.dumps(release.to_dict(), indent=2, allow_nan=False) + "\n"


def _write_csv(release: Publishable, file: Path) -> None:
    columns = release.published()
    with file.open("w", newline="", encoding="utf-8") as opened:
        writer = csv.writer(opened)
        writer.writerow([in_spreadsheet(name) for name in columns])
        for row in zip(*columns.values(), strict=True):
            writer.writerow([in_spreadsheet(cell) for cell in row])


def in_spreadsheet(group: object) -> object:
    """A text as a spreadsheet shows it and never runs it, if it is opened as a CSV file.

    A text that starts with = + - @, a tab or a line break, perhaps after apostrophes, and is no number, gets
    an apostrophe in front. So whoever takes one off a text that starts with an apostrophe and then one of
    these has the text again.
    """
    if isinstance(group, str) and _FORMULA.match(group) and not _NUMBER.fullmatch(group):
        return f"'{group}"
    return group


def _write_parquet(release: Publishable, file: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    table, total = release.to_arrow(), release.total()
    if total is not None:
        row = pyarrow.Table.from_pylist([total], schema=table.schema)
        marks = pyarrow.array([*([False] * len(table)), True])
        table = pyarrow.concat_tables([table, row]).append_column(IS_TOTAL, marks)
    parquet.write_table(table, file)
