"""The rows of a table as SQL: keys of groups, values, and whose row it is, under names that are ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from relgauss.records.duckdb_connection import literal
from relgauss.records.tables import Table

_FLOATS = {"float", "double"}
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
        columns = [f"{table.column(name)} AS {key}" for name, key in zip(by, keys, strict=True)]
        columns += [
            f"{table.numbers(name)} AS {number}" for name, number in zip(values, numbers, strict=True)
        ]
        columns.append("NULL AS p" if person is None else f"{person_sql(table, person)} AS p")
        return cls(table, f"(SELECT {', '.join(columns)} FROM {table.source})", keys, numbers)

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


def person_sql(table: Table, name: str) -> str:
    """Whose row it is, as SQL of text; NaN is nobody: else it would be one person with all such rows."""
    column = table.column(name)
    text = f"CAST({column} AS VARCHAR)"
    if table.types[name] in _FLOATS:
        return f"CASE WHEN isnan({column}) THEN NULL ELSE {text} END"
    return text


def joined_text(columns: Sequence[str]) -> str:
    """SQL for the columns as one text; only hashes are made of it."""
    parts = (f"coalesce(CAST({column} AS VARCHAR), '')" for column in columns)
    return f" || {literal(_BETWEEN)} || ".join(parts)


def _named(letter: str, count: int) -> tuple[str, ...]:
    return tuple(f"{letter}{place}" for place in range(count))
