"""Groups of a public list are found by their text, whatever their type in the table."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from relgauss.errors import InvalidParameterError
from relgauss.grouped import release_table
from relgauss.grouped.group_list import checked_list, rows_in_list
from relgauss.grouped.table_rows import TableRows
from relgauss.records.tables import open_table

DAY = datetime.date(2016, 5, 4)


def places(columns: dict[str, list[object]], groups: list[object]) -> list[int | None]:
    """Which group of the list each row is in."""
    names = list(columns)
    with open_table(pa.table({**columns, "x": list(range(len(columns[names[0]])))})) as table:
        rows = rows_in_list(TableRows.of(table, names, ["x"], None), checked_list(groups, len(names)))
        return [row[0] for row in table.rows(f"SELECT k0 FROM {rows.source} ORDER BY v0")]


@pytest.mark.parametrize(
    ("column", "groups", "expected"),
    [
        (["b", "a", None, "c"], ["a", "b"], [1, 0, None, None]),
        ([2016, 2017, 2018], [2018, "2016"], [1, None, 0]),
        ([True, False], [False], [None, 0]),
        ([DAY, None], [DAY], [0, None]),
        ([DAY, None], [datetime.datetime(2016, 5, 4), "2016-05-04 10:00"], [0, None]),
        ([datetime.datetime(2016, 5, 4)], ["2016-05-04"], [0]),
        ([2016.0, None, 2017.0], [2017, "2016"], [1, None, 0]),
        ([2016, 2017], [2016.0, 2016.5], [0, None]),
        ([2**53 + 1, 2**53], [2**53 + 1], [0, None]),
        ([True, False], [np.True_, "False"], [0, 1]),
        ([Decimal("1.50"), Decimal("1.55")], [1.5, "1.551"], [0, None]),
        (["2016", "2016.0"], [2016], [0, None]),
    ],
)
def test_keys_are_read_as_the_column_writes_them(
    column: list[object], groups: list[object], expected: list[int | None]
):
    assert places({"k": column}, groups) == expected


def test_groups_of_several_columns():
    columns = {"job": ["a", "a", "b"], "year": [1, 2, 1]}
    assert places(columns, [("b", 1), ("a", 1)]) == [1, None, 0]


@pytest.mark.parametrize("groups", [[], ["a", "a"], [1, "1"], [None], [("a", "b")], "ab"])
def test_a_wrong_list_is_refused(groups: object):
    with pytest.raises(InvalidParameterError, match="groups"):
        checked_list(groups, 1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("column", "groups"),
    [
        ([2016.0], [2016, 2016.0]),
        ([DAY], ["2016-05-04", datetime.datetime(2016, 5, 4)]),
        ([True], [True, "True"]),
    ],
)
def test_two_keys_of_one_group_are_refused(column: list[object], groups: list[object]):
    """A row in both would count twice."""
    with pytest.raises(InvalidParameterError, match="only once"):
        places({"k": column}, groups)


def test_a_series_is_a_list_of_groups():
    assert checked_list(pd.Series(["a", "b"]), 1) == (("a",), ("b",))
    pay = pa.table({"job": ["a", "b"] * 50, "pay": [1.0] * 100})
    asked = {"by": "job", "values": {"pay": ["mean"]}, "epsilon": 1.0, "delta": 1e-6}
    assert len(release_table(pay, groups=pd.Series(["a", "b", "c"]), **asked)) == 3
