"""How a column of a frame is read is decided by its type, never by a value."""

from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from relgauss.errors import TableError
from relgauss.grouped.table_rows import key_sql, person_sql
from relgauss.records.frames import as_arrow
from relgauss.records.tables import open_table

ROWS = 400


def untyped(cell: object, last: object) -> pd.Series:
    return pd.Series([cell] * (ROWS - 1) + [last], dtype=object)


@pytest.mark.parametrize("cell", [2.5, 1, np.float64(2.5), np.int64(1), Decimal("2.5"), True, "x"], ids=repr)
@pytest.mark.parametrize("last", ["7,0", 3, 4.5, None, b"x", "\ud800"], ids=ascii)
def test_no_record_changes_how_others_are_read(cell: object, last: object):
    alike, changed = (as_arrow(pd.DataFrame({"c": untyped(cell, end)}))["c"] for end in (cell, last))
    assert alike.type == changed.type == pa.large_string()
    assert changed.to_pylist()[:-1] == alike.to_pylist()[:-1]


@pytest.mark.parametrize("style", [None, "1.234,50", "$1,234.50"])
@pytest.mark.parametrize("last", [3.5, "7,0"])
@pytest.mark.parametrize("cell", [2.5, np.float32(2.5), np.longdouble(2.5), Decimal("2.5")], ids=repr)
def test_numbers_are_read_in_every_style(cell: object, last: object, style: str | None):
    with open_table(pd.DataFrame({"pay": untyped(cell, last)}), numbers=style) as table:
        read = table.rows(f"SELECT {table.numbers('pay')} FROM {table.source}")
    assert read[:-1] == [(2.5,)] * (ROWS - 1)


@pytest.mark.parametrize("cell", [1.0, np.float32(1.0), Decimal("1.00"), 0.25], ids=repr)
def test_a_float_is_a_number_in_a_column_in_percent_whether_it_is_whole_or_not(cell: object):
    """A whole number without a sign may be a hundred times as much, and is none."""
    frame = pd.DataFrame({"rate": pd.Series([cell, "25 %", 1, "1"], dtype=object)})
    with open_table(frame, numbers="1234.5 %") as table:
        read = table.rows(f"SELECT {table.numbers('rate')}, {key_sql(table, 'rate')} FROM {table.source}")
    assert read == [(float(cell), f"{float(cell):g}"), (0.25, "25 %"), (None, "1"), (None, "1")]


def test_the_error_of_a_lazy_frame_does_not_quote_a_record():
    lazy = pl.LazyFrame({"pay": ["7", "secret"]}).with_columns(pl.col("pay").cast(pl.Int64))
    with (
        pytest.raises(TableError, match=r"^The lazy frame cannot be computed \(\w+\)") as caught,
        open_table(lazy),
    ):
        pass
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "frame", [pd.DataFrame(), pd.DataFrame(index=range(5)), pl.DataFrame(), pa.table({})]
)
def test_a_frame_without_columns_is_refused(frame: object):
    with pytest.raises(TableError, match="no columns"), open_table(frame):
        pass


@pytest.mark.parametrize("last", ["b", 7])
def test_text_stays_as_it_is(last: object):
    frame = pd.DataFrame({"job": pd.Series(["a", "", " 1", None, last], dtype=object)})
    assert as_arrow(frame)["job"].to_pylist() == ["a", "", " 1", None, str(last)]


MISSING = [None, float("nan"), pd.NA, pd.NaT, np.datetime64("NaT"), Decimal("sNaN"), 10**5000]


@pytest.mark.parametrize("cell", MISSING, ids=lambda cell: type(cell).__name__)
def test_what_is_missing_is_no_text(cell: Any):
    assert as_arrow(pd.DataFrame({"c": untyped(1, cell)}))["c"].to_pylist()[-1] is None


def test_typed_columns_keep_their_types():
    frame = pd.DataFrame({"a": [1.5, 2.5], "b": pd.Series([1, "x"], dtype=object), "c": [1, 2]})
    read = as_arrow(frame)
    assert read.column_names == ["a", "b", "c"]
    assert [str(kind) for kind in read.schema.types] == ["double", "large_string", "int64"]


def test_objects_of_polars_are_text_too():
    frame = pl.DataFrame({"a": [1.5, 2.5], "b": pl.Series([2.5, "x"], dtype=pl.Object)})
    assert as_arrow(frame).to_pydict() == {"a": [1.5, 2.5], "b": ["2.5e00", "x"]}


def test_intervals_of_pandas_are_text_whatever_they_hold():
    """DuckDB fails on categories that are intervals, if there are many rows."""
    ages = np.arange(5_000.0) % 90
    frame = pd.DataFrame({"age": pd.cut(pd.Series(ages), [0, 30, 50, 100]), "pay": ages})
    with open_table(frame) as table:
        found = table.rows(f"SELECT age, count(*) FROM {table.source} GROUP BY 1")
    texts = frame["age"].astype(object).map(str, na_action="ignore")
    assert dict(found) == {**texts.value_counts(), None: int(texts.isna().sum())}
    empty = frame.iloc[:0]
    assert as_arrow(empty)["age"].type == as_arrow(frame)["age"].type == pa.large_string()


