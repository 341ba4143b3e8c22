"""Groups as found are published with their keys and sizes: what looks like private values there is refused.

Both are public in that promise, so a refusal may rest on them. It comes before anything is spent.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from relgauss.errors import TableError
from relgauss.grouped.cell_tables import GROUPS, rows_by_group
from relgauss.grouped.table_rows import TableRows
from relgauss.records.duckdb_connection import literal

_TINY = 2  # rows: so few are of one person or two
_MOSTLY = 0.5  # of the groups
_A_GROUP = 5.0  # rows in the mean; where groups have more, a long tail of rare keys is all that is tiny
_LEAST_GROUPS = 20  # fewer are hardly identities or amounts
_FIX = (
    "Group by public columns (are --by and --value swapped?), or by coarser ones. If keys or sizes are "
    "private, let `relgauss table` find the groups (--groups private) or list them (--groups FILE)."
)


def check_found_groups(rows: TableRows, by: Sequence[str], groups: int) -> NDArray[np.int64]:
    """The sizes of numbered groups that are as found, if they look like groups."""
    sizes = rows_by_group(rows, groups)
    check_sizes(by, sizes)
    for name, key in zip(by, rows.keys, strict=True):
        _refuse_amounts(rows, name, key, groups)
    return sizes


def check_sizes(by: Sequence[str], sizes: NDArray[np.int64]) -> None:
    """Refuse columns that tell single rows apart, as identities and amounts do."""
    tiny = int((sizes <= _TINY).sum())
    if len(sizes) < _LEAST_GROUPS or tiny <= _MOSTLY * len(sizes) or sizes.sum() >= _A_GROUP * len(sizes):
        return
    raise TableError(
        f"{tiny:,} of {len(sizes):,} groups by {_names(by)} have one or two rows, and the keys and sizes of "
        "groups as found are published as they are.",
        _FIX,
    )


def _refuse_amounts(rows: TableRows, name: str, key: str, groups: int) -> None:
    """Refuse a column whose keys are amounts: written with the currency, percent or thousands of a style."""
    style = rows.table.style_of(name)
    marks = "" if style is None else style.marks
    if style is None or not marks:
        return
    pattern = literal(f"[{re.escape(marks)}]")
    written = f"count(CASE WHEN regexp_matches({key}, {pattern}) THEN {style.sql(key)} END)"
    amounts = int(rows.table.rows(f"SELECT {written} FROM {GROUPS}")[0][0])
    if amounts > _MOSTLY * groups:
        raise TableError(
            f"{amounts:,} of {groups:,} groups by {name!r} are amounts, as numbers are written here, and the "
            "keys and sizes of groups as found are published as they are.",
            _FIX,
        )


def _names(by: Sequence[str]) -> str:
    return ", ".join(map(repr, by))
