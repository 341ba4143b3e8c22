"""Tables from files, databases and data frames, all read by an embedded DuckDB.

Whether a table can be used is decided by its columns and their types; a column of text is one of numbers if
the user says how it writes them, or if at least half of the texts in its first 1,000 rows are such and few
are numbers that are written otherwise, as 1,234 is beside 999. So a column of other text is refused, for
means, tables and fits alike, which tells of these rows outside of any budget. After that no record of means
or tables causes an error: what is no number is NULL.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from relgauss.errors import InvalidParameterError, TableError
from relgauss.records.cells_as_text import Columns
from relgauss.records.csv_files import may_be_record
from relgauss.records.duckdb_connection import connect, literal, quoted, refusals
from relgauss.records.frames import as_arrow
from relgauss.records.number_style import NumberStyle, in_percent, looks_like_number, styles_of
from relgauss.records.sources import FILE_COLUMN, Source, find_source, no_named_tables, query_of

if TYPE_CHECKING:
    import duckdb
    import pyarrow

_SIGNED = ("tinyint", "smallint", "integer", "bigint", "hugeint")
INTEGERS = (*_SIGNED, *(f"u{each}" for each in _SIGNED))
_NUMBERS = {*INTEGERS, "float", "double", "decimal"}
__all__ = ["Table", "literal", "open_table", "quoted"]

_DATES = ("date", "time")  # how types of dates and of times begin
_DATES_FIX = "Make it a number first, such as days since a public day, or leave it out."
_TEXT_FIX = "Name a column of numbers, or say how it writes them (numbers='$1,234.50')."
_MOSTLY_FIX = "Say how it writes them, such as numbers='1,234.50', or '1234.5' to leave other text out."
_MOSTLY, _EMPTY = "mostly other text in its first rows", "nothing in its first rows"
_QUERY_FIX = (
    "Make them plain numbers in a query, such as CAST(replace(pay, ',', '.') AS DOUBLE) of 4,50, or "
    "CAST(replace(replace(pay, '$', ''), ',', '') AS DOUBLE) of $1,234.50."
)
_EMPTY_FIX = "If that is right, say how it writes numbers (numbers='1234.5')."
_FIXES = {
    "boolean": "Make it 0 and 1 in a query: CAST(... AS BOOLEAN)::INTEGER; the mean is the share of true.",
    "interval": "Make it a number in a query, such as seconds: epoch(...).",
    **dict.fromkeys(("struct", "list", "map"), "Name a column of numbers, or make it one in a query."),
}
_WORDS = {"varchar": "text", "boolean": "true and false", "interval": "durations"}
_LEAST = 0.5  # of these texts are numbers, if the column is one of numbers
_FEW, _FEWEST = 0.05, 3  # of these texts may be numbers that are written otherwise
_NEAR = 0.75  # as alike a name that was mistyped is, by difflib
_TOGETHER = 4096  # rows that are fetched at once
UNTYPED = ("varchar", "null")  # types that say nothing of what a column holds, or that it holds nothing
FIRST_ROWS = 1_000  # rows of a column of text that show whether it holds numbers


@dataclass(frozen=True, eq=False)
class Table:
    """A relation in an open DuckDB connection, with the types of its columns; ``source`` follows FROM.

    ``hidden`` are columns that it has for the sake of messages; ``assumed`` is what nobody checked about how
    it was made; ``is_counted`` if the number of its rows is to be had without reading them; ``styles`` say
    how columns of text write numbers.
    """

    connection: duckdb.DuckDBPyConnection
    source: str
    types: dict[str, str]
    hidden: frozenset[str]
    file: str
    assumed: tuple[str, ...]
    is_counted: bool = False
    styles: Mapping[str, NumberStyle] | NumberStyle | None = None

    def column(self, name: str) -> str:
        """The column as SQL."""
        if not isinstance(name, str) or name not in self.types:
            where = self.file or "the table"
            raise TableError(f"There is no column {name!r} in {where}.", self._near(name))
        return quoted(name)

    def _near(self, name: object) -> str:
        parts = [part.strip() for part in name.split(",")] if isinstance(name, str) else []
        if len(parts) > 1 and all(part in self.types for part in parts):
            return "These are several columns: name each by itself; `relgauss table` takes several."
        visible = [each for each in self.types if each not in self.hidden and isinstance(name, str)]
        alike = [each for each in visible if _folded(each) == _folded(str(name))]
        renamed = f"{name}_1" in self.types  # by DuckDB: the second of two that differ in case only
        if alike and not renamed:
            return f"Did you mean {alike[0]!r}?"
        column, _, statistic = str(name).rpartition(":")
        if column in visible:
            return f"Name the column alone, {column!r}; `relgauss table` takes {statistic!r} beside it."
        near = [] if may_be_record(self.types) else get_close_matches(str(name), visible, 1, _NEAR)
        return f"{f'Did you mean {near[0]!r}? ' if near else ''}{self._its_columns()}"

    def holds_numbers(self, name: str) -> bool:
        """Whether the column is of a type of numbers."""
        return self.types[name] in _NUMBERS

    def may_hold_numbers(self, name: str) -> None:
        """Refuse a column of a type that never holds numbers, such as dates; its values are not read."""
        self.column(name)
        if not self.holds_numbers(name) and self.types[name] != "varchar":
            self.numbers(name)

    def numbers(self, name: str, text_fix: str = _TEXT_FIX) -> str:
        """The column as SQL of doubles: NULL where a text is no number; ``text_fix`` is advice on text."""
        column = self.column(name)
        if self.holds_numbers(name):
            return f"CAST({column} AS DOUBLE)"
        style = self.style_of(name)
        kind = self.types[name]
        if kind in UNTYPED and style is not None:
            return style.sql(column if kind == "varchar" else f"CAST({column} AS VARCHAR)")
        numbers = f"TRY_CAST({column} AS DOUBLE)"
        if kind in UNTYPED:
            first = self._first(name, numbers)
            if first.found >= _LEAST * first.texts and (first.found > 0 or first.rows == 0):
                self._check_few(name, first, text_fix)
                return numbers
            if first.found:
                kind, text_fix = _MOSTLY, text_fix.replace(_TEXT_FIX, _MOSTLY_FIX)
            elif not first.texts:
                kind, text_fix = _EMPTY, text_fix.replace(_TEXT_FIX, _EMPTY_FIX)
            elif self.truths(name) is not None:
                kind = "boolean"
            elif self._holds_dates(name):
                kind = "date"
            elif first.otherwise >= _LEAST * first.texts and text_fix != _TEXT_FIX:
                text_fix = _QUERY_FIX
        raise TableError(
            f"The column {name!r} does not hold numbers, but {_in_words(kind)}{self._where}.",
            _FIXES.get(kind, _DATES_FIX if kind.startswith(_DATES) else text_fix),
        )

    def style_of(self, name: str) -> NumberStyle | None:
        """How a column of text writes numbers, if the user said so."""
        if self.types.get(name) not in UNTYPED:  # there are no types of what a cluster gathered
            return None
        return self.styles.get(name) if isinstance(self.styles, Mapping) else self.styles

    def truths(self, name: str) -> str | None:
        """A column of the texts true and false as SQL of 1 and 0, NULL for others; None if it is none.

        That shows in its first rows, as it does whether a column of text holds numbers.
        """
        if self.types[name] != "varchar":
            return None
        text, truths = f"lower(trim({quoted(name)}))", truths_of_text(quoted(name))
        first = f"(SELECT * FROM {self.source} LIMIT {FIRST_ROWS})"
        found, texts = self.rows(f"SELECT count({truths}), count(nullif({text}, '')) FROM {first}")[0]
        return truths if found == texts > 0 else None

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows that a query returns."""
        with refusals():
            return self.connection.execute(sql).fetchall()

    def each_row(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """The same row by row, for when there are many; no other query may run meanwhile."""
        with refusals():
            result = self.connection.execute(sql)
            while some := result.fetchmany(_TOGETHER):
                yield from some

    def batches(self, sql: str, rows: int) -> Iterator[pyarrow.RecordBatch]:
        """What a query returns, some rows at a time: never all of them at once."""
        with refusals():
            relation = self.connection.sql(sql)
            # DuckDB 2.0 calls it to_arrow_reader, earlier versions fetch_record_batch.
            stream = getattr(relation, "to_arrow_reader", None) or relation.fetch_record_batch
            yield from stream(rows)

    def count(self) -> int:
        """The number of rows; without reading them, if the table is counted."""
        return int(self.rows(f"SELECT count(*) FROM {self.source}")[0][0])

    def file_with(self, condition: str) -> str:
        """' of FILE' for the first file with a row of this kind; nothing for a frame."""
        if FILE_COLUMN in self.hidden:
            found = self.rows(f"SELECT {FILE_COLUMN} FROM {self.source} WHERE {condition} LIMIT 1")
            return f" of {found[0][0]}"
        return f" of {self.file}" if self.file else ""

    def _its_columns(self) -> str:
        """The columns there are; a file that begins with a record, and not with names, is not quoted."""
        if may_be_record(self.types):
            return "Name one of its columns; the first line must hold their names."
        return f"Its columns are {', '.join(repr(name) for name in self.types)}."

    def _holds_dates(self, name: str) -> bool:
        """Whether the first rows of a column of text hold dates, and no other text."""
        if self.types[name] != "varchar":
            return False
        text, first = f"nullif(trim({quoted(name)}), '')", f"(SELECT * FROM {self.source} LIMIT {FIRST_ROWS})"
        dates = f"TRY_CAST({text} AS TIMESTAMP)"
        found, texts = self.rows(f"SELECT count({dates}), count({text}) FROM {first}")[0]
        return bool(found == texts > 0)

    def _check_few(self, name: str, first: FirstRows, text_fix: str) -> None:
        """Refuse a column of numbers some of which are written otherwise: they would count as missing."""
        if first.otherwise >= max(_FEWEST, _FEW * first.texts):
            raise TableError(
                f"The column {name!r} writes some of the numbers in its first rows otherwise than 1234.5"
                f"{self._where}.",
                _MOSTLY_FIX if text_fix == _TEXT_FIX else _QUERY_FIX,
            )

    @property
    def _where(self) -> str:
        return f", in {self.file}" if self.file else ""

    def _first(self, name: str, numbers: str) -> FirstRows:
        """What the first rows of a column of text hold."""
        text = f"CAST({quoted(name)} AS VARCHAR)"
        first = f"(SELECT * FROM {self.source} LIMIT {FIRST_ROWS})"
        otherwise = f"count(CASE WHEN {numbers} IS NULL AND {looks_like_number(text)} THEN 1 END)"
        texts = f"count(nullif(trim({text}), ''))"
        return FirstRows(
            *self.rows(f"SELECT count({numbers}), {otherwise}, {texts}, count(*) FROM {first}")[0]
        )


class FirstRows(NamedTuple):
    """Counts: numbers, those that are written otherwise, texts that are not empty, all rows."""

    found: int
    otherwise: int
    texts: int
    rows: int


def truths_of_text(column: str) -> str:
    """A column as SQL of 1 and 0 for the texts true and false, NULL for others."""
    text = f"lower(trim(CAST({column} AS VARCHAR)))"
    return f"CAST(CASE {text} WHEN 'true' THEN 1 WHEN 'false' THEN 0 END AS DOUBLE)"


def _in_words(kind: str) -> str:
    """What a column of a type holds."""
    return "dates" if kind.startswith(_DATES) else _WORDS.get(kind, kind)


@contextmanager
def open_table(
    data: object, *, table: str | None = None, query: str | None = None, numbers: object = None
) -> Iterator[Table]:
    """Open a file (CSV, Parquet, Excel), a database (DuckDB, SQLite) or a data frame.

    ``table`` names a table of a database or a sheet. ``query`` is SQL that makes the table; a file or a frame
    is called ``data`` in it. ``numbers`` is 1234.5 as columns of text write it, for all or by column.
    """
    styles = None if numbers is None else styles_of(numbers)
    for name, given in (("table", table), ("query", query)):
        if not isinstance(given, str | None):
            raise InvalidParameterError(name, given, "text", "Pass a name or SQL, or leave it out.")
    connection = connect()
    try:
        with refusals():
            source = (
                find_source(connection, data, table, query, partial(in_percent, styles))
                if isinstance(data, str | Path)
                else _frame_source(connection, data, table, query, partial(in_percent, styles))
            )
            columns = connection.sql(f"SELECT * FROM {source.sql}")
        kinds = (str(each.id).strip('"') for each in columns.types)  # earlier DuckDB writes "null" in quotes
        types = dict(zip(columns.columns, kinds, strict=True))
        hidden = source.hidden & set(types)
        shown = {name: kind for name, kind in types.items() if name not in hidden}
        file = str(data) if isinstance(data, str | Path) else ""
        opened = Table(connection, source.sql, shown, hidden, file, source.assumed, source.is_counted, styles)
        for name in styles if isinstance(styles, Mapping) else ():
            opened.column(name)
        yield opened
    finally:
        connection.close()


def _frame_source(
    connection: duckdb.DuckDBPyConnection,
    data: object,
    table: str | None,
    query: str | None,
    in_percent: Columns,
) -> Source:
    """A data frame, or what a query makes of it."""
    if table is not None:
        raise no_named_tables(table)
    connection.register("frame", as_arrow(data, in_percent))
    source = Source("frame", is_counted=True)
    return source if query is None else query_of(connection, source, query)


def _folded(name: str) -> str:
    """A name of a column without case, blanks and signs, which are easily mistaken."""
    return "".join(letter for letter in name.casefold() if letter.isalnum())
