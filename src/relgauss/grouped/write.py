"""The released table as a file: CSV, Parquet or JSON, never without its privacy statement."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

from relgauss.errors import InvalidParameterError, MissingExtraError
from relgauss.grouped.result import GroupedRelease
from relgauss.writing import check_place, write_together

_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
FORMATS = (".csv", ".parquet", ".json")


def check_output_file(file: Path) -> None:
    """Refuse, before any budget is spent, a file that the table could not be written to."""
    _check_ending(file)
    for each in files_of(file):
        check_place(each)


def _check_ending(file: Path) -> None:
    if file.suffix.lower() not in FORMATS:
        raise InvalidParameterError(
            "output", str(file), f"a {', '.join(FORMATS[:-1])} or {FORMATS[-1]} file", "Change its ending."
        )
    if file.suffix.lower() == ".parquet":
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            raise MissingExtraError("A Parquet file", "files") from None


def files_of(file: Path) -> list[Path]:
    """The table's file and, beside a CSV file, that of its privacy statement."""
    if file.suffix.lower() != ".csv":
        return [file]
    return [file, file.with_name(file.name + ".privacy.json")]


def write_release(release: GroupedRelease, file: Path, *, replace: bool = True) -> list[Path]:
    """Write the table in the format that the file's ending names; return the files written.

    Parquet holds the statement in its metadata, JSON beside the groups; beside a CSV file it is a file of its
    own, named after it. They appear as a whole: never a table without its statement.
    """
    _check_ending(file)
    files = files_of(file)
    match file.suffix.lower():
        case ".csv":
            statement = release.privacy.to_json() + "\n"
            write_together(
                [
                    (files[1], lambda path: path.write_text(statement, encoding="utf-8")),
                    (file, lambda path: _write_csv(release, path)),
                ],
                replace=replace,
            )
        case ".parquet":
            write_together([(file, lambda path: _write_parquet(release, path))], replace=replace)
        case _:
            text = json.dumps(release.to_dict(), indent=2, allow_nan=False) + "\n"
            write_together([(file, lambda path: path.write_text(text, encoding="utf-8"))], replace=replace)
    return files


def _write_csv(release: GroupedRelease, file: Path) -> None:
    columns = release.columns()
    columns["group"] = [in_spreadsheet(group) for group in release.groups]
    with file.open("w", newline="", encoding="utf-8") as opened:
        writer = csv.writer(opened)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def in_spreadsheet(group: object) -> object:
    """A group as a spreadsheet shows it and never runs it, if it is opened as a CSV file.

    A text that starts with = + - @, a tab or a line break, perhaps after apostrophes, and is no number, gets
    an apostrophe in front. So whoever takes one off a text that starts with an apostrophe and then one of
    these has the group again.
    """
    if isinstance(group, str) and _FORMULA.match(group) and not _NUMBER.fullmatch(group):
        return f"'{group}"
    return group


def _write_parquet(release: GroupedRelease, file: Path) -> None:
    from pyarrow import parquet

    parquet.write_table(release.to_arrow(), file)
