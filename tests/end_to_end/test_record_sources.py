"""One fit, whatever holds the records: the same coefficients with the same simulated noise."""

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

from relgauss.linear_model import Fitted, PrivateLogisticRegression, PrivateRidge
from relgauss.records import table_records
from relgauss.records.read import Records, read_records

COUNT, NAMES = 20_001, ["a", "b", "c"]


def made_frame() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    features = rng.normal(size=(COUNT, 3)) * [1.0, 1e3, 1e-3] + [0.0, 5e3, 2.0]
    scores = (features - [0.0, 5e3, 2.0]) @ [1.0, 2e-3, 3e3]
    frame = pd.DataFrame(features, columns=NAMES)
    return frame.assign(y=scores + rng.normal(size=COUNT), is_one=(scores > 0) * 1)


FRAME = made_frame()


def csv_file(folder: Path, target: str) -> Records:
    FRAME.to_csv(folder / "data.csv", index=False)
    return read_records(folder / "data.csv", target=target, features=NAMES)


def parquet_file(folder: Path, target: str) -> Records:
    FRAME.to_parquet(folder / "data.parquet", row_group_size=3_000)
    return read_records(str(folder / "data.parquet"), target=target, features=NAMES)


def parquet_folder(folder: Path, target: str) -> Records:
    write_parts(folder)
    return read_records(folder, target=target, features=NAMES)


def pattern(folder: Path, target: str) -> Records:
    write_parts(folder)
    (folder / "other.parquet").write_text("not a part")
    return read_records(folder / "part-*.parquet", target=target, features=NAMES)


def write_parts(folder: Path) -> None:
    for number, places in enumerate(np.array_split(np.arange(COUNT), 7)):
        FRAME.iloc[places].to_parquet(folder / f"part-{number}.parquet")


def database(folder: Path, target: str) -> Records:
    with duckdb.connect(folder / "data.duckdb") as connection:
        connection.register("frame", FRAME)
        connection.execute("CREATE TABLE people AS FROM frame")
        connection.execute("CREATE TABLE others (z INT)")
    return read_records(folder / "data.duckdb", target=target, features=NAMES, table="people")


def query(folder: Path, target: str) -> Records:
    parquet_file(folder, target)
    sql = f"SELECT a, b, c AS last, {target} FROM data"
    return read_records(folder / "data.parquet", target=target, features=["a", "b", "last"], query=sql)


def pandas_frame(folder: Path, target: str) -> Records:
    return read_records(FRAME, target=target, features=NAMES)


def dask_array(folder: Path, target: str) -> Records:
    import dask.array

    features = dask.array.from_array(FRAME[NAMES].to_numpy(), chunks=(9_000, 2))
    return read_records(features, target=dask.array.from_array(FRAME[target].to_numpy(), chunks=4_000))


def dask_frame(folder: Path, target: str) -> Records:
    import dask.dataframe

    return read_records(dask.dataframe.from_pandas(FRAME, npartitions=5), target=target, features=NAMES)


TABLES = [csv_file, parquet_file, parquet_folder, pattern, database, query, pandas_frame]
DASK = [dask_array, dask_frame]
Make = Callable[[Path, str], Records]


def close_to(model: Any, expected: Any) -> None:
    """Relative to the largest part of a prediction: a feature's coefficient has the feature's scale."""
    scales = FRAME[NAMES].std().to_numpy()
    found, wanted = np.ravel(model.coef_) * scales, np.ravel(expected.coef_) * scales
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-10 * np.abs(wanted).max())
    np.testing.assert_allclose(model.intercept_, expected.intercept_, rtol=1e-10)


@pytest.fixture(scope="module")
def ridge_on_arrays() -> PrivateRidge:
    model = PrivateRidge(random_state=3).fit(FRAME[NAMES].to_numpy(), FRAME["y"].to_numpy())
    assert isinstance(model.outcome_, Fitted)
    return model


@pytest.fixture(scope="module")
def logistic_on_arrays() -> PrivateLogisticRegression:
    model = PrivateLogisticRegression(random_state=3).fit(FRAME[NAMES].to_numpy(), FRAME["is_one"].to_numpy())
    assert isinstance(model.outcome_, Fitted)
    return model


