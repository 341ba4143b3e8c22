"""Groups by a public list: which rows are in a group of it, compared as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from relgauss.errors import InvalidParameterError
from relgauss.grouped.table_rows import TableRows

_LISTED = "relgauss_listed"
_FIX = "List each group once: a key, or a tuple of keys if there are several columns."

Keys = tuple[object, ...]


def checked_list(groups: Iterable[object], columns: int) -> tuple[Keys, ...]:
    """The groups as tuples of keys, as many as there are columns, all different as texts."""
    if isinstance(groups, str | bytes):
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
    rows.table.connection.register(_LISTED, pyarrow.table({"k0": range(len(listed)), **texts}))
    same = " AND ".join(
        f"CAST(a.{key} AS VARCHAR) = b.{name}" for key, name in zip(rows.keys, names, strict=True)
    )
    columns = ", ".join(("b.k0", *(f"a.{value}" for value in rows.values), "a.p"))
    # A row outside of the list stays, without a group: whose row it is may have to be counted.
    source = f"(SELECT {columns} FROM {rows.source} AS a LEFT JOIN {_LISTED} AS b ON {same})"
    return replace(rows, source=source, keys=("k0",))


def _keys(group: object, columns: int) -> Keys:
    keys = tuple(group) if isinstance(group, tuple | list) else (group,)
    if len(keys) != columns or any(key is None or isinstance(key, tuple | list | dict) for key in keys):
        raise InvalidParameterError("groups", group, f"{columns} keys for each group", _FIX)
    return keys


def _text(key: object) -> str:
    """A key as DuckDB writes it; there is one zero."""
    if isinstance(key, float) and key == 0:
        return "0.0"
    return str(key).lower() if isinstance(key, bool) else str(key)
