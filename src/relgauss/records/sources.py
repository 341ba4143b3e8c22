"""Where a table in files or in a database is, as SQL; and what a query makes of any table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from relgauss.errors import InvalidParameterError, TableError
from relgauss.records.cells_as_text import Columns, no_column
from relgauss.records.csv_files import check_fields, read_csv_sql, shared_header
from relgauss.records.duckdb_connection import literal, one_file, quoted, refusals
from relgauss.records.excel_files import read_sheet
from relgauss.records.folders import check_alike, files_in, is_folder
from relgauss.records.prepared import prepared_by
from relgauss.records.sqlite_files import is_sqlite, read_table, read_tables

if TYPE_CHECKING:
    import duckdb

_CSV = (".csv", ".tsv", ".txt")
_PARQUET = (".parquet", ".pq")
_EXCEL = (".xlsx", ".xlsm")
_SQLITE = (".sqlite", ".sqlite3")
_DATABASE = (".duckdb", ".db")
_POSTGRES = ("postgres:", "postgresql:")
_NO_COLUMNS_FROM_PATHS = "hive_partitioning=false"  # a folder named pay=0 would replace the column pay
_READ_PARQUET = "read_parquet"
FILE_COLUMN = "relgauss_file"  # which of several files a row is from


@dataclass(frozen=True)
class Source:
    """What follows FROM, what is assumed of how it was made, and columns that only serve messages.

    ``is_counted`` if the number of its rows is to be had without reading them.
    """

    sql: str
    assumed: tuple[str, ...] = ()
    hidden: frozenset[str] = frozenset()
    is_counted: bool = False


def find_source(
    connection: duckdb.DuckDBPyConnection,
    path: str | Path,
    table: str | None,
    query: str | None,
    in_percent: Columns = no_column,
) -> Source:
    """The table that a path leads to or, if that is a database, holds; a query makes its own.

    Cells that have a type of their own are read for columns that are written ``in_percent``.
    """
    _refuse_postgres(path)
    ending = "" if is_folder(path) else _ending(path)
    if query is not None and table is None and _is_sqlite(path, ending):
        return _sqlite_query(connection, _existing(path), query, in_percent)
    if ending in _EXCEL or _is_sqlite(path, ending):
        source = _stored(connection, _existing(path), ending, table, in_percent)
    elif ending in _DATABASE:
        _attach(connection, _existing(path))
        return _one_table(connection, table) if query is None else _queried(Source(""), query)
    elif table is not None:
        raise no_named_tables(table)
    else:
        source = _files(connection, path)
    return source if query is None else query_of(connection, source, query)


def no_named_tables(table: str) -> InvalidParameterError:
    """What refuses the name of a table where there is but one."""
    return InvalidParameterError(
        "table", table, "left out here", "Only a database has named tables, and a workbook sheets."
    )


def query_of(connection: duckdb.DuckDBPyConnection, source: Source, query: str) -> Source:
    """What a query makes of a source, which it calls ``data``."""
    connection.execute(f"CREATE TEMP VIEW data AS SELECT * FROM {source.sql}")
    return _queried(source, query)


def _refuse_postgres(path: str | Path) -> None:
    if isinstance(path, str) and path.lower().startswith(_POSTGRES):
        raise TableError(
            "Postgres is not read by relgauss.",
            "Export the table to a file (psql: \\copy t TO 'table.csv' CSV HEADER), or pass a data frame.",
        )


def _is_sqlite(path: str | Path, ending: str) -> bool:
    """By its name, or by how it begins: a .db may be of either kind of database."""
    return ending in _SQLITE or (ending in _DATABASE and is_sqlite(Path(path)))


def _stored(
    connection: duckdb.DuckDBPyConnection, file: Path, ending: str, table: str | None, in_percent: Columns
) -> Source:
    """A sheet of a workbook or a table of a SQLite database, as text."""
    if ending in _EXCEL:
        connection.register("frame", read_sheet(file, table, in_percent))
        return Source("frame")
    stored = read_table(file, table, in_percent)
    connection.register("frame", stored.content)
    return Source("frame", (prepared_by(f"the view {stored.name!r}"),) if stored.is_view else ())


def _sqlite_query(
    connection: duckdb.DuckDBPyConnection, file: Path, query: str, in_percent: Columns
) -> Source:
    """What a query makes of a SQLite database: tables have their own names, and a single one is data, too."""
    tables = read_tables(file, query, in_percent)
    for number, (name, content) in enumerate(tables.items()):
        connection.register(f"relgauss_sqlite_{number}", content)
        connection.execute(f"CREATE TEMP VIEW {quoted(name)} AS SELECT * FROM relgauss_sqlite_{number}")
    if len(tables) == 1 and "data" not in {name.lower() for name in tables}:
        return query_of(connection, Source("relgauss_sqlite_0"), query)
    return _queried(Source(""), query)


def _queried(source: Source, query: str) -> Source:
    """What a query makes of a source."""
    sql = f"({query.strip().rstrip(';')}\n)"
    return replace(source, sql=sql, assumed=(prepared_by("the query"),), is_counted=False)


def _ending(path: str | Path) -> str:
    """The ending of a file's name, that of the packed file for .gz."""
    endings = [ending.lower() for ending in Path(path).suffixes]
    return next((ending for ending in reversed(endings) if ending != ".gz"), "none")


