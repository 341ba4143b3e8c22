"""Groups that are not as found: those of a public list, or found privately; numbered from 0."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.grouped.cell_tables import GROUPS, number_groups
from relgauss.grouped.group_list import Keys
from relgauss.grouped.person_bounds import PersonBounds
from relgauss.grouped.private_groups import find_groups
from relgauss.grouped.table_rows import TableRows
from relgauss.records.duckdb_connection import refusals

PersonsByGroup = Callable[[TableRows, int], NDArray[np.int64]]


def groups_of_list(rows: TableRows, listed: Sequence[Keys]) -> int:
    """Number the groups of a list, whether or not any row is in them."""
    _execute(
        rows, f"SELECT CAST(range AS INTEGER) AS k0, CAST(range AS INTEGER) AS g FROM range({len(listed)})"
    )
    return len(listed)


def groups_found_privately(
    rows: TableRows,
    persons_by_group: PersonsByGroup,
    bounds: PersonBounds,
    mu: float,
    leak: float,
    rng: np.random.Generator | None,
) -> FloatArray:
    """Number the groups whose noisy count of persons passes the threshold, and return these counts."""
    found = find_groups(persons_by_group(rows, number_groups(rows)), bounds, mu, leak, rng)
    _keep(rows, np.flatnonzero(found.shows))
    return found.counts[found.shows]


def _keep(rows: TableRows, shown: NDArray[np.intp]) -> None:
    """Number the groups that show anew."""
    import pyarrow

    places = pyarrow.table({"g": shown.astype(np.int64), "new": np.arange(len(shown))})
    rows.table.connection.register("relgauss_shown", places)
    columns = ", ".join(f"a.{key}" for key in rows.keys)
    joined = f"{GROUPS} AS a JOIN relgauss_shown AS b USING (g)"
    _execute(rows, f"SELECT {columns}, CAST(b.new AS INTEGER) AS g FROM {joined}")


def _execute(rows: TableRows, sql: str) -> None:
    with refusals():
        rows.table.connection.execute(f"CREATE OR REPLACE TEMP TABLE {GROUPS} AS {sql}")
