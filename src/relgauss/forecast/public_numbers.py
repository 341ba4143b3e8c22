"""The public numbers of a table: its groups and their sizes, or its numbers of rows and of features.

Only the group column, or no column at all, is asked for; what other columns hold is not part of any query.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from relgauss.errors import InvalidParameterError, TableError
from relgauss.grouped.public_keys import check_sizes
from relgauss.grouped.table_rows import TableRows
from relgauss.records.columns import read_columns
from relgauss.records.tables import open_table


def group_sizes(
    data: object,
    *,
    by: str | Sequence[str],
    value: str | Sequence[str],
    table: str | None = None,
    query: str | None = None,
) -> dict[object, int]:
    """The groups of a table and their numbers of rows, which are public where such groups are released.

    Parameters
    ----------
    data
        The table, as ``release_means`` takes it.
    by
        The column of groups, or several: a group then is a tuple of its keys.
    value
        The columns of values: they must be there, of a type that may hold numbers, and are not read.
    table, query
        As for ``release_means``.
    """
    groups, values = ([each] if isinstance(each, str) else list(each) for each in (by, value))
    if set(groups) & set(values):
        raise InvalidParameterError(
            "by", by, "other columns than those of values", "Groups are public, values are not."
        )
    with open_table(data, table=table, query=query) as opened:
        for each in values:
            opened.may_hold_numbers(each)
        found = TableRows.of(opened, groups, [], None)  # groups as a release finds and shows them
        counts = f"SELECT {found.key_list}, count(*) FROM {found.source} WHERE {found.has_group}"
        rows = opened.rows(f"{counts} GROUP BY {found.key_list} ORDER BY {found.key_list}")
    if not rows:
        names = " and ".join(map(repr, groups))
        raise TableError(f"No row of the table has a group in {names}.", "Check the column and the query.")
    check_sizes(groups, np.array([row[-1] for row in rows]))
    return {key[0] if len(key) == 1 else tuple(key): int(size) for *key, size in rows}


def columns_of_text(
    data: object, values: Sequence[str], *, table: str | None = None, query: str | None = None
) -> list[str]:
    """Which of these columns are of text, as all of a CSV file are: whether they hold numbers is not read."""
    with open_table(data, table=table, query=query) as opened:
        return [each for each in values if not opened.holds_numbers(each)]


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
        # Which columns of text are of booleans would have to be read, and changes none of these numbers.
        columns, _ = read_columns(opened, target, features, categories or {}, booleans=())
        count = opened.count()
    if count == 0:
        raise TableError("The table has no rows.", "Check the file or the query.")
    return count, tuple(label for column in columns for label in column.labels)
