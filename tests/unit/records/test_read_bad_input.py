"""Bad records: one clear message that names the file and the column, before any noise is drawn."""

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from relgauss.errors import RelgaussError
from relgauss.linear_model import PrivateRidge
from relgauss.mechanisms.base import Mechanism
from relgauss.records import table_records
from relgauss.records.read import read_records

COUNT = 3_000


@pytest.fixture(autouse=True)
def no_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    def drawn(*arguments: Any, **options: Any) -> None:
        pytest.fail("noise was drawn before the input was refused")

    monkeypatch.setattr(Mechanism, "release", drawn)


def good_frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(COUNT, 3)), columns=["a", "b", "y"])
    return frame.assign(colour=rng.choice(["red", "blue"], size=COUNT))


def with_value(column: str, value: Any) -> pd.DataFrame:
    frame = good_frame().astype({column: object})
    frame.loc[COUNT // 2, column] = value
    return frame if isinstance(value, str) else frame.astype({column: float})


Write = Callable[[pd.DataFrame, Path], str]


def one_csv(frame: pd.DataFrame, folder: Path) -> str:
    frame.to_csv(folder / "bad.csv", index=False)
    return "bad.csv"


def one_parquet(frame: pd.DataFrame, folder: Path) -> str:
    text = [name for name in frame if not pd.api.types.is_numeric_dtype(frame[name])]
    frame.astype(dict.fromkeys(text, str)).to_parquet(folder / "bad.parquet")
    return "bad.parquet"


def csv_folder(frame: pd.DataFrame, folder: Path) -> str:
    (folder / "parts").mkdir()
    good_frame().to_csv(folder / "parts" / "good.csv", index=False)
    frame.to_csv(folder / "parts" / "wrong.csv", index=False)
    return "parts"


def refused(data: Any, **options: Any) -> str:
    """The message of a fit that is refused; nothing is fitted and nothing is charged."""
    settings = {"target": "y", "categories": {"colour": ["red", "blue"]}} | options
    model = PrivateRidge(random_state=0)
    with pytest.raises(RelgaussError) as caught:
        model.fit(read_records(data, **settings))
    assert not hasattr(model, "privacy_")
    return str(caught.value)


WRITERS = [(one_csv, "bad.csv"), (one_parquet, "bad.parquet"), (csv_folder, "wrong.csv")]


@pytest.mark.parametrize(("write", "file"), WRITERS)
@pytest.mark.parametrize(
    ("column", "value"), [("a", "n/a"), ("b", np.inf), ("y", -np.inf), ("colour", "violet"), ("y", "secret")]
)
def test_a_value_that_no_rule_covers(write: Write, file: str, column: str, value: Any, tmp_path: Path):
    name = write(with_value(column, value), tmp_path)
    message = refused(tmp_path / name)
    assert f"column {column!r}" in message
    assert file in message
    assert str(value) not in message


def test_no_file_is_named_for_a_frame():
    assert "column 'b' holds values that are not finite" in refused(with_value("b", np.inf))


@pytest.mark.parametrize("write", [one_csv, one_parquet, csv_folder])
def test_a_missing_column(write: Write, tmp_path: Path):
    name = write(good_frame(), tmp_path)
    assert "no column 'weight'" in refused(tmp_path / name, features=["a", "weight"], categories={})
    assert "no column 'z'" in refused(tmp_path / name, target="z")


def test_a_missing_column_names_the_file(tmp_path: Path):
    one_csv(good_frame(), tmp_path)
    assert "bad.csv" in refused(tmp_path / "bad.csv", target="z")


def test_a_column_of_text_alone(tmp_path: Path):
    one_csv(good_frame(), tmp_path)
    message = refused(tmp_path / "bad.csv", categories={})
    assert "'colour' does not hold numbers" in message
    assert "bad.csv" in message


def test_an_empty_folder(tmp_path: Path):
    assert f"no table in {tmp_path}" in refused(tmp_path)
    assert "part-*.parquet" in refused(tmp_path / "part-*.parquet")


def test_a_folder_of_several_kinds(tmp_path: Path):
    one_csv(good_frame(), tmp_path)
    one_parquet(good_frame(), tmp_path)
    message = refused(tmp_path)
    assert ".csv" in message
    assert ".parquet" in message


def test_hidden_files_are_left_out(tmp_path: Path):
    (tmp_path / "_SUCCESS.csv").write_text("")
    (tmp_path / ".part.csv").write_text("")
    assert "no table in" in refused(tmp_path)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("other", [{"b": "weight"}, {"colour": "color"}])
def test_files_whose_columns_differ(ending: str, other: dict[str, str], tmp_path: Path):
    for name, frame in (("one", good_frame()), ("two", good_frame().rename(columns=other))):
        write(frame, tmp_path / f"{name}.{ending}")
    message = refused(tmp_path)
    assert f"two.{ending}" in message
    assert f"one.{ending}" in message
    assert repr(next(iter(other))) in message


def test_files_whose_types_differ(tmp_path: Path):
    write(good_frame(), tmp_path / "one.parquet")
    write(good_frame().astype({"a": str}), tmp_path / "two.parquet")
    message = refused(tmp_path)
    assert "'a' is VARCHAR in" in message
    assert "two.parquet" in message


def write(frame: pd.DataFrame, file: Path) -> None:
    if file.suffix == ".csv":
        frame.to_csv(file, index=False)
    else:
        frame.to_parquet(file)


def test_a_file_that_is_no_parquet(tmp_path: Path):
    (tmp_path / "bad.parquet").write_text("a,y\n1,2\n")
    assert "bad.parquet" in refused(tmp_path / "bad.parquet")
    write(good_frame(), tmp_path / "a.parquet")
    assert "bad.parquet" in refused(tmp_path)


@pytest.mark.parametrize("is_held", [True, False])
@pytest.mark.filterwarnings("ignore::relgauss.records.table_records.NoScratchWarning")
def test_a_file_that_changes_before_it_is_read_again(is_held: bool, tmp_path: Path, monkeypatch):
    """What is held stays; a second fit reads the file again, and so does every pass where nothing is held."""
    if not is_held:
        monkeypatch.setattr(table_records, "memory_limit", lambda: 0)
        monkeypatch.setattr(table_records.ScratchStorage, "put", no_room)
    for count in (COUNT // 2, 2 * COUNT):
        write(good_frame(), tmp_path / "data.csv")
        records = read_records(tmp_path / "data.csv", target="y", features=["a", "b"])
        write(good_frame().sample(count, replace=True, random_state=0), tmp_path / "data.csv")
        if is_held:
            assert records.rows().count == COUNT
        with pytest.raises(RelgaussError, match="changed while"):
            PrivateRidge(random_state=0).fit(records)


def no_room(*given: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("data", [3, None, [[1.0, 2.0]], object()])
def test_what_is_no_table(data: Any):
    assert "data" in refused(data)


def in_partitions(frame: pd.DataFrame) -> Any:
    import dask.dataframe

    return dask.dataframe.from_pandas(frame, npartitions=3)


@pytest.mark.parametrize(
    ("options", "cause"),
    [
        ({"target": "z"}, "no column 'z'"),
        ({"features": ["a", "z"]}, "no column 'z'"),
        ({"features": ["a", "a"]}, "features"),
        ({"features": ["a", "colour"]}, "'colour' does not hold numbers"),
        ({"missing": float("nan")}, "missing"),
        ({"query": "SELECT 1"}, "query"),
        ({"categories": {"colour": ["red", "blue"]}}, "categories"),
    ],
)
def test_a_mistake_with_a_dask_frame(options: dict[str, Any], cause: str):
    assert cause in refused(in_partitions(good_frame()), **{"categories": None, **options})


def test_infinities_in_dask():
    options = {"features": ["a", "b"], "categories": None}
    assert "column 'b'" in refused(in_partitions(with_value("b", np.inf)), **options)
    assert "column 'y'" in refused(in_partitions(with_value("y", -np.inf)), **options)


def test_arrays_that_do_not_fit_together():
    import dask.array

    features, labels = dask.array.ones((10, 2), chunks=5), dask.array.ones(10, chunks=5)
    for data, target in [
        (features, labels[:9]),
        (features, features),
        (labels, labels),
        (features.astype(complex), labels),
        (features, np.ones(10)),
        (features[features[:, 0] > 0], labels),
    ]:
        with pytest.raises(RelgaussError):
            read_records(data, target=target)
    with pytest.raises(RelgaussError, match="features"):
        read_records(features, target=labels, features=["x0"])


def test_a_dask_collection_that_changes_between_passes():
    """Here a partition has other rows each time it is computed."""
    calls = []

    def other_rows(part: pd.DataFrame) -> pd.DataFrame:
        calls.append(1)
        return part.iloc[: -len(calls)]

    frame = in_partitions(good_frame()[["a", "b", "y"]]).map_partitions(other_rows)
    records = read_records(frame, target="y")
    with pytest.raises(RelgaussError, match="changed while"):
        PrivateRidge(random_state=0).fit(records)


def test_a_dask_collection_without_rows():
    frame = in_partitions(good_frame()[["a", "b", "y"]])
    assert "no rows" in refused(frame[frame["a"] > 1e9], categories=None)
