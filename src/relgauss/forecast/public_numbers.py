"""The public numbers of a table: its groups and their sizes, or its numbers of rows and of features.

Only the group column, or no column at all, is asked for; what other columns hold is not part of any query.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from relgauss.errors import InvalidParameterError, TableError
from relgauss.records.columns import read_columns
from relgauss.records.tables import open_table


def group_sizes(
    data: object, *, by: str, value: str, table: str | None = None, query: str | None = None
) -> dict[object, int]:
    """The groups of a table and their numbers of rows, which are public where means are released.

    Parameters
    ----------
    data
        The table, as ``release_means`` takes it.
    by
        The column of groups.
    value
        The column of values: it must be there, and is not read.
    table, query
        As for ``release_means``.
    """
    if by == value:
        raise InvalidParameterError(
            "by", by, "another column than value", "Groups are public, values are not."
        )
    with open_table(data, table=table, query=query) as opened:
        opened.column(value)
        key = opened.column(by)
        counts = f"SELECT {key}, count(*) FROM {opened.source} WHERE {key} IS NOT NULL"
        rows = opened.rows(f"{counts} GROUP BY {key} ORDER BY {key}")
    if not rows:
        raise TableError(f"No row of the table has a group in {by!r}.", "Check the column and the query.")
    return {group: int(size) for group, size in rows}


def numbers_for_fit(
    data: object,
    *,
    target: str,
    features: Sequence[str] | None = None,
    categories: Mapping[str, Sequence[str]] | None = None,
    table: str | None = None,
    query: str | None = None,
) -> tuple[int, tuple[str, ...]]:
    """The number of rows of a table and the names of the features, those of categories among them.

    Parameters
    ----------
    data
        The table, as ``read_records`` takes it.
    target, features, categories
        The columns, as there.
    table, query
        As there.
    """
    with open_table(data, table=table, query=query) as opened:
        columns, _ = read_columns(opened, target, features, categories or {})
        count = opened.count()
    if count == 0:
        raise TableError("The table has no rows.", "Check the file or the query.")
    return count, tuple(label for column in columns for label in column.labels)
