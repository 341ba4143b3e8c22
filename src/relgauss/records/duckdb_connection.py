"""The one way in which relgauss opens DuckDB, names files to it, and tells what it refused."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from relgauss.errors import MissingExtraError, TableError

if TYPE_CHECKING:
    import duckdb

_DID_YOU_MEAN = "Did you mean"  # another name of the catalog
_MEMORY = "300MiB"
_PATTERN_CHARACTERS = "*?["
_EXTENSION = re.compile(r"Extension \"(\w+)\" is an existing|loading the (\w+) extension")


def connect() -> duckdb.DuckDBPyConnection:
    """An empty database in memory. It loads extensions that are installed, and never downloads one."""
    try:
        import duckdb
        import pyarrow  # noqa: F401 - how frames reach DuckDB
    except ImportError:
        raise MissingExtraError("Reading tables", "files") from None
    connection = duckdb.connect(config={"autoinstall_known_extensions": "false"})
    connection.execute("SET enable_progress_bar = false")  # it would write to stdout, into JSON
    # Else a name that no table has would be a variable of the program that calls.
    connection.execute("SET python_enable_replacements = false")
    # DuckDB 2.0 moves a TRY_CAST into its CSV reader, where it fails at the first text (duckdb #23818).
    if ("type_pushdown",) in connection.execute("SELECT name FROM duckdb_optimizers()").fetchall():
        connection.execute("SET disabled_optimizers = 'type_pushdown'")
    return connection


@contextmanager
def bounded_memory(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Let DuckDB hold 300 MiB; what is more goes to a folder of this user alone, which is removed."""
    with tempfile.TemporaryDirectory(prefix="relgauss-") as folder:
        connection.execute(f"SET temp_directory = {literal(folder)}")
        connection.execute(f"SET memory_limit = {literal(_MEMORY)}")
        connection.execute("SET preserve_insertion_order = false")  # rows have no order that would matter
        yield


def quoted(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: object) -> str:
    """A text as an SQL literal."""
    return "'" + str(text).replace("'", "''") + "'"


def one_file(connection: duckdb.DuckDBPyConnection, file: Path) -> str:
    """This very file, as the SQL literal of a pattern that no other file matches.

    DuckDB takes every name for a pattern: part[1].csv would be part1.csv. The path is made absolute, so that
    none begins like an address (file:, s3:) or with ~.
    """
    path = str(file.absolute())
    if not any(character in path for character in _PATTERN_CHARACTERS):
        return literal(path)
    pattern = "".join(f"[{each}]" if each in _PATTERN_CHARACTERS else each for each in path)
    if _matches(connection, pattern) != [path]:  # a backslash, or a neighbour whose name DuckDB cannot read
        raise TableError(f"DuckDB cannot be told the name {file}.", "Rename it: letters, digits, - and _.")
    return literal(pattern)


def _matches(connection: duckdb.DuckDBPyConnection, pattern: str) -> list[str]:
    import duckdb

    try:
        return [str(row[0]) for row in connection.execute("FROM glob(?)", [pattern]).fetchall()]
    except duckdb.Error:
        return []


@contextmanager
def refusals(otherwise: str = "", fix: str = "Check the file or the query.") -> Iterator[None]:
    """Say what DuckDB refused to do, but nothing that it may have read in a record.

    ``otherwise`` is said of what is neither a mistake in a query nor a missing extension.
    """
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        needed = _missing_extension(error)
        if needed:
            raise TableError(
                f"DuckDB needs its extension {needed!r} for this, and relgauss downloads none.",
                f"Install it once: python -c \"import duckdb; duckdb.sql('INSTALL {needed}')\".",
            ) from None
        if not otherwise and isinstance(
            error, duckdb.BinderException | duckdb.CatalogException | duckdb.ParserException
        ):
            first, _, second = str(error).partition("\n")
            near = second.partition("\n")[0] if second.startswith(_DID_YOU_MEAN) else ""
            reason = f"{first} {near}".strip().rstrip("?")
            raise TableError(
                f"DuckDB does not understand the query: {reason}.",
                "Correct it; the table is called data (those of a database by their names), and columns of a "
                "text file are text, which become numbers after the query.",
            ) from None
        kind = type(error).__name__.removesuffix("Exception")
        raise TableError(otherwise or f"DuckDB cannot read the table ({kind}).", fix) from None


def _missing_extension(error: duckdb.Error) -> str | None:
    """The extension that is not installed; kinds of errors that may quote a record are not looked into."""
    import duckdb

    if not (isinstance(error, duckdb.CatalogException | duckdb.IOException) or type(error) is duckdb.Error):
        return None
    found = _EXTENSION.search(str(error))
    return (found[1] or found[2]) if found else None
