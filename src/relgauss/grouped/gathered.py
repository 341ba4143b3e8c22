"""One pass over the rows of a table: all exact numbers that a release will need, in tables of the connection.

Nothing here is protected yet. Rows of several partitions are gathered one by one and added up: persons must
not be spread over partitions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.grouped.cell_tables import GROUPS, count_cells, numbers_by_group
from relgauss.grouped.chosen_bounds import histograms
from relgauss.grouped.group_list import rows_in_list
from relgauss.grouped.kept_rows import keep_within
from relgauss.grouped.person_bounds import PersonBounds
from relgauss.grouped.person_counts import fates_of_persons, fates_of_rows
from relgauss.grouped.table_question import TableQuestion
from relgauss.grouped.table_rows import TableRows
from relgauss.records.duckdb_connection import refusals
from relgauss.records.tables import Table

PERSONS = "relgauss_persons"


def rows_asked_for(table: Table, question: TableQuestion) -> TableRows:
    """The rows of a table, in groups of the list if there is one."""
    rows = TableRows.of(table, question.by, tuple(question.values), question.person)
    return rows_in_list(rows, question.groups) if isinstance(question.groups, tuple) else rows


def rows_and_groups_a_person(rows: TableRows, question: TableQuestion) -> NDArray[np.int64]:
    """Histograms of persons by the rows of their largest group and by their groups, a row of each."""
    return histograms(rows, question.without_person)


def gather(rows: TableRows, question: TableQuestion, bounds: PersonBounds, key: str) -> FloatArray:
    """Keep what the bounds allow, count cells and persons; return the counts of persons by their fates."""
    if question.person is None:
        count_cells(rows, question.columns)
        return fates_of_rows(rows)
    kept = keep_within(rows, bounds, question.without_person, key)
    count_cells(kept, question.columns)
    persons = "count(DISTINCT p) + count(*) FILTER (p IS NULL)"
    with refusals():
        rows.table.connection.execute(
            f"CREATE OR REPLACE TEMP TABLE {PERSONS} AS "
            f"SELECT {kept.key_list}, {persons} AS n FROM {kept.source} GROUP BY {kept.key_list}"
        )
    return fates_of_persons(rows, kept, bounds, question.without_person == "left out")


def persons_by_group(rows: TableRows, groups: int) -> NDArray[np.int64]:
    """The persons of each numbered group; a row that belongs to nobody is one."""
    joined = f"{PERSONS} AS a JOIN {GROUPS} AS b ON {rows.same_keys}"
    return numbers_by_group(rows.table, f"SELECT b.g, a.n FROM {joined}", groups)
