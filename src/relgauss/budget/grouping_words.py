"""How a statement says that a record stays in its group: by which columns, so that unlike groupings differ.

A release by job protects a record against any other of the same job, one by job and region against fewer:
whoever keeps the job alone covers both. By job and by region, neither covers the other; both cover job and
region together.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

SAME_GROUP = "one record replaced by another of the same group"
"""How the words begin."""

_PUBLIC = "; groups and their sizes are public"
FIRST_DECIDES = f"{SAME_GROUP}, by the columns of the first release{_PUBLIC}"
"""Of a ledger whose first grouped release is to say which columns."""


def within_groups(columns: Iterable[str]) -> str:
    """The words for groups by these columns; their order does not matter."""
    return f"{SAME_GROUP} by {', '.join(map(repr, sorted({str(column) for column in columns})))}{_PUBLIC}"


def grouping_columns(words: str) -> frozenset[str] | None:
    """The columns that ``within_groups`` named; None where the words say something else."""
    start = f"{SAME_GROUP} by "
    if not (words.startswith(start) and words.endswith(_PUBLIC)):
        return None
    try:
        found = ast.literal_eval(f"[{words.removeprefix(start).removesuffix(_PUBLIC)}]")
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    columns = frozenset(each for each in found if isinstance(each, str))
    return columns if within_groups(columns) == words else None


def covers(offered: str, needed: str) -> bool:
    """Whether protection within the groups of ``offered`` is protection within those of ``needed``."""
    kept, all_kept = grouping_columns(offered), grouping_columns(needed)
    if kept is None:
        return False
    return needed == FIRST_DECIDES or (all_kept is not None and kept <= all_kept)
