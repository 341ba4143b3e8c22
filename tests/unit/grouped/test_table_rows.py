"""Rows are in the same group, and of the same person, if and only if what they say is the same text."""

import math
from decimal import Decimal

import pandas as pd
import pyarrow as pa
import pytest

from relgauss.grouped.cell_tables import ValueColumn, count_column
from relgauss.grouped.group_list import checked_list, rows_in_list
from relgauss.grouped.signed_grid import LogGrid, SignedGrid
from relgauss.grouped.table_rows import TableRows
from relgauss.grouped.totals import total_by_group
from relgauss.grouped.value_rule import ValueRule
from relgauss.records.tables import open_table

FLOATS = [pa.float32(), pa.float64()]


@pytest.mark.parametrize("kind", FLOATS, ids=str)
def test_a_number_that_is_none_is_nobody(kind: pa.DataType):
    """Else all rows without a number would be those of one person, of whom few are kept."""
    who = pa.array([1.0, math.nan, None, -math.nan], kind)
    with open_table(pa.table({"who": who, "job": ["a"] * 4})) as table:
        rows = TableRows.of(table, ["job"], [], "who")
        found = [person for (person,) in table.rows(f"SELECT p FROM {rows.source}")]
    assert found == ["1", None, None, None]


@pytest.mark.parametrize(
    ("who", "persons"),
    [
        (pa.array([17.0, -0.0, 0.0, 2.5]), ["17", "0", "0", "2.5"]),
        (pa.array([math.inf, -1e300, 2.0**53]), ["inf", "-1e+300", "9007199254740992"]),
        (pa.array(["17", "17.0", "17.00", "-3.0", "a.0", "1.05"]), ["17", "17", "17", "-3", "a.0", "1.05"]),
        (pa.array(["1234567890123456", "1234567890123456.0"]), ["1234567890123456"] * 2),
        (pa.array(["9" * 30, "9" * 30 + ".0"]), ["9" * 30] * 2),
        (pa.array(["-0.0", "0.0", "0", "-0", "1.5", "1.5e00"]), ["0", "0", "0", "0", "1.5", "1.5"]),
        (pa.array(["1e+05", "1E5", "1.0E5", "1.25e1", "-2e+02"]), ["100000"] * 3 + ["1.25e1", "-200"]),
        (pa.array([2.0**60, 1e22]), [str(2**60), str(10**22)]),
        (pa.array([2.0**60], pa.float32()), [str(2**60)]),
        (
            pa.array([repr(2.0**60), "1e+22", "1e38", "2e38", "1e-05"]),
            [str(2**60), str(10**22), str(int(1e38)), "2e38", "1e-05"],
        ),
    ],
)
def test_a_whole_number_is_one_person_however_it_is_written(who: pa.Array, persons: list[str]):
    """A file in which somebody is missing is written with 17.0 by many programs, and another with 17."""
    with open_table(pa.table({"who": who, "job": ["a"] * len(who)})) as table:
        rows = TableRows.of(table, ["job"], [], "who")
        assert [person for (person,) in table.rows(f"SELECT p FROM {rows.source}")] == persons


@pytest.mark.parametrize("whole", [17, 2**53, 10**16, 2**60, 10**22])
def test_equal_whole_numbers_of_any_type_are_one_person(whole: int):
    """Together in a column without a type: a database gives Decimal, a part with gaps holds floats."""
    cells = [whole, float(whole), Decimal(whole), Decimal(f"{whole}.00"), str(whole), repr(float(whole))]
    who = pd.Series(cells, dtype=object)
    with open_table(pd.DataFrame({"who": who, "job": "a"})) as table:
        rows = TableRows.of(table, ["job"], [], "who")
        assert table.rows(f"SELECT DISTINCT p FROM {rows.source}") == [(str(whole),)]


def test_numbers_among_texts_are_shown_as_they_are():
    grades = pd.DataFrame({"grade": pd.Series([1.5, "x", Decimal("2.50"), 3.0, "7e00"], dtype=object)})
    with open_table(grades) as table:
        rows = TableRows.of(table, ["grade"], [], None)
        found = [key for (key,) in table.rows(f"SELECT k0 FROM {rows.source}")]
    assert found == ["1.5", "x", "2.50", "3", "7e00"]


