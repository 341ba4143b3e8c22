"""CSV files as SQL, read so that nothing depends on a record.

Delimiter and columns are read off the header, and all columns are text: a value that is no number still
counts as one row. A blank line is none. What must be in order is the file itself: UTF-8, its quotes closed,
as many fields in each line as in the header, no line above 2 MB. That it is so counts as public: a file that
is not is refused when it is opened, as a whole, whatever is asked of it.
"""

from __future__ import annotations

import csv
import gzip
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from relgauss.errors import TableError
from relgauss.records.csv_quotes import check_closing_marks, holds_quotes, reads_strictly
from relgauss.records.duckdb_connection import literal, quoted, refusals
from relgauss.records.folders import check_alike
from relgauss.records.header_names import check_header

if TYPE_CHECKING:
    import duckdb

_DELIMITERS = ",;\t|"
_SIGNS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "the sign |"}
_NO_TEXT = "\x01"  # DuckDB wants a text that stands for NULL, and this one says nothing
_FIX = "Give each line a field for each column, and write fields that hold {} or line breaks within quotes."
# Only the sequential reader takes short lines and line breaks inside of quotes in one file. An empty field is
# read as an empty text, so that NULL is one that a short line lacks, and a blank line can be told apart.
_DIALECT = "header=true, quote='\"', escape='\"', parallel=false, auto_detect=false, hive_partitioning=false"
_LENIENT = "null_padding=true, strict_mode=false"
_STRICT = "null_padding=false, strict_mode=true"  # takes no short lines, and no text behind a closing quote


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
    try:
        with _lines(file) as lines:
            line = next(lines, "")
        delimiter = delimiter_of(line)
        names = next(csv.reader([line], delimiter=delimiter), [])
    except UnicodeDecodeError:  # of some lines, as they are read together
        raise TableError(f"{file} is no text in UTF-8.", "Save it anew as UTF-8.") from None
    except (OSError, EOFError, csv.Error):
        raise TableError(f"The first line of {file} cannot be read.", "Save it as UTF-8 text.") from None
    where = f"The first line of {file}"
    check_header(names, where)
    if line.count('"') % 2 == 1:  # it goes on in the next line, as part of a name
        raise TableError(
            f"{where} does not name its columns: a quotation mark is not closed.", "Close it in that line."
        )
    if len({name.lower() for name in names}) < len(names):
        raise TableError(
            f"Two columns of {file} have names that differ in case only.",
            "Rename one: SQL sees no difference.",
        )
    return Header(delimiter, names)


def delimiter_of(line: str) -> str:
    """The sign between the names of a first line: the one that it holds most of."""
    return max(_DELIMITERS, key=line.count)


@contextmanager
def _lines(file: Path) -> Iterator[Iterator[str]]:
    """The lines of a file, packed or not, with their ends."""
    opened = gzip.open if file.suffix.lower() == ".gz" else open
    with opened(file, "rt", encoding="utf-8-sig", newline="") as lines:
        yield iter(lines)


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
    shown = [f"nullif({quoted(name)}, '') AS {quoted(name)}" for name in header.names]
    shown += [] if file_column is None else [quoted(file_column)]
    reader = _reader(files, header, header.names, file_column)
    return f"(SELECT {', '.join(shown)} FROM {reader} WHERE NOT coalesce({_blank(header.names)}, false))"


def check_fields(
    connection: duckdb.DuckDBPyConnection, files: Sequence[Path], named: str, header: Header
) -> None:
    """Refuse files with a line of more or fewer fields than the header, or with a quote that is not closed or
    stands before text.

    One pass over all lines, since a query may read some of them only: a line such as ``A,2,436`` would be
    read as other values than somebody wrote. ``named`` are the files in SQL.
    """
    more, file = (_unlike(header.names, name) for name in ("relgauss_more", "relgauss_file"))
    every = [*header.names, more]
    last, beyond = quoted(header.names[-1]), quoted(more)
    is_other = f"({beyond} IS NOT NULL OR {last} IS NULL)"
    may_run_on = f"contains({last}, chr(10))"  # as a last field does whose quote is not closed
    wanted = (
        f"SELECT {quoted(file)}, bool_or({is_other}) FROM {_reader(named, header, every, file)} "
        f"WHERE ({is_other} OR {may_run_on}) AND NOT coalesce({_blank(every)}, false) GROUP BY 1"
    )
    with refusals():
        suspects = dict(connection.execute(wanted).fetchall())
    for each in files:
        seen = suspects.get(str(each.absolute()))
        if seen is not None and not _check_lines(each, header) and seen:
            raise TableError(
                f"A line of {each} has more or fewer fields than the header.",
                _FIX.format(_SIGNS[header.delimiter]),
            )
    if holds_quotes(files) and not reads_strictly(
        connection, _reader(named, header, header.names, None, _STRICT)
    ):
        for each in files:
            _check_marks(each, header)


def _check_marks(file: Path, header: Header) -> None:
    """Refuse a file whose closing quotation marks stand before text, where Python can read it."""
    with suppress(OSError, EOFError, UnicodeDecodeError), _lines(file) as lines:
        check_closing_marks(file, lines, header.delimiter)


def _check_lines(file: Path, header: Header) -> bool:
    """Look at a file line by line: one with other fields is told by its number, never by what it holds.

    False if Python cannot: a field is too long for it.
    """
    number, end = len(header.names), secrets.token_hex()  # what no line can be
    row, place = [end], 0
    try:
        with _lines(file) as lines:
            one_more = chain(lines, ["\r\n", end])
            reader = csv.reader(one_more, delimiter=header.delimiter, skipinitialspace=True)
            for row in reader:
                is_blank = not row or (len(row) == 1 and not row[0].strip(" \t"))
                if len(row) != number and not is_blank and row != [end]:
                    raise _other_fields(file, place + 1, len(row), header)
                place = reader.line_num
    except (OSError, EOFError, UnicodeDecodeError, csv.Error):
        return False
    if row != [end]:
        raise TableError(
            f"A quotation mark in the last column of {file} is not closed.",
            'Close it, and write one within a text twice: "6"" pipe".',
        )
    return True


def _other_fields(file: Path, line: int, fields: int, header: Header) -> TableError:
    """What refuses a line, by public facts of its form."""
    number, sign = len(header.names), _SIGNS[header.delimiter]
    held = f"{fields} field{'s' if fields > 1 else ''}"
    fix = f"Write fields that hold {sign} within quotes, and put none at the end of a line."
    return TableError(
        f"Line {line:,} of {file} has {held}, and the header {number}.",
        fix if fields > number else _FIX.format(sign),
    )


def _unlike(names: Sequence[str], name: str) -> str:
    """A name that no column has."""
    while name in {each.lower() for each in names}:
        name += "_"
    return name


def _reader(
    files: str, header: Header, names: Sequence[str], file_column: str | None, how: str = _LENIENT
) -> str:
    """DuckDB's reader of these columns, all as text."""
    columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in names)
    options = f"{_DIALECT}, {how}, nullstr={literal(_NO_TEXT)}, delim={literal(header.delimiter)}"
    named = "" if file_column is None else f", filename={literal(file_column)}"
    return f"read_csv({files}, {options}, columns={{{columns}}}{named})"


def _blank(names: Sequence[str]) -> str:
    """A line of spaces only; DuckDB itself leaves out an empty one."""
    first = quoted(names[0])
    spaces = f"({first} <> '' AND trim({first}, ' \t') = '')"
    return spaces if len(names) == 1 else f"({spaces} AND {quoted(names[1])} IS NULL)"
