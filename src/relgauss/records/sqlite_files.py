"""Tables of SQLite databases, read by Python's own sqlite3: no extension, no download."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from relgauss.errors import TableError
from relgauss.records.cells_as_text import Columns, no_column, text_table
from relgauss.records.duckdb_connection import quoted

if TYPE_CHECKING:
    import pyarrow

_MAGIC = b"SQLite format 3\x00"


class StoredTable(NamedTuple):
    """A table of text, its name, and whether it is a view: a query that the database holds."""

    content: pyarrow.Table
    name: str
    is_view: bool


def is_sqlite(file: Path) -> bool:
    """Whether a file begins as every SQLite database does; a new one is empty."""
    try:
        with file.open("rb") as opened:
            return opened.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def read_table(file: Path, table: str | None, in_percent: Columns = no_column) -> StoredTable:
    """The table of this name, or the only one, with all cells as text: each has a type of its own."""
    with _opened(file) as connection:
        kinds = _kinds(connection)
        name = next(iter(kinds)) if table is None and len(kinds) == 1 else table
        if name is None or name not in kinds:
            wanted = "No table is named" if name is None else f"There is no table {name!r}"
            names = ", ".join(repr(each) for each in kinds) or "none"
            raise TableError(
                f"{wanted} in the database.", f"Name one of its tables (table=), or query several: {names}."
            )
        return StoredTable(_content(connection, name, in_percent), name, kinds[name] == "view")


def read_tables(file: Path, query: str, in_percent: Columns = no_column) -> dict[str, pyarrow.Table]:
    """All tables and views by their names; those that the query does not speak of have columns and no rows.

    They are there for the sake of messages, and left out where they cannot be read.
    """
    asked = query.casefold()
    with _opened(file) as connection:
        kinds = _kinds(connection)
        found = {}
        for name in kinds:
            if len(kinds) == 1 or quoted(name)[1:-1].casefold() in asked:
                found[name] = _content(connection, name, in_percent)
                continue
            with suppress(sqlite3.Error, TableError):
                found[name] = _content(connection, name, in_percent, has_rows=False)
        return found


@contextmanager
def _opened(file: Path) -> Iterator[sqlite3.Connection]:
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
            yield connection
    except sqlite3.Error:  # its own text may quote a record
        raise TableError(f"{file} cannot be read as a SQLite database.", "Check the file.") from None


def _kinds(connection: sqlite3.Connection) -> dict[str, str]:
    """The names of tables and views, and which each is."""
    sql = (
        "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') "
        "AND name NOT LIKE 'sqlite~_%' ESCAPE '~'"
    )
    return dict(connection.execute(f"{sql} ORDER BY name").fetchall())


def _content(
    connection: sqlite3.Connection, name: str, in_percent: Columns, *, has_rows: bool = True
) -> pyarrow.Table:
    rows = connection.execute(f"SELECT * FROM {quoted(name)}{'' if has_rows else ' LIMIT 0'}")
    columns = [column[0] for column in rows.description]
    if len(set(columns)) < len(columns):
        raise TableError(f"Two columns of {name!r} have the same name.", "Rename one in the view.")
    return text_table(columns, rows, in_percent)
