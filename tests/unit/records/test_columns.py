"""Columns of a table as numbers: selection, categories by a public list, missing values by a public rule."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from relgauss.errors import RelgaussError, TableError
from relgauss.records.table_records import TableRecords


def read(data: Any, **options: Any) -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
    """Names, features and labels."""
    with TableRecords(data, **{"target": "y", **options}) as records:
        ((features, labels),) = records.chunks()
        return records.names, features, labels


def frame(**columns: list[Any]) -> pd.DataFrame:
    return pd.DataFrame(columns).assign(y=[1.0, 2.0, 3.0])


def test_all_other_columns_are_features_in_their_order():
    names, features, labels = read(frame(b=[1, 2, 3], a=[4.0, 5.0, 6.0]))
    assert names == ("b", "a")
    assert features.tolist() == [[1, 4], [2, 5], [3, 6]]
    assert labels.tolist() == [1, 2, 3]


def test_features_come_in_the_order_they_are_named():
    names, features, _ = read(frame(a=[1, 2, 3], b=[4, 5, 6], c=["x", "y", "z"]), features=["b", "a"])
    assert names == ("b", "a")
    assert features.tolist() == [[4, 1], [5, 2], [6, 3]]


def test_without_a_target_labels_are_zero():
    _, features, labels = read(frame(a=[1, 2, 3]), target=None)
    assert features.shape == (3, 2)
    assert labels.tolist() == [0, 0, 0]


def test_a_category_is_a_number_for_each_but_the_first_of_the_list():
    names, features, _ = read(
        frame(colour=["red", "blue", "green"]), categories={"colour": ["red", "green", "blue"]}
    )
    assert names == ("colour=green", "colour=blue")
    assert features.tolist() == [[0, 0], [0, 1], [1, 0]]


def test_the_columns_do_not_depend_on_which_categories_occur():
    listed = {"colour": ["red", "green", "blue"]}
    names, features, _ = read(frame(colour=["red", "red", "red"]), categories=listed)
    assert names == ("colour=green", "colour=blue")
    assert not features.any()


def test_a_missing_category_is_like_the_first():
    table = frame(colour=["red", None, "blue"])
    _, features, _ = read(table, categories={"colour": ["red", "blue"]}, missing=0.0)
    assert features.tolist() == [[0], [0], [1]]


@pytest.mark.parametrize("values", [["it's", 'a "b"', "x;y"], ["ä", "日本", "%_"]])
def test_categories_of_any_text(values: list[str]):
    names, features, _ = read(frame(c=values), categories={"c": values})
    assert names == tuple(f"c={value}" for value in values[1:])
    assert features.tolist() == [[0, 0], [1, 0], [0, 1]]


def test_numbers_as_categories():
    _, features, _ = read(frame(year=[2010, 2012, 2011]), categories={"year": [2010, 2011, 2012]})
    assert features.tolist() == [[0, 0], [0, 1], [1, 0]]


CODES: dict[str, Any] = {
    "integers": pd.array([1, 3, None], dtype="Int64"),
    "floats": np.array([1.0, 3.0, np.nan]),
    "single precision": np.array([1.0, 3.0, np.nan], dtype=np.float32),
    "objects": pd.Series([1, 3.0, None], dtype=object),
    "text": ["1", "3", None],
    "text of floats": ["1.0", "3.0", None],
    "categories": pd.Categorical([1.0, 3.0, np.nan]),
    "decimals": pa.array([Decimal("1.00"), Decimal("3.00"), None]),
}


@pytest.mark.parametrize("kind", CODES)
@pytest.mark.parametrize("values", [[1, 2, 3], [1.0, 2.0, 3.0], ["1", "2", "3"], np.arange(1, 4)], ids=repr)
@pytest.mark.parametrize("instead", [2, "2.0"], ids=repr)
def test_codes_that_are_equal_are_the_same_category(kind: str, values: Any, instead: Any):
    """A single gap makes a column of whole numbers one of floats in pandas."""
    data: Any = {"a": CODES[kind], "y": [1.0, 2.0, 3.0]}
    data = pa.table(data) if kind == "decimals" else pd.DataFrame(data)
    names, features, _ = read(data, categories={"a": values}, missing={"a": instead})
    assert names == tuple(f"a={each}" for each in values[1:])
    assert features.tolist() == [[0, 0], [0, 1], [1, 0]]
    with pytest.raises(TableError, match="The column 'a' holds values"):
        read(data, categories={"a": values})


@pytest.mark.parametrize(
    ("cells", "values", "expected"),
    [
        ([0.5, 1.0, -0.0], [0, 0.5, 1], [[1, 0], [0, 1], [0, 0]]),
        (["007", "7", "7"], ["7", "007"], [[1], [0], [0]]),  # text, since some are no numbers
        (["1.0", "1.1", "beta"], ["beta", "1.0", "1.1"], [[1, 0], [0, 1], [0, 0]]),
        ([float("nan"), 2.0, 2.0], [1, 2], [[0], [1], [1]]),
    ],
    ids=repr,
)
def test_only_whole_numbers_among_numbers_are_written_in_many_ways(
    cells: list[Any], values: list[Any], expected: list[list[int]]
):
    data = pa.table({"a": cells, "y": [1.0, 2.0, 3.0]})
    assert read(data, categories={"a": values}, missing=0.0)[1].tolist() == expected


def test_a_long_list_of_categories():
    listed = [str(number) for number in range(200)]
    names, features, _ = read(frame(code=["0", "199", "7"]), categories={"code": listed})
    assert len(names) == 199
    assert [np.flatnonzero(row).tolist() for row in features] == [[], [198], [6]]


@pytest.mark.parametrize("missing", [0.0, -1.5, 7.0])
def test_missing_numbers_take_the_public_value(missing: float):
    data = pa.table({"a": [1.0, None, float("nan")], "y": [1.0, 2.0, 3.0]})
    assert read(data, missing=missing)[1].tolist() == [[1], [missing], [missing]]


@pytest.mark.parametrize("missing", [None, 0.0, {"a": 0.0}, {"y": -1.0}], ids=repr)
def test_a_missing_label_is_refused_unless_it_has_a_number_of_its_own(missing: Any):
    data = pa.table({"a": [1.0, 2.0, 3.0], "y": [None, 2.0, float("nan")]})
    if missing == {"y": -1.0}:
        assert read(data, missing=missing)[2].tolist() == [-1, 2, -1]
        return
    with pytest.raises(RelgaussError, match=r"'y' holds values .*some may be missing"):
        read(data, missing=missing)


def test_a_refused_gap_is_told_what_fills_it_in_that_very_column():
    data = pa.table({"in-come": [1.0, None], "y": [1.0, 2.0]})
    with pytest.raises(RelgaussError, match=r"such as missing=\{'in-come': 0\.0\}; clean"):
        read(data)
    with pytest.raises(RelgaussError, match=r"finite numbers\. Clean the column, or leave it out\.$"):
        read(pa.table({"a": [1.0, np.inf], "y": [1.0, 2.0]}), missing={"a": 0.0})


@pytest.mark.parametrize("gap", ["number", "text", "boolean", "truths", "category"])
def test_what_is_missing_is_refused_by_its_column_unless_said(gap: str):
    values = {"number": [1.5, None], "boolean": [True, None], "text": ["1.5", None]}
    data: Any = pa.table({"a": values.get(gap, ["true", None]), "y": [1.0, 2.0]})
    categories = {"a": ["true", "false"]} if gap == "category" else {}
    with pytest.raises(RelgaussError, match="The column 'a' holds values"):
        read(data, categories=categories)


def test_missing_numbers_of_a_csv(tmp_path: Path):
    (tmp_path / "data.csv").write_text("a,y\n1,2\n,3\n nan ,4\n  ,5\n6,\n")
    _, features, labels = read(tmp_path / "data.csv", missing={"a": -1.0, "y": -1.0})
    assert features.ravel().tolist() == [1, -1, -1, -1, 6]
    assert labels.tolist() == [2, 3, 4, 5, -1]


@pytest.mark.parametrize(
    "values",
    [
        [Decimal("1.5"), Decimal("2.5"), None],
        [2**62, -(2**62), 0],
        [True, False, None],
        np.array([1.5, 2.5, 3.5], dtype=np.float32),
        np.array([1, 2, 255], dtype=np.uint8),
    ],
    ids=["decimal", "large integer", "boolean", "single precision", "byte"],
)
def test_numbers_of_every_type(values: Any):
    data = pa.table({"a": pa.array(values), "y": [1.0, 2.0, 3.0]})
    _, features, _ = read(data, missing=0.0)
    expected = [0.0 if value is None else float(value) for value in values]
    assert features.ravel().tolist() == expected


@pytest.mark.parametrize("kind", [pa.date32(), pa.timestamp("s"), pa.list_(pa.float64()), pa.binary()])
def test_columns_of_no_numbers_are_refused(kind: pa.DataType):
    data = pa.table({"a": pa.nulls(3, kind), "y": [1.0, 2.0, 3.0]})
    with pytest.raises(RelgaussError, match="'a' does not hold numbers"):
        read(data)


def test_names_that_differ_only_in_case_are_not_mixed_up():
    """DuckDB does not tell them apart, and gives the second a name of its own."""
    data = pd.DataFrame({"a": [1.0], "A": [2.0], "y": [3.0]})
    with pytest.raises(RelgaussError, match=r"no column 'A' in the table\. Its columns are 'a', 'A_1', 'y'"):
        read(data, features=["A"])
    assert read(data, features=["A_1"])[1].tolist() == [[2.0]]


@pytest.mark.parametrize("name", ['say "x"', "relgauss_file", "c0", "select", "a b", "data"])
def test_columns_of_any_name(name: str, tmp_path: Path):
    table = frame(**{name: [1, 2, 3]})
    assert read(table)[0] == (name,)
    table.to_parquet(tmp_path / "data.parquet")
    assert read(tmp_path / "data.parquet", features=[name])[1].ravel().tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("options", "cause"),
    [
        ({"features": []}, "features"),
        ({"features": ["a", "a"]}, "features"),
        ({"features": ["a", "y"]}, "features"),
        ({"features": "ab"}, "features"),
        ({"features": ["gone"]}, "no column 'gone'"),
        ({"target": "gone"}, "no column 'gone'"),
        ({"categories": {"gone": ["x", "z"]}}, "gone"),
        ({"categories": {"y": ["1", "2"]}}, "categories"),
        ({"categories": {"a": "12"}}, "categories"),
        ({"categories": {"a": ["1"]}}, "categories"),
        ({"categories": {"a": ["1", "1"]}}, "categories"),
        ({"categories": {"a": [1, 1.0]}}, "different values"),
        ({"missing": float("nan")}, "missing"),
        ({"missing": "0"}, "missing"),
        ({"table": "people"}, "table"),
        ({"query": "SELECT nothing FROM data"}, "query"),
        ({"query": "SELECT * FROM data WHERE a > 10"}, "no rows"),
    ],
)
def test_a_mistake_is_named(options: dict[str, Any], cause: str):
    with pytest.raises(RelgaussError, match=cause):
        read(frame(a=[1, 2, 3], b=[1, 2, 3]), **options)


def test_true_and_false_as_text_are_one_and_zero(tmp_path: Path):
    file = tmp_path / "truths.csv"
    file.write_text("a,b\nTrue,1\nfalse,2\n,3\nTRUE,4\n")
    with TableRecords(file, target="b", missing=1.0) as records:
        ((features, _),) = records.chunks()
    assert features[:, 0].tolist() == [1.0, 0.0, 1.0, 1.0]


def test_a_column_that_only_begins_with_truths_is_refused(tmp_path: Path):
    file = tmp_path / "mixed.csv"
    file.write_text("a,b\n" + "true,1\n" * 2_000 + "perhaps,2\n")
    with pytest.raises(RelgaussError, match="'a'"):
        TableRecords(file, target="b")


def test_dates_are_named_as_such(tmp_path: Path):
    file = tmp_path / "days.csv"
    file.write_text("day,b\n2020-01-01,1\n2020-01-02,2\n")
    with pytest.raises(
        RelgaussError, match=r"'day' does not hold numbers.*(days since a public day|categories)"
    ):
        TableRecords(file, target="b")


@pytest.mark.parametrize(
    "dates", [["2024-01-31", "", "2023-12-01"], ["2024-01-31 10:00:00", "2023-12-01", ""]]
)
def test_dates_of_a_text_file_are_called_dates(dates: list[str], tmp_path: Path):
    frame(day=dates).to_csv(tmp_path / "data.csv", index=False)
    with pytest.raises(
        RelgaussError, match=r"'day' does not hold numbers, but dates.*days since a public day"
    ):
        read(tmp_path / "data.csv")


def test_advice_on_text_names_what_a_fit_has():
    with pytest.raises(RelgaussError, match=r"but text.*as categories") as told:
        read(frame(town=["hill", "2024-01-31", "port"]))
    assert "numbers=" not in str(told.value)