def hold_in(where: str, patch: pytest.MonkeyPatch) -> None:
    """Memory is short, or the disk too."""
    if where != "memory":
        patch.setattr(table_records, "memory_limit", lambda: 0)
    if where == "streamed":
        patch.setattr(table_records, "ScratchStorage", no_room)


def no_room(*given: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("where", ["memory", "scratch", "streamed"])
@pytest.mark.parametrize("make", TABLES)
@pytest.mark.filterwarnings("ignore::relgauss.records.table_records.NoScratchWarning")
def test_every_table_gives_the_fit_of_the_arrays(
    make: Make, where: str, ridge_on_arrays, logistic_on_arrays, tmp_path: Path, monkeypatch
):
    hold_in(where, monkeypatch)
    close_to(PrivateRidge(random_state=3).fit(make(tmp_path, "y")), ridge_on_arrays)
    if make is parquet_folder:
        model = PrivateLogisticRegression(random_state=3).fit(make(tmp_path, "is_one"))
        close_to(model, logistic_on_arrays)
        assert model.predict(FRAME[NAMES]).mean() == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("make", DASK)
def test_every_dask_collection_gives_the_fit_of_the_arrays(
    make: Make, ridge_on_arrays, logistic_on_arrays, tmp_path: Path
):
    model = PrivateRidge(random_state=3).fit(make(tmp_path, "y"))
    close_to(model, ridge_on_arrays)
    assert model.n_passes_ == ridge_on_arrays.n_passes_
    close_to(PrivateLogisticRegression(random_state=3).fit(make(tmp_path, "is_one")), logistic_on_arrays)


@pytest.mark.parametrize("mechanism", ["public-iterate", "isometric", "relative"])
@pytest.mark.filterwarnings("ignore::relgauss.records.table_records.NoScratchWarning")
def test_every_mechanism_streams(mechanism: str, tmp_path: Path, monkeypatch):
    hold_in("streamed", monkeypatch)
    settings: dict[str, Any] = {"mechanism": mechanism, "random_state": 3, "epsilon": 5.0}
    expected = PrivateRidge(**settings).fit(FRAME[NAMES].to_numpy(), FRAME["y"].to_numpy())
    model = PrivateRidge(**settings).fit(parquet_folder(tmp_path, "y"))
    assert isinstance(model.outcome_, Fitted)
    close_to(model, expected)


@pytest.mark.parametrize("where", ["memory", "scratch", "streamed"])
@pytest.mark.filterwarnings("ignore::relgauss.records.table_records.NoScratchWarning")
def test_a_file_is_decoded_once_where_there_is_room(where: str, tmp_path: Path, monkeypatch):
    hold_in(where, monkeypatch)
    FRAME.to_parquet(tmp_path / "data.parquet")
    read: list[int] = []
    records = read_records(tmp_path / "data.parquet", target="y", features=NAMES, watch=read.append)
    model = PrivateRidge(random_state=0).fit(records)
    assert list(model.feature_names_in_) == NAMES
    assert sum(read) == COUNT * (1 + (model.n_passes_ if where == "streamed" else 0))


def test_memory_and_a_scratch_file_give_the_same_fit_to_the_last_bit(tmp_path: Path, monkeypatch):
    fits = set()
    for where in ("memory", "scratch"):
        hold_in(where, monkeypatch)
        for n_jobs in (1, 2):
            model = PrivateRidge(random_state=3, n_jobs=n_jobs).fit(pandas_frame(tmp_path, "y"))
            fits.add(np.append(model.coef_, model.intercept_).tobytes())
    assert len(fits) == 1


@pytest.mark.parametrize("where", ["memory", "scratch"])
def test_records_can_be_fitted_twice(where: str, ridge_on_arrays, monkeypatch):
    """The first fit scales what is held in place; the second must not see that."""
    hold_in(where, monkeypatch)
    records = pandas_frame(Path(), "y")
    for _ in range(2):
        close_to(PrivateRidge(random_state=3).fit(records), ridge_on_arrays)
