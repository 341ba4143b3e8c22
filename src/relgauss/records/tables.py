"""Tables from files, databases and data frames, all read by an embedded DuckDB.

Whether a table can be used is decided by its columns and their types; a column of text is one of numbers if
any of its first rows is. After that no record causes an error: what is no number is NULL.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relgauss.errors import InvalidParameterError, MissingExtraError, TableError
from relgauss.records.folders import is_folder
from relgauss.records.sources import FILE_COLUMN, find_source, literal, quoted

if TYPE_CHECKING:
    import duckdb
    import pyarrow

_INTEGERS = ("tinyint", "smallint", "integer", "bigint", "hugeint")
_NUMBERS = {*_INTEGERS, *(f"u{each}" for each in _INTEGERS), "float", "double", "decimal"}
__all__ = ["Table", "literal", "open_table", "quoted"]

_LOOK = 1_000  # rows of a column of text that show whether it holds numbers


@dataclass(frozen=True, eq=False)
class Table:
    """A relation in an open DuckDB connection, with the types of its columns; ``source`` follows FROM.

    ``hidden`` are columns that it has for the sake of messages.
    """

    connection: duckdb.DuckDBPyConnection
    source: str
    types: dict[str, str]
    hidden: set[str]
    file: str

    def column(self, name: str) -> str:
        """The column as SQL."""
        if not isinstance(name, str) or name not in self.types:
            columns = ", ".join(repr(each) for each in self.types)
            where = self.file or "the table"
            raise TableError(f"There is no column {name!r} in {where}.", f"Its columns are {columns}.")
        return quoted(name)

    def numbers(self, name: str) -> str:
        """The column as SQL of doubles: NULL where a text is no number."""
        column = self.column(name)
        if self.types[name] in _NUMBERS:
            return f"CAST({column} AS DOUBLE)"
        numbers = f"TRY_CAST({column} AS DOUBLE)"
        if self.types[name] == "varchar" and self._holds_some(numbers):
            return numbers
        raise TableError(
            f"The column {name!r} does not hold numbers, but {self.types[name]}"
            f"{f', in {self.file}' if self.file else ''}.",
            "Name a column of numbers, convert it, or list its categories for a fit.",
        )

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows that a query returns."""
        with _refusals():
            return self.connection.execute(sql).fetchall()

    def batches(self, sql: str, rows: int) -> Iterator[pyarrow.RecordBatch]:
        """What a query returns, some rows at a time: never all of them at once."""
        with _refusals():
            relation = self.connection.sql(sql)
            # DuckDB 2.0 calls it to_arrow_reader, earlier versions fetch_record_batch.
            stream = getattr(relation, "to_arrow_reader", None) or relation.fetch_record_batch
            yield from stream(rows)

    def file_with(self, condition: str) -> str:
        """' of FILE' for the first file with a row of this kind; nothing for a frame."""
        if FILE_COLUMN in self.hidden:
            found = self.rows(f"SELECT {FILE_COLUMN} FROM {self.source} WHERE {condition} LIMIT 1")
            return f" of {found[0][0]}"
        return f" of {self.file}" if self.file else ""

    def _holds_some(self, numbers: str) -> bool:
        """Whether any of the first rows holds a number: a part of the check of the columns."""
        first = f"(SELECT * FROM {self.source} LIMIT {_LOOK})"
        found, looked_at = self.rows(f"SELECT count({numbers}), count(*) FROM {first}")[0]
        return bool(found > 0 or looked_at == 0)


@contextmanager
def open_table(data: object, *, table: str | None = None, query: str | None = None) -> Iterator[Table]:
    """Open a file (CSV, Parquet or DuckDB database) or a data frame.

    ``table`` names a table of a database. ``query`` is SQL that makes the table; a file or a frame is called
    ``data`` in it.
    """
    for name, given in (("table", table), ("query", query)):
        if not isinstance(given, str | None):
            raise InvalidParameterError(name, given, "text", "Pass a name or SQL, or leave it out.")
    connection = _connect()
    try:
        with _refusals():
            source = find_source(connection, data, table, query)
            columns = connection.sql(f"SELECT * FROM {source}")
        types = dict(zip(columns.columns, (str(each.id) for each in columns.types), strict=True))
        hidden = {FILE_COLUMN} & set(types) if is_folder(data) else set()
        shown = {name: kind for name, kind in types.items() if name not in hidden}
        yield Table(connection, source, shown, hidden, str(data) if isinstance(data, str | Path) else "")
    finally:
        connection.close()


@contextmanager
def _refusals() -> Iterator[None]:
    """Say what DuckDB refused to do, but nothing that it may have read in a record."""
    import duckdb

    try:
        yield
    except (duckdb.BinderException, duckdb.CatalogException, duckdb.ParserException) as error:
        reason = str(error).partition("\n")[0]
        raise TableError(
            f"DuckDB does not understand the query: {reason}.",
            "Correct it; to compute with a column of text, write TRY_CAST(column AS DOUBLE).",
        ) from None
    except duckdb.Error as error:
        kind = type(error).__name__.removesuffix("Exception")
        raise TableError(f"DuckDB cannot read the table ({kind}).", "Check the file or the query.") from None


def _connect() -> duckdb.DuckDBPyConnection:
    try:
        import duckdb
        import pyarrow  # noqa: F401 - how frames reach DuckDB
    except ImportError:
        raise MissingExtraError("Reading tables", "files") from None
    connection = duckdb.connect()
    connection.execute("SET enable_progress_bar = false")  # it would write to stdout, into JSON
    # DuckDB 2.0 moves a TRY_CAST into its CSV reader, where it fails at the first text (duckdb #23818).
    if ("type_pushdown",) in connection.execute("SELECT name FROM duckdb_optimizers()").fetchall():
        connection.execute("SET disabled_optimizers = 'type_pushdown'")
    return connection
