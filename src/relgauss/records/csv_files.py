"""CSV files as SQL, read so that nothing depends on a record.

Delimiter and columns are read off the header, and all columns are text: a value that is no number, or a line
with too few or too many fields, still counts as one row. A blank line is none. What must be in order is the
file itself: UTF-8, its quotes closed, no line above 2 MB.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from relgauss.errors import TableError
from relgauss.records.duckdb_connection import literal, quoted
from relgauss.records.folders import check_alike

_DELIMITERS = ",;\t|"
_NO_TEXT = "\x01"  # DuckDB wants a text that stands for NULL, and this one says nothing
# Only the sequential reader takes short lines and line breaks inside of quotes in one file. An empty field is
# read as an empty text, so that NULL is one that a short line lacks, and a blank line can be told apart.
_DIALECT = (
    "header=true, quote='\"', escape='\"', null_padding=true, strict_mode=false, parallel=false, "
    "auto_detect=false, hive_partitioning=false"
)


class Header(NamedTuple):
    """The first line of a file."""

    delimiter: str
    names: list[str]


def shared_header(files: Sequence[Path]) -> Header:
    """The header of all files; refuse one that differs, for columns are read by their places."""
    headers = {file: read_header(file) for file in files}
    first = headers[files[0]]
    if not any(may_be_record(header.names) for header in headers.values()):
        check_alike([(file, dict.fromkeys(header.names, "text")) for file, header in headers.items()])
    for file, header in headers.items():
        if header != first:
            raise TableError(
                f"The first line of {file} differs from that of {files[0]}.",
                "Give all files the same columns in the same order, and the same sign between them.",
            )
    return first


def read_header(file: Path) -> Header:
    """The delimiter that the first line holds most of, and the names that it separates."""
    opened = gzip.open if file.suffix.lower() == ".gz" else open
    try:
        with opened(file, "rt", encoding="utf-8-sig", newline="") as lines:
            line = lines.readline()
        delimiter = max(_DELIMITERS, key=line.count)
        names = next(csv.reader([line], delimiter=delimiter), [])
    except UnicodeDecodeError:  # of some lines, as they are read together
        raise TableError(f"{file} is no text in UTF-8.", "Save it anew as UTF-8.") from None
    except (OSError, EOFError, csv.Error):
        raise TableError(f"The first line of {file} cannot be read.", "Save it as UTF-8 text.") from None
    goes_on = line.count('"') % 2 == 1  # in the next line, as part of a name
    if goes_on or not all(names) or not names or len(set(names)) < len(names):
        raise TableError(
            f"The first line of {file} does not name its columns.",
            "Start the file with one name for each column, all different.",
        )
    if len({name.lower() for name in names}) < len(names):
        raise TableError(
            f"Two columns of {file} have names that differ in case only.",
            "Rename one: SQL sees no difference.",
        )
    return Header(delimiter, names)


def may_be_record(names: Iterable[str]) -> bool:
    """Whether one of the names is a number, as in a file without a header: no message then shows them."""
    for name in names:
        try:
            float(name)
        except ValueError:
            continue
        return True
    return False


def read_csv_sql(files: str, header: Header, file_column: str | None) -> str:
    """What follows FROM, for a list of files in SQL; ``file_column`` tells which of them a row is from."""
    columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in header.names)
    options = f"{_DIALECT}, nullstr={literal(_NO_TEXT)}, delim={literal(header.delimiter)}"
    named = "" if file_column is None else f", filename={literal(file_column)}"
    shown = [f"nullif({quoted(name)}, '') AS {quoted(name)}" for name in header.names]
    shown += [] if file_column is None else [quoted(file_column)]
    return (
        f"(SELECT {', '.join(shown)} FROM read_csv({files}, {options}, columns={{{columns}}}{named}) "
        f"WHERE NOT coalesce({_blank(header.names)}, false))"
    )


def _blank(names: Sequence[str]) -> str:
    """A line of spaces only; DuckDB itself leaves out an empty one."""
    first = quoted(names[0])
    spaces = f"({first} <> '' AND trim({first}, ' \t') = '')"
    return spaces if len(names) == 1 else f"({spaces} AND {quoted(names[1])} IS NULL)"