@pytest.mark.parametrize("categories", [False, True])
def test_periods_and_intervals_of_pandas_are_read_as_pandas_writes_them(categories: bool):
    """Arrow stores a period as the number of months since 1970, and an interval as its two ends."""
    periods = pd.Series(pd.PeriodIndex(["2020-01", "2021-02", None], freq="M"))
    intervals = pd.Series(pd.arrays.IntervalArray.from_tuples([(0, 1), (1, 2), None]))
    frame = pd.DataFrame({"month": periods, "age": intervals})
    read = as_arrow(frame.astype("category") if categories else frame)
    assert read["month"].to_pylist() == ["2020-01", "2021-02", None]
    assert [str(each)[:2] for each in read["age"].to_pylist()] == ["(0", "(1", "No"]


@pytest.mark.parametrize("kind", ["float16", "decimal256"])
def test_numbers_that_duckdb_does_not_know_are_numbers(kind: str):
    types = {"float16": pa.float16(), "decimal256": pa.decimal256(50, 2)}
    values = [np.float16(1.5), np.float16(-2.25)] if kind == "float16" else [Decimal("1.5"), Decimal("-2.25")]
    with open_table(pa.table({"pay": pa.array(values, types[kind])})) as table:
        assert table.rows(f"SELECT {table.numbers('pay')} FROM {table.source}") == [(1.5,), (-2.25,)]


@pytest.mark.parametrize("names", [[0, 1], [("a", "x"), ("a", "y")], ["a", 1]], ids=str)
def test_columns_that_are_not_called_by_text_are_refused(names: list[Any]):
    frame = pd.DataFrame([[1.0, 2.0]], columns=pd.Index(names))
    with pytest.raises(TableError, match=r"which is no text\. Name all columns by text"):
        as_arrow(frame)


OF_CATEGORIES = [[1, 2], [1.0, 2.0], [1.5, 2.0], [True, False], ["1", "2"], [Decimal("1.5"), Decimal("2")]]


@pytest.mark.parametrize("cells", OF_CATEGORIES, ids=str)
@pytest.mark.parametrize(
    "last", ["x", 2.5, 2**70, True, Decimal("2.25"), pd.Timestamp("2020-01-01")], ids=str
)
def test_no_category_changes_how_others_are_read(cells: list[Any], last: object):
    """Pandas infers the type of all categories from those that occur, and keys are published with theirs."""
    frames = [pd.DataFrame({"c": untyped(cells[1], each).astype("category")}) for each in (cells[0], last)]
    keys = []
    for frame in frames:
        with open_table(frame) as table:
            keys.append(table.rows(f"SELECT {key_sql(table, 'c')} FROM {table.source}")[:-1])
    assert keys[0] == keys[1]


INSTANTS = [pa.timestamp(unit, zone) for unit in ("s", "ms", "us", "ns") for zone in (None, "UTC")]
DURATIONS = [pa.duration(unit) for unit in ("s", "ms", "us", "ns")]


@pytest.mark.parametrize("last", [2**63 - 1, -(2**63), -(2**63) + 1])
@pytest.mark.parametrize("kind", INSTANTS + DURATIONS + [pa.time64("us"), pa.time64("ns")], ids=str)
def test_no_instant_and_no_duration_fails(kind: pa.DataType, last: int):
    """Whoever is the only one with it would be told by the error."""
    moments = [pa.array([0, 10**9, each], pa.int64()).view(kind) for each in (10**9, last)]
    read = []
    for each in moments:
        with open_table(pa.table({"c": each})) as table:
            source = f"(SELECT {key_sql(table, 'c')} AS k, {person_sql(table, 'c')} AS p FROM {table.source})"
            read.append(table.rows(f"SELECT k, p FROM {source}"))
    assert read[0][:-1] == read[1][:-1]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_a_missing_duration_of_pandas_is_missing(unit: str):
    """It is the lowest number there, which DuckDB failed to convert although it is marked as missing."""
    frame = pd.DataFrame(
        {"c": pd.Series(pd.to_timedelta([1, None], unit="s")).astype(f"timedelta64[{unit}]")}
    )
    with open_table(frame) as table:
        assert table.rows(f"SELECT {key_sql(table, 'c')} FROM {table.source}") == [("00:00:01",), (None,)]


def test_no_decimal_fails_whatever_the_process_asked_for():
    """Whether a cell is a Decimal, and not a float, is of the record."""
    cells = [Decimal("1.5"), Decimal(2), Decimal("Infinity"), Decimal("1E+50"), Decimal("1E-999999")]
    with localcontext() as context:
        context.traps = dict.fromkeys(context.traps, True)
        read = as_arrow(pd.DataFrame({"c": pd.Series([*cells, 1.5], dtype=object)}))["c"].to_pylist()
    assert read == ["1.5e00", "2", "Infinity", "1E+50", "1E-999999", "1.5e00"]
