"""Where a table comes from, as SQL: CSV or Parquet files, a DuckDB database, a data frame, a query.

A CSV file's delimiter and columns are read off its header, and all its columns are text, so that nothing
depends on a record: one that is no number, or a line with too few or too many fields, still counts as one
row. What must be in order is the file itself: UTF-8, its quotes closed, no line above 2 MB.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relgauss.errors import InvalidParameterError, TableError
from relgauss.records.folders import check_alike, files_in, is_folder

if TYPE_CHECKING:
    import duckdb
    import narwhals as nw
    import pyarrow

_CSV = (".csv", ".tsv", ".txt")
_PARQUET = (".parquet", ".pq")
_DATABASE = (".duckdb", ".db")
FILE_COLUMN = "relgauss_file"  # which of several files a row is from
_DELIMITERS = ",;\t|"
# Only the sequential reader takes short lines and line breaks inside of quotes in one file.
_DIALECT = (
    "header=true, quote='\"', escape='\"', null_padding=true, strict_mode=false, parallel=false, "
    "auto_detect=false"
)


def find_source(
    connection: duckdb.DuckDBPyConnection, data: object, table: str | None, query: str | None
) -> str:
    """What follows FROM: the table that ``data`` is or, if it is a database, holds; a query makes its own."""
    if not is_folder(data) and _ending(data) in _DATABASE:
        _attach(connection, _existing(data))
        return _one_table(connection, table) if query is None else _subquery(query)
    if table is not None:
        raise InvalidParameterError("table", table, "left out here", "Only a database has named tables.")
    source = _file_or_frame(connection, data)
    if query is None:
        return source
    connection.execute(f"CREATE TEMP VIEW data AS SELECT * FROM {source}")
    return _subquery(query)


def quoted(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: object) -> str:
    """A text as an SQL literal."""
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


def _file_or_frame(connection: duckdb.DuckDBPyConnection, data: object) -> str:
    if is_folder(data):
        return _folder(connection, data)
    ending = _ending(data)
    if not ending:
        return _frame(connection, data)
    file = _existing(data)
    if ending in _PARQUET:
        return _parquet(connection, [file])
    if ending in _CSV:
        return _csv(file)
    known = ", ".join((*_CSV, ".csv.gz", *_PARQUET, *_DATABASE))
    raise TableError(f"{file} is of no known kind.", f"Pass a file that ends in {known}.")


def _folder(connection: duckdb.DuckDBPyConnection, data: object) -> str:
    files = files_in(data, (*_PARQUET, *_CSV))
    if _ending(files[0]) in _CSV:
        check_alike([(file, dict.fromkeys(_header(file)[1], "text")) for file in files])
        return _csv(*files)
    return _parquet(connection, files)


def _parquet(connection: duckdb.DuckDBPyConnection, files: Sequence[Path]) -> str:
    check_alike([(file, _parquet_schema(connection, file)) for file in files])
    return f"read_parquet({_list(files)}{_named(files)})"


def _parquet_schema(connection: duckdb.DuckDBPyConnection, file: Path) -> dict[str, str]:
    import duckdb

    try:
        described = connection.sql(f"DESCRIBE SELECT * FROM read_parquet({literal(file)})").fetchall()
    except duckdb.Error:
        raise TableError(f"{file} cannot be read as Parquet.", "Check the file.") from None
    return {str(row[0]): str(row[1]) for row in described}


def _csv(*files: Path) -> str:
    delimiter, names = _header(files[0])
    columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in names)
    options = f"{_DIALECT}, delim={literal(delimiter)}, columns={{{columns}}}"
    return f"read_csv({_list(files)}, {options}{_named(files)})"


def _named(files: Sequence[Path]) -> str:
    """Several files tell in a column of their own which of them a row is from."""
    return f", filename='{FILE_COLUMN}'" if len(files) > 1 else ""


def _list(files: Sequence[Path]) -> str:
    return f"[{', '.join(map(literal, files))}]"


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
        connection.execute(f"ATTACH {literal(file)} AS attached (READ_ONLY)")
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


def _frame(connection: duckdb.DuckDBPyConnection, data: object) -> str:
    """A data frame of any kind that narwhals knows, as Arrow."""
    import narwhals as nw

    try:
        frame = nw.from_native(data)  # type: ignore[call-overload]
    except TypeError:
        raise InvalidParameterError(
            "data",
            type(data).__name__,
            "a path or a data frame",
            "Pass a file, or a pandas, polars or Arrow table.",
        ) from None
    except nw.exceptions.DuplicateError:
        raise TableError("Two columns of the data frame have the same name.", "Rename one.") from None
    connection.register("frame", _as_arrow(frame.collect() if isinstance(frame, nw.LazyFrame) else frame))
    return "frame"


def _as_arrow(frame: nw.DataFrame[Any]) -> pyarrow.Table:
    """The frame as Arrow; a column that mixes kinds of values is text there, as in a file."""
    import narwhals as nw
    import pyarrow

    no_one_type = pyarrow.ArrowException, OverflowError
    try:
        return frame.to_arrow()
    except no_one_type:
        pass
    columns = {}
    for name in frame.columns:
        try:
            columns[name] = frame[name].to_arrow()
        except no_one_type:
            columns[name] = frame[name].cast(nw.String).to_arrow()
    return pyarrow.table(columns)
