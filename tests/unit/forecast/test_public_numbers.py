"""Public numbers are read from a table whose private columns fail at every access."""

from pathlib import Path

import duckdb
import pandas as pd
import pytest

from relgauss.errors import InvalidParameterError, RelgaussError, TableError
from relgauss.forecast.public_numbers import group_sizes, numbers_for_fit
from relgauss.grouped import release_means
from relgauss.linear_model import PrivateRidge
from relgauss.records import read_records


@pytest.fixture
def guarded(tmp_path: Path) -> Path:
    """A database whose columns but job raise an error as soon as one value of them is read."""
    file = tmp_path / "guarded.duckdb"
    with duckdb.connect(str(file)) as database:
        database.execute(
            "CREATE TABLE jobs AS SELECT 'nurse' AS job FROM range(40) UNION ALL SELECT 'judge' FROM range(9)"
        )
        private = "CAST(error('a private value was read') AS DOUBLE)"
        text = private.replace("DOUBLE", "VARCHAR")
        database.execute(
            f"CREATE VIEW people AS SELECT job, {private} AS pay, {private} AS age, {text} AS ill FROM jobs"
        )
    return file


def test_groups_are_counted_and_no_value_is_read(guarded: Path):
    assert group_sizes(guarded, by="job", value="pay", table="people") == {"judge": 9, "nurse": 40}


def test_groups_are_those_that_a_release_shows():
    """Not one for both spellings, shown as the first record writes it."""
    query = "SELECT 'Ann' COLLATE NOCASE AS job, 1.0 AS pay UNION ALL SELECT 'ANN' COLLATE NOCASE, 1.0"
    one = pd.DataFrame({"x": [1]})
    found = group_sizes(one, by="job", value="pay", query=query)
    released = release_means(one, query=query, by="job", value="pay", epsilon=1.0, delta=1e-6)
    assert found == dict(zip(released.groups, released.sizes.tolist(), strict=True)) == {"ANN": 1, "Ann": 1}


def test_rows_are_counted_and_no_value_is_read(guarded: Path):
    assert numbers_for_fit(guarded, target="pay", features=["age"], table="people") == (49, ("age",))


def test_nor_is_text_that_may_be_of_booleans(guarded: Path):
    """As all columns of a CSV file are; a release reads whether their first texts are true and false."""
    assert numbers_for_fit(guarded, target="ill", features=["age"], table="people") == (49, ("age",))
    assert numbers_for_fit(guarded, target="pay", features=["ill"], table="people") == (49, ("ill",))


def test_the_guard_catches_those_who_read(guarded: Path):
    with pytest.raises(RelgaussError):
        release_means(guarded, by="job", value="pay", epsilon=1.0, delta=1e-6, table="people")
    with pytest.raises(RelgaussError):
        PrivateRidge().fit(read_records(guarded, target="pay", features=["age"], table="people"))


def test_categories_are_counted_as_the_fit_counts_them(guarded: Path):
    count, names = numbers_for_fit(
        guarded,
        target="pay",
        features=["job", "age"],
        categories={"job": ["nurse", "judge", "clerk"]},
        table="people",
    )
    assert (count, names) == (49, ("job=judge", "job=clerk", "age"))


def test_a_column_that_is_not_there_is_named(guarded: Path):
    with pytest.raises(TableError, match="wage"):
        group_sizes(guarded, by="job", value="wage", table="people")
    with pytest.raises(InvalidParameterError, match="by"):
        group_sizes(guarded, by="job", value="job", table="people")


def test_an_empty_table_is_refused(tmp_path: Path):
    file = tmp_path / "empty.csv"
    file.write_text("job,pay\n")
    with pytest.raises(TableError, match="No row"):
        group_sizes(file, by="job", value="pay")
    with pytest.raises(TableError, match="no rows"):
        numbers_for_fit(file, target="pay", features=["job"])
