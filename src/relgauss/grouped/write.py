"""The released table as a file: CSV, Parquet or JSON, never without its privacy statement."""

from __future__ import annotations

import csv
import json
import os
import re
from pathlib import Path

from relgauss.errors import InvalidParameterError, MissingExtraError, RelgaussError
from relgauss.grouped.result import GroupedRelease

_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
FORMATS = (".csv", ".parquet", ".json")


def check_output_file(file: Path) -> None:
    """Refuse, before any budget is spent, a file that the table could not be written to."""
    if file.suffix.lower() not in FORMATS:
        raise InvalidParameterError(
            "output", str(file), f"a {', '.join(FORMATS[:-1])} or {FORMATS[-1]} file", "Change its ending."
        )
    folder = file.parent
    if file.is_dir() or not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise RelgaussError(f"{file} cannot be written.", "Choose a file in a folder you can write to.")


def write_release(release: GroupedRelease, file: Path) -> list[Path]:
    """Write the table in the format that the file's ending names; return the files written.

    Parquet holds the statement in its metadata, JSON beside the groups; beside a CSV file it is a file of its
    own, named after it.
    """
    check_output_file(file)
    try:
        match file.suffix.lower():
            case ".csv":
                return _write_csv(release, file)
            case ".parquet":
                return _write_parquet(release, file)
            case _:
                file.write_text(json.dumps(release.to_dict(), indent=2, allow_nan=False) + "\n")
                return [file]
    except OSError as error:
        raise RelgaussError(
            f"{file} cannot be written: {error.strerror}.", "Choose a file in a folder you can write to."
        ) from None


def _write_csv(release: GroupedRelease, file: Path) -> list[Path]:
    columns = release.columns()
    columns["group"] = [in_spreadsheet(group) for group in release.groups]
    with file.open("w", newline="", encoding="utf-8") as opened:
        writer = csv.writer(opened)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    statement = file.with_name(file.name + ".privacy.json")
    statement.write_text(release.privacy.to_json() + "\n", encoding="utf-8")
    return [file, statement]


def in_spreadsheet(group: object) -> object:
    """A group as a spreadsheet shows it and never runs it, if it is opened as a CSV file.

    A text that starts with = + - @, a tab or a line break, perhaps after apostrophes, and is no number, gets
    an apostrophe in front. So whoever takes one off a text that starts with an apostrophe and then one of
    these has the group again.
    """
    if isinstance(group, str) and _FORMULA.match(group) and not _NUMBER.fullmatch(group):
        return f"'{group}"
    return group


def _write_parquet(release: GroupedRelease, file: Path) -> list[Path]:
    try:
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("A Parquet file", "files") from None
    parquet.write_table(release.to_arrow(), file)
    return [file]