def _existing(path: str | Path) -> Path:
    file = Path(path)
    if not file.is_file():
        raise TableError(f"There is no file {file}.", "Check the path.")
    return file


def _files(connection: duckdb.DuckDBPyConnection, path: str | Path) -> Source:
    if is_folder(path):
        sql = _folder(connection, path)
        return Source(sql, hidden=frozenset({FILE_COLUMN}), is_counted=sql.startswith(_READ_PARQUET))
    file, ending = _existing(path), _ending(path)
    if ending in _PARQUET:
        return Source(_parquet(connection, [file]), is_counted=True)
    if ending in _CSV:
        return Source(_csv(connection, [file]))
    known = ", ".join((*_CSV, ".csv.gz", *_PARQUET, ".xlsx", *_SQLITE, *_DATABASE))
    raise TableError(f"{file} is of no known kind.", f"Pass a file that ends in {known}.")


def _folder(connection: duckdb.DuckDBPyConnection, path: str | Path) -> str:
    files = files_in(path, (*_PARQUET, *_CSV))
    return (_csv if _ending(files[0]) in _CSV else _parquet)(connection, files)


def _csv(connection: duckdb.DuckDBPyConnection, files: Sequence[Path]) -> str:
    header, named = shared_header(files), _list(connection, files)
    check_fields(connection, files, named, header)
    return read_csv_sql(named, header, FILE_COLUMN if len(files) > 1 else None)


def _parquet(connection: duckdb.DuckDBPyConnection, files: Sequence[Path]) -> str:
    check_alike([(file, _parquet_schema(connection, file)) for file in files])
    named = f", filename={literal(FILE_COLUMN)}" if len(files) > 1 else ""
    return f"{_READ_PARQUET}({_list(connection, files)}, {_NO_COLUMNS_FROM_PATHS}{named})"


def _parquet_schema(connection: duckdb.DuckDBPyConnection, file: Path) -> dict[str, str]:
    path = one_file(connection, file)
    with refusals(f"{file} cannot be read as Parquet.", "Check the file."):
        sql = f"DESCRIBE SELECT * FROM read_parquet({path}, {_NO_COLUMNS_FROM_PATHS})"
        return {str(row[0]): str(row[1]) for row in connection.sql(sql).fetchall()}


def _list(connection: duckdb.DuckDBPyConnection, files: Sequence[Path]) -> str:
    return f"[{', '.join(one_file(connection, file) for file in files)}]"


def _attach(connection: duckdb.DuckDBPyConnection, file: Path) -> None:
    with refusals(f"{file} cannot be opened as a DuckDB database.", "Check the file."):
        connection.execute(f"ATTACH {literal(file.absolute())} AS attached (READ_ONLY)")
        connection.execute("USE attached")


def _one_table(connection: duckdb.DuckDBPyConnection, table: str | None) -> Source:
    """The table with this name, or the only one; a view is a query that the database holds."""
    tables = [row[0] for row in connection.execute("SHOW TABLES").fetchall()]
    name = tables[0] if table is None and len(tables) == 1 else table
    if name not in tables:
        wanted = "No table is named" if name is None else f"There is no table {name!r}"
        names = ", ".join(repr(each) for each in tables) or "none"
        raise TableError(f"{wanted} in the database.", f"Name one of its tables: {names}.")
    views = connection.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()
    is_view = (name,) in views
    assumed = (prepared_by(f"the view {name!r}"),) if is_view else ()
    return Source(quoted(str(name)), assumed, is_counted=not is_view)
