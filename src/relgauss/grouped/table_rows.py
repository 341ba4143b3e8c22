"""The rows of a table as SQL: keys of groups, values, and whose row it is, under names that are ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from relgauss.grouped.signed_grid import sql_number
from relgauss.records.cells_as_text import WHOLE_BELOW, without_mark
from relgauss.records.duckdb_connection import literal
from relgauss.records.tables import Table

_FLOATS = {"float", "double"}
# Python has no instant with a time zone without a package of its own.
_INSTANT = "timestamp with time zone"
_AS_TEXT = {"varchar", "interval", "list", "array", "struct", "map", "union", "variant", _INSTANT}
WHOLE_AS_FLOAT = r"-?[0-9]+\.0+|-0"
"""A whole number as text that was written by way of floats."""
WITH_EXPONENT = r"-?[0-9](\.[0-9]+)?[eE]\+?[0-9]{1,2}"
"""A float as programs write large ones, and some also 100000, as 1e+05; what is whole of them is a person."""
_BETWEEN = "\x1f"  # what separates the parts of a text that only serves to be hashed


@dataclass(frozen=True, eq=False)
class TableRows:
    """A relation with columns k0, k1, ... (keys), v0, v1, ... (doubles or NULL) and p (whose row, or NULL).

    ``source`` follows FROM. Rows without all of their keys have no group.
    """

    table: Table
    source: str
    keys: tuple[str, ...]
    values: tuple[str, ...]

    @classmethod
    def of(cls, table: Table, by: Sequence[str], values: Sequence[str], person: str | None) -> TableRows:
        """The columns ``by``, ``values`` and ``person`` of a table, in every row."""
        keys, numbers = _named("k", len(by)), _named("v", len(values))
        columns = [f"{key_sql(table, name)} AS {key}" for name, key in zip(by, keys, strict=True)]
        columns += [
            f"{table.numbers(name)} AS {number}" for name, number in zip(values, numbers, strict=True)
        ]
        columns.append("NULL AS p" if person is None else f"{person_sql(table, person)} AS p")
        source = f"(SELECT {', '.join(columns)} FROM {table.source})"
        if numbers and person is not None:  # equal rows must also be written alike: texts of them are hashed
            spelled = ", ".join(f"{one_spelling(number)} AS {number}" for number in numbers)
            source = f"(SELECT * REPLACE ({spelled}) FROM {source})"
        return cls(table, source, keys, numbers)

    @property
    def has_group(self) -> str:
        """An SQL condition: all keys are there."""
        return " AND ".join(f"{key} IS NOT NULL" for key in self.keys)

    @property
    def key_list(self) -> str:
        """The keys, as SQL."""
        return ", ".join(self.keys)

    @property
    def same_keys(self) -> str:
        """An SQL condition that joins relations a and b by their keys."""
        return " AND ".join(f"a.{key} = b.{key}" for key in self.keys)


def key_sql(table: Table, name: str) -> str:
    """A column of keys as SQL, such that equal keys are identical.

    DuckDB calls some equal that are written differently, and a group would be shown as one of its records
    writes it: 0.0 and -0.0, texts of a column that compares without regard to case, 1 month and 30 days.
    Numbers in a column of text are shown without the mark that styles read.
    """
    column = table.column(name)
    if table.types[name] in _FLOATS:
        return one_spelling(column)
    if table.types[name] == "varchar":
        return without_mark(_plain_text(column))
    return _plain_text(column) if table.types[name] in _AS_TEXT else column


def one_spelling(number: str) -> str:
    """SQL for a float or double whose equal values are identical: one zero, and one NaN."""
    return f"CASE WHEN isnan({number}) THEN 'nan' WHEN {number} = 0 THEN 0 ELSE {number} END"


def person_sql(table: Table, name: str) -> str:
    """Whose row it is, as SQL of text; NaN is nobody: else it would be one person with all such rows.

    A whole number is one person, also where some of the rows went through floats: 17, 17.0, 1.7e+01; 0.0 and
    -0.0.
    """
    column = table.column(name)
    text = _plain_text(column)
    if table.types[name] in _FLOATS:
        return f"CASE WHEN isnan({column}) THEN NULL ELSE {_whole_or(text, column)} END"
    plain = without_mark(text)
    may_be_whole = f"(contains({text}, '.0') OR {text} = '-0')"
    is_whole = f"{may_be_whole} AND regexp_full_match({plain}, {literal(WHOLE_AS_FLOAT)})"
    whole = f"regexp_replace(split_part({text}, '.', 1), '^-0$', '0')"
    is_float = f"regexp_full_match({plain}, {literal(WITH_EXPONENT)})"
    of_float = _whole_or(plain, f"TRY_CAST({plain} AS DOUBLE)")
    return f"CASE WHEN {is_whole} THEN {whole} WHEN {is_float} THEN {of_float} ELSE {plain} END"


def _whole_or(text: str, number: str) -> str:
    """SQL for the digits of a float if it is whole, as a text; else this text."""
    digits = f"CAST(TRY_CAST({number} AS HUGEINT) AS VARCHAR)"
    is_whole = f"abs({number}) < {sql_number(float(WHOLE_BELOW))} AND {number} = trunc({number})"
    return f"CASE WHEN {is_whole} THEN {digits} ELSE {text} END"


def joined_text(columns: Sequence[str]) -> str:
    """SQL for the columns as one text; only hashes are made of it."""
    parts = (f"coalesce(CAST({column} AS VARCHAR), '')" for column in columns)
    return f" || {literal(_BETWEEN)} || ".join(parts)


def _plain_text(column: str) -> str:
    """SQL for the column as text that is compared byte by byte, whatever its own collation."""
    return f"(CAST({column} AS VARCHAR) COLLATE C)"


def _named(letter: str, count: int) -> tuple[str, ...]:
    return tuple(f"{letter}{place}" for place in range(count))
