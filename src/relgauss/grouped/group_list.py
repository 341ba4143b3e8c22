"""Groups by a public list: which rows are in a group of it.

A listed key is read as its column would write it: 2014 is found as 2014.0 in a column of floats, 2020-01-01
as its midnight in a column of times. Then keys are compared as texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from relgauss.errors import InvalidParameterError
from relgauss.grouped.table_rows import TableRows
from relgauss.records.duckdb_connection import refusals
from relgauss.records.tables import INTEGERS

_LISTED = "relgauss_listed"
_WIDER = {"date": "TIMESTAMP", "decimal": "DOUBLE", **dict.fromkeys(INTEGERS, "DOUBLE")}
"""Types that round what they do not hold, and those that show it."""
_FIX = "List each group once: a key, or a tuple of keys if there are several columns."

Keys = tuple[object, ...]


def checked_list(groups: Iterable[object], columns: int) -> tuple[Keys, ...]:
    """The groups as tuples of keys, as many as there are columns, all different as texts."""
    if isinstance(groups, str | bytes) or not isinstance(groups, Iterable):
        raise InvalidParameterError("groups", groups, 'a list, "public" or "private"', _FIX)
    listed = tuple(_keys(group, columns) for group in groups)
    if not listed:
        raise InvalidParameterError("groups", [], "a list of at least one group", _FIX)
    seen = set()
    for keys in listed:
        text = tuple(map(_text, keys))
        if text in seen:
            group = keys[0] if len(keys) == 1 else keys
            raise InvalidParameterError("groups", group, "in the list only once", _FIX)
        seen.add(text)
    return listed


def rows_in_list(rows: TableRows, listed: Sequence[Keys]) -> TableRows:
    """The rows of listed groups, each with its place in the list as its only key."""
    import pyarrow

    names = [f"t{place}" for place in range(len(rows.keys))]
    texts = {
        name: pyarrow.array([_text(keys[place]) for keys in listed], pyarrow.string())
        for place, name in enumerate(names)
    }
    connection = rows.table.connection
    connection.register("relgauss_texts", pyarrow.table({"k0": range(len(listed)), **texts}))
    kinds = connection.sql(f"SELECT {rows.key_list} FROM {rows.source}").types
    written = [f"{_as_column(name, kind)} AS {name}" for name, kind in zip(names, kinds, strict=True)]
    with refusals():
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE {_LISTED} AS SELECT k0, {', '.join(written)} FROM relgauss_texts"
        )
    _refuse_twice(rows, listed, names)
    same = " AND ".join(
        f"CAST(a.{key} AS VARCHAR) = b.{name}" for key, name in zip(rows.keys, names, strict=True)
    )
    columns = ", ".join(("b.k0", *(f"a.{value}" for value in rows.values), "a.p"))
    # A row outside of the list stays, without a group: whose row it is may have to be counted.
    source = f"(SELECT {columns} FROM {rows.source} AS a LEFT JOIN {_LISTED} AS b ON {same})"
    return replace(rows, source=source, keys=("k0",))


def _as_column(text: str, kind: Any) -> str:
    """SQL for a key of the list as a column of this type writes it, or as it is if none of its values is."""
    if kind.id == "varchar":
        return text
    value = f"TRY_CAST({text} AS {kind})"
    wider = _WIDER.get(kind.id)
    is_rounded = ""
    if wider is not None:
        is_rounded = f"WHEN TRY_CAST({text} AS {wider}) <> CAST({value} AS {wider}) THEN {text} "
    return f"CASE {is_rounded}WHEN {value} IS NULL THEN {text} ELSE CAST({value} AS VARCHAR) END"


def _refuse_twice(rows: TableRows, listed: Sequence[Keys], names: Sequence[str]) -> None:
    """Refuse two listed groups that one row would be in."""
    by = ", ".join(names)
    twice = rows.table.rows(f"SELECT max(k0) FROM {_LISTED} GROUP BY {by} HAVING count(*) > 1 LIMIT 1")
    if twice:
        keys = listed[twice[0][0]]
        raise InvalidParameterError(
            "groups", keys[0] if len(keys) == 1 else keys, "in the list only once", _FIX
        )


def _keys(group: object, columns: int) -> Keys:
    keys = tuple(group) if isinstance(group, tuple | list) else (group,)
    if len(keys) != columns or any(key is None or isinstance(key, tuple | list | dict) for key in keys):
        raise InvalidParameterError("groups", group, f"{columns} keys for each group", _FIX)
    return keys


def _text(key: object) -> str:
    """A key as text, which reads it; there is one zero."""
    if isinstance(key, float) and key == 0:
        return "0.0"
    return str(key).lower() if isinstance(key, bool) else str(key)
