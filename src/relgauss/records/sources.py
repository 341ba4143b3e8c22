"""Where a table comes from, as SQL: a CSV or Parquet file, a DuckDB database, a data frame, a query.

A CSV file's delimiter and columns are read off its header, so that neither depends on a record; a line
with too few or too many fields still counts as one row.
"""

from __future__ import annotations

import csv
import gzip
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from relgauss.errors import InvalidParameterError, TableError

if TYPE_CHECKING:
    import duckdb

_CSV = (".csv", ".tsv", ".txt")
_PARQUET = (".parquet", ".pq")
_DATABASE = (".duckdb", ".db")
_DELIMITERS = ",;\t|"
_DIALECT = "header=true, quote='\"', escape='\"', null_padding=true, strict_mode=false"


@dataclass(frozen=True)
class Source:
    """``sql`` follows FROM; in an ``untyped`` source numbers may come as text."""

    sql: str
    untyped: bool = False


def find_source(
    connection: duckdb.DuckDBPyConnection, data: object, table: str | None, query: str | None
) -> Source:
    """The table that ``data`` is or, if it is a database, holds; a query makes its own."""
    if _ending(data) in _DATABASE:
        _attach(connection, _existing(data))
        return Source(_subquery(query)) if query is not None else Source(_one_table(connection, table))
    if table is not None:
        raise InvalidParameterError("table", table, "left out here", "Only a database has named tables.")
    source = _file_or_frame(connection, data, typed=query is not None)
    if query is None:
        return source
    connection.execute(f"CREATE TEMP VIEW data AS SELECT * FROM {source.sql}")
    return Source(_subquery(query), source.untyped)


def quoted(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def _literal(text: object) -> str:
    return "'" + str(text).replace("'", "''") + "'"


def _subquery(query: str) -> str:
    return f"({query.strip().rstrip(';')}\n)"


def _ending(data: object) -> str:
    """The ending of a file's name, that of the packed file for .gz; none where data is no path."""
    if not isinstance(data, str | Path):
        return ""
    endings = [ending.lower() for ending in Path(data).suffixes]
    return next((ending for ending in reversed(endings) if ending != ".gz"), "none")


def _existing(data: object) -> Path:
    file = Path(str(data))
    if not file.is_file():
        raise TableError(f"There is no file {file}.", "Check the path.")
    return file


def _file_or_frame(connection: duckdb.DuckDBPyConnection, data: object, typed: bool) -> Source:
    ending = _ending(data)
    if not ending:
        return _frame(connection, data)
    file = _existing(data)
    if ending in _PARQUET:
        return Source(f"read_parquet({_literal(file)})")
    if ending in _CSV:
        return _typed_csv(file) if typed else _text_csv(file)
    known = ", ".join((*_CSV, ".csv.gz", *_PARQUET, *_DATABASE))
    raise TableError(f"{file} is of no known kind.", f"Pass a file that ends in {known}.")


def _text_csv(file: Path) -> Source:
    """All columns as text, which no value can contradict."""
    delimiter, names = _header(file)
    columns = ", ".join(f"{_literal(name)}: 'VARCHAR'" for name in names)
    options = f"{_DIALECT}, delim={_literal(delimiter)}, auto_detect=false, columns={{{columns}}}"
    return Source(f"read_csv({_literal(file)}, {options})", untyped=True)


def _typed_csv(file: Path) -> Source:
    """Columns of the types that all their values allow, to be compared and computed with in SQL."""
    delimiter, _ = _header(file)
    options = f"{_DIALECT}, delim={_literal(delimiter)}, sample_size=-1"
    return Source(f"read_csv({_literal(file)}, {options})", untyped=True)


def _header(file: Path) -> tuple[str, list[str]]:
    """The delimiter that the first line holds most of, and the names that it separates."""
    opened = gzip.open if file.suffix.lower() == ".gz" else open
    try:
        with opened(file, "rt", encoding="utf-8-sig", newline="") as lines:
            line = lines.readline()
    except (OSError, EOFError, UnicodeDecodeError):
        raise TableError(f"The first line of {file} cannot be read.", "Save it as UTF-8 text.") from None
    delimiter = max(_DELIMITERS, key=line.count)
    names = next(csv.reader([line], delimiter=delimiter), [])
    if not all(names) or not names or len(set(names)) < len(names):
        raise TableError(
            f"The first line of {file} does not name its columns.",
            "Start the file with one name for each column, all different.",
        )
    return delimiter, names


def _attach(connection: duckdb.DuckDBPyConnection, file: Path) -> None:
    import duckdb

    try:
        connection.execute(f"ATTACH {_literal(file)} AS attached (READ_ONLY)")
        connection.execute("USE attached")
    except duckdb.Error:
        raise TableError(f"{file} cannot be opened as a DuckDB database.", "Check the file.") from None


def _one_table(connection: duckdb.DuckDBPyConnection, table: str | None) -> str:
    """The table with this name, or the only one."""
    tables = [row[0] for row in connection.execute("SHOW TABLES").fetchall()]
    if table is None and len(tables) == 1:
        return quoted(tables[0])
    if table in tables:
        return quoted(str(table))
    wanted = "No table is named" if table is None else f"There is no table {table!r}"
    names = ", ".join(repr(each) for each in tables) or "none"
    raise TableError(f"{wanted} in the database.", f"Name one of its tables: {names}.")


def _frame(connection: duckdb.DuckDBPyConnection, data: object) -> Source:
    """A data frame of any kind that narwhals knows, as Arrow."""
    import narwhals as nw
    import pyarrow

    try:
        frame = nw.from_native(data)  # type: ignore[call-overload]
    except TypeError:
        raise InvalidParameterError(
            "data",
            type(data).__name__,
            "a path or a data frame",
            "Pass a file, or a pandas, polars or Arrow table.",
        ) from None
    try:
        arrow = (frame.collect() if isinstance(frame, nw.LazyFrame) else frame).to_arrow()
    except pyarrow.ArrowException:
        raise TableError(
            "A column of the data frame mixes kinds of values.",
            "Convert it, for example with pandas.to_numeric(column, errors='coerce').",
        ) from None
    connection.register("frame", arrow)
    return Source("frame")
