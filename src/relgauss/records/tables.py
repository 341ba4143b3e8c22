"""Tables from files, databases and data frames, all read by an embedded DuckDB.

Whether a table can be read is decided by its header and its column types alone, never by what one record
holds: a CSV file is read as text, with the delimiter that its header shows, and a line with too few or too
many fields still counts as a row.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relgauss.errors import InvalidParameterError, MissingExtraError, TableError

if TYPE_CHECKING:
    import duckdb

CSV_ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz")
PARQUET_ENDINGS = (".parquet",)
DATABASE_ENDINGS = (".duckdb", ".db")

_DELIMITERS = ",;\t|"
_NUMBERS = frozenset(
    "tinyint smallint integer bigint hugeint utinyint usmallint uinteger ubigint uhugeint float double decimal".split()
)
_LOOK = 1_000  # rows of a text column that show whether it holds numbers


@dataclass(frozen=True, eq=False)
class Table:
    """A relation in an open DuckDB connection: ``source`` is what follows FROM."""

    connection: duckdb.DuckDBPyConnection
    source: str
    types: dict[str, str]
    untyped: bool  # columns come from a CSV file, so numbers may be text

    def column(self, name: str) -> str:
        """The column as SQL."""
        if name not in self.types:
            columns = ", ".join(repr(each) for each in self.types)
            raise TableError(f"The table has no column {name!r}.", f"Its columns are {columns}.")
        return quoted(name)

    def numbers(self, name: str) -> str:
        """The column as SQL of doubles: NULL where a CSV file holds what is no number."""
        column = self.column(name)
        if self.types[name] in _NUMBERS:
            return f"CAST({column} AS DOUBLE)"
        number = f"TRY_CAST({column} AS DOUBLE)"
        if self.untyped and self.types[name] == "varchar" and self._shows_numbers(number):
            return number
        raise TableError(
            f"The column {name!r} holds no numbers (its type is {self.types[name]}).",
            "Name a column of numbers, or convert it first.",
        )

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Run a query; ``{source}`` in it stands for this table."""
        return _query(self.connection, sql.replace("{source}", self.source)).fetchall()

    def _shows_numbers(self, number: str) -> bool:
        look = f"SELECT count({number}), count(*) FROM (SELECT * FROM {{source}} LIMIT {_LOOK})"
        numbers, rows = self.rows(look)[0]
        return numbers > 0 or rows == 0


@contextmanager
def open_table(data: object, *, table: str | None = None, query: str | None = None) -> Iterator[Table]:
    """Open a file (.csv, .tsv, .txt, .gz of these, .parquet, .duckdb, .db) or a data frame.

    ``table`` names a table of a database file. ``query`` is SQL that makes the table; files and frames are
    called ``data`` in it.
    """
    connection = _connect()
    try:
        source, untyped = _source(connection, data, table, query is not None)
        if query is not None:
            if source:
                _query(connection, f"CREATE TEMP VIEW data AS SELECT * FROM {source}")
            source = f"({query.strip().rstrip(';')}\n)"
        relation = _query(connection, f"SELECT * FROM {source}")
        types = dict(zip(relation.columns, (each.id for each in relation.types), strict=True))
        yield Table(connection, source, types, untyped)
    finally:
        connection.close()


def quoted(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def _connect() -> duckdb.DuckDBPyConnection:
    try:
        import duckdb
        import pyarrow  # noqa: F401 - how frames reach DuckDB
    except ImportError:
        raise MissingExtraError("Reading tables", "files") from None
    return duckdb.connect()


def _query(connection: duckdb.DuckDBPyConnection, sql: str) -> duckdb.DuckDBPyRelation:
    import duckdb

    try:
        return connection.sql(sql)
    except duckdb.Error as error:
        first_line = str(error).partition("\n")[0]
        raise TableError(f"DuckDB cannot read the table ({first_line}).", "Check the file or query.") from None


def _source(
    connection: duckdb.DuckDBPyConnection, data: object, table: str | None, has_query: bool
) -> tuple[str, bool]:
    """What follows FROM, and whether its columns are untyped text; empty for a database with a query."""
    if not isinstance(data, str | Path):
        connection.register("frame", _arrow(data))
        source, untyped = "frame", False
    else:
        source, untyped = _file_source(connection, Path(data), table, has_query)
    return source, untyped