def test_instants_with_a_time_zone_are_groups():
    """Python holds none without a package of its own, which showed when the budget was spent."""
    instants = pa.array([0, 1, 0], pa.timestamp("s", "UTC"))
    with open_table(pa.table({"at": instants, "pay": [1.0] * 3})) as table:
        rule, grid = ValueRule(1.0, 1e6), SignedGrid(LogGrid.over(1.0, 1e6))
        groups = next(count_column(table, "at", "pay", ValueColumn(rule, grid)).batches()).groups
    assert len(groups) == 2
    assert all(isinstance(each, str) and each.startswith("19") for each in groups)


EQUAL_BUT_NOT_IDENTICAL = {
    "zeros": ("CAST(0.0 AS DOUBLE)", "CAST('-0.0' AS DOUBLE)", ["0.0", "0.0"]),
    "short zeros": ("CAST(0.0 AS FLOAT)", "CAST('-0.0' AS FLOAT)", ["0.0", "0.0"]),
    "without case": ("'Ann' COLLATE NOCASE", "'ANN' COLLATE NOCASE", ["ANN", "Ann"]),
    "without accents": ("'e' COLLATE NOACCENT", "'é' COLLATE NOACCENT", ["e", "é"]),
    "intervals": ("INTERVAL '1 month'", "INTERVAL '30 days'", ["1 month", "30 days"]),
    "lists": ("[CAST(0.0 AS DOUBLE)]", "[CAST('-0.0' AS DOUBLE)]", ["[-0.0]", "[0.0]"]),
    "records": ("{'a': INTERVAL '1 month'}", "{'a': INTERVAL '30 days'}", None),
}
PAIRS = pytest.mark.parametrize("kind", EQUAL_BUT_NOT_IDENTICAL)


def query(kind: str, turned: bool = False) -> str:
    """Both spellings, in this order or in the other."""
    first, second, _ = EQUAL_BUT_NOT_IDENTICAL[kind]
    first, second = (second, first) if turned else (first, second)
    return f"SELECT {first} AS x, 1.0 AS pay UNION ALL SELECT {second} AS x, 1.0 AS pay"


@PAIRS
@pytest.mark.parametrize("turned", [False, True])
def test_equal_keys_are_identical(kind: str, turned: bool):
    """No group is shown as one of its records writes it, nor as the first of them does."""
    with open_table(pa.table({"n": [1]}), query=query(kind, turned)) as table:
        rows = TableRows.of(table, ["x"], [], None)
        texts = [text for (text,) in table.rows(f"SELECT CAST(k0 AS VARCHAR) AS t FROM {rows.source}")]
        (distinct,) = table.rows(f"SELECT count(DISTINCT k0) FROM {rows.source}")[0]
    assert distinct == len(set(texts))
    assert sorted(texts) == (EQUAL_BUT_NOT_IDENTICAL[kind][2] or sorted(texts))


@PAIRS
def test_means_by_group_have_such_keys_too(kind: str):
    rule, grid = ValueRule(1.0, 1e6), SignedGrid(LogGrid.over(1.0, 1e6))
    shown = []
    for turned in (False, True):
        with open_table(pa.table({"n": [1]}), query=query(kind, turned)) as table:
            groups = next(count_column(table, "x", "pay", ValueColumn(rule, grid)).batches()).groups
            assert repr(groups) == repr(total_by_group(table, "x", "pay", rule).groups)
            shown.append(repr(groups))
    assert shown[0] == shown[1]


@pytest.mark.parametrize("kind", ["without case", "without accents"])
def test_texts_that_compare_as_equal_are_different_persons_and_in_one_listed_group_each(kind: str):
    with open_table(pa.table({"n": [1]}), query=query(kind)) as table:
        rows = TableRows.of(table, ["x"], [], "x")
        assert table.rows(f"SELECT count(DISTINCT p) FROM {rows.source}") == [(2,)]
        listed = rows_in_list(rows, checked_list(EQUAL_BUT_NOT_IDENTICAL[kind][2] or [], 1))
        assert sorted(table.rows(f"SELECT k0 FROM {listed.source}")) == [(0,), (1,)]


def test_a_listed_zero_is_the_zero_of_the_table():
    with open_table(pa.table({"x": [0.0, -0.0]})) as table:
        rows = rows_in_list(TableRows.of(table, ["x"], [], None), checked_list([1.0, -0.0], 1))
        assert table.rows(f"SELECT k0 FROM {rows.source}") == [(1,), (1,)]
