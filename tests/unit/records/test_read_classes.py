"""Targets that hold classes, tables whose missing values are refused, and frames with an index."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from relgauss.errors import InvalidParameterError, TableError
from relgauss.records.read import Records, read_records


def labels(records: Records) -> list[float]:
    return np.concatenate([each for _, each in records.chunks()]).tolist()


COLUMNS: dict[str, tuple[list[Any], list[Any], list[float]]] = {
    "truths": (["True", "false", "TRUE", "maybe", "yes"], ["false", "true"], [1, 0, 1, -1, -1]),
    "text": (["no", "yes", "maybe", " ", "YES"], ["yes", "no"], [0, 1, -1, -1, -1]),
    "three": (["c", "a", "b", "d", "A"], ["c", "b", "a"], [2, 0, 1, -1, -1]),
    "numbers": ([1.0, 2.0, 3.0, -np.inf, np.inf], [2, 1], [0, 1, -1, -1, -1]),
    "text among numbers": (["1", "2.0", "3", "two", "1"], [2, 1], [0, 1, -1, -1, 0]),
    "quotes": (["it's", "x'; DROP TABLE frame; --", "a", "b", "c"], ["a", "it's"], [1, -1, 0, -1, -1]),
}


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("from_file", [True, False])
def test_a_class_becomes_its_number_and_anything_else_minus_one(kind: str, from_file: bool, tmp_path: Path):
    values, classes, expected = COLUMNS[kind]
    data: Any = pd.DataFrame({"x": np.arange(5.0), "y": values})
    if from_file:
        data.to_csv(tmp_path / "table.csv", index=False)
        data = tmp_path / "table.csv"
    with read_records(data, target="y", classes=classes) as records:
        assert labels(records) == expected
        assert records.classes == tuple(sorted(classes))


GAPS: dict[str, tuple[list[Any], list[Any], Any]] = {
    "text": (["no", "yes", None], ["yes", "no"], "yes"),
    "numbers": ([1.0, 2.0, np.nan], [2, 1], 2.0),
    "text among numbers": (["1", "2", None], [2, 1], 2),
}


@pytest.mark.parametrize("kind", GAPS)
@pytest.mark.parametrize("from_file", [True, False])
def test_a_missing_label_is_refused_unless_it_counts_as_a_class(kind: str, from_file: bool, tmp_path: Path):
    values, classes, instead = GAPS[kind]
    data: Any = pd.DataFrame({"x": np.arange(3.0), "y": values})
    if from_file:
        data.to_csv(tmp_path / "table.csv", index=False)
        data = tmp_path / "table.csv"
    for missing in (None, 0.0, {"x": 0.0}):
        with pytest.raises(TableError, match=r"'y'.*some are missing.*which class they count as"):
            read_records(data, target="y", classes=classes, missing=missing)
    with read_records(data, target="y", classes=classes, missing={"y": instead}) as records:
        assert labels(records) == [0, 1, 1]
    for other in ("maybe", 3.0):
        with pytest.raises(InvalidParameterError, match=r"missing\['y'\].*one of"):
            read_records(data, target="y", classes=classes, missing={"y": other})


@pytest.mark.parametrize(("classes", "instead"), [([1, 0], True), (["true", "false"], "true")], ids=repr)
def test_so_is_a_missing_boolean(classes: list[Any], instead: Any):
    data = pd.DataFrame({"x": np.arange(3.0), "y": pd.array([False, True, None], dtype="boolean")})
    with pytest.raises(TableError, match=r"'y'.*some are missing"):
        read_records(data, target="y", classes=classes)
    with read_records(data, target="y", classes=classes, missing={"y": instead}) as records:
        assert labels(records) == [0, 1, 1]


def test_booleans_are_classes_as_numbers_or_as_text():
    table = pd.DataFrame({"x": np.arange(3.0), "y": [True, False, True]})
    for classes in ([0, 1], ["true", "false"]):
        with read_records(table, target="y", classes=classes) as records:
            assert labels(records) == [1, 0, 1]


@pytest.mark.parametrize(("values", "classes"), [(["a", "b"], [0, 1]), ([0, 1], ["0", "1"])], ids=repr)
def test_classes_of_another_type_than_the_column_are_refused(values: list[Any], classes: list[Any]):
    with pytest.raises(TableError, match="'y'"):
        read_records(pd.DataFrame({"x": [1.0, 2.0], "y": values}), target="y", classes=classes)


@pytest.mark.parametrize("classes", [["a"], ["a", "a"], "ab", ["a", 1], []], ids=repr)
def test_what_is_no_list_of_classes_is_refused(classes: Any):
    with pytest.raises(InvalidParameterError, match="all that there may be"):
        read_records(pd.DataFrame({"x": [1.0], "y": ["a"]}), target="y", classes=classes)


@pytest.mark.parametrize("holes", [[1.0, None], ["1", ""], [1.0, np.nan]], ids=repr)
def test_missing_numbers_are_refused_where_none_stands_for_them(holes: list[Any]):
    table = pd.DataFrame({"x": holes, "y": [1.0, 2.0]})
    with read_records(table, target="y", missing=7.0) as records:
        assert np.concatenate([each for each, _ in records.chunks()]).tolist() == [[1.0], [7.0]]
    with pytest.raises(TableError, match=r"'x' holds values .*missing"):
        read_records(table, target="y", missing=None)


def test_an_index_is_no_column():
    table = pd.DataFrame({"x": [1.0, 2.0], "y": [3.0, 4.0]}, index=[912, 7])
    with read_records(table, target="y") as records:
        assert records.names == ("x",)


def test_classes_and_categories_of_untyped_cells_are_numbers_as_a_file_writes_them():
    """Cells of Excel, of SQLite and of columns of objects: 1.5 is 1.5, beside text as well."""
    data = pd.DataFrame(
        {"y": pd.Series([1.5, "old", 1.5], dtype=object), "x": pd.Series([2.5, 3, "2.5"], dtype=object)}
    )
    with read_records(
        data, target="y", classes=["1.5", "old"], features=["x"], categories={"x": ["3", "2.5"]}
    ) as records:
        assert labels(records) == [0, 1, 0]
        assert np.concatenate([each for each, _ in records.chunks()])[:, 0].tolist() == [1, 0, 1]
