"""What nobody checks about how records were prepared is in the statement, and in the titles."""

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

from relgauss.budget import PrivacyStatement
from relgauss.grouped import GroupedRelease, release_means
from relgauss.linear_model import PrivateLogisticRegression, PrivateRidge, load_model, save_model
from relgauss.records import read_records
from relgauss.report.group_means import _bars, _caption

FRAME = pd.DataFrame({"g": ["a"] * 60, "v": [5.0] * 60, "y": [1.0] * 60})
QUERY = "SELECT * FROM data"
PREPARED = "puts each record into one row at most, and chooses rows and groups by public values only"
pytestmark = pytest.mark.filterwarnings("ignore::relgauss.linear_model.DegradedFitWarning")


def assumed(statement: PrivacyStatement) -> list[str]:
    return [each.text for each in statement.conditions() if each.provenance == "assumed"]


def released(data: Any = FRAME, **options: Any) -> GroupedRelease:
    rng = np.random.default_rng(0)
    return release_means(data, by="g", value="v", epsilon=1.0, delta=1e-6, rng=rng, **options)


def fitted(model: Any, data: Any = FRAME, **options: Any) -> PrivacyStatement:
    return model.fit(read_records(data, target="y", features=["v"], **options)).privacy_


@pytest.fixture
def database(tmp_path: Path) -> Path:
    file = tmp_path / "x.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.register("frame", FRAME)
        connection.execute("CREATE TABLE people AS FROM frame")
        connection.execute("CREATE VIEW twice AS (FROM people UNION ALL FROM people)")
    return file


def test_means_of_a_query_say_so_everywhere():
    release = released(query=QUERY)
    (line,) = [each for each in assumed(release.privacy) if each.startswith("the query")]
    assert line.endswith(PREPARED)
    assert release.basis == "assumed query"
    assert released().basis == "no bound assumed"
    assert set(release.columns()["mechanism"]) == {"enforced, assumed query, SIMULATED"}
    assert ", assumed query;" in _caption(release, _bars(release))
    assert line in release.privacy.text()
    assert line in release.privacy.to_json()


def test_a_spread_is_the_first_assumption_and_in_the_title():
    release = released(query=QUERY, spread=0.1)
    first, second, *_ = assumed(release.privacy)
    assert "lie within a factor of 1.1 of each other" in first
    assert second.startswith("the query")
    assert release.basis == "assumed spread, assumed query"
    assert released(spread=0.1).basis == "assumed spread"


def test_a_view_is_a_query(database: Path):
    release = released(database, table="twice")
    assert any(each.startswith("the view 'twice'") for each in assumed(release.privacy))
    assert release.is_prepared
    assert not released(database, table="people").is_prepared


@pytest.mark.parametrize("model", [PrivateRidge, PrivateLogisticRegression])
def test_a_fit_to_a_query_says_so_also_when_saved(model: type, database: Path, tmp_path: Path):
    assert assumed(fitted(model(random_state=0), query=QUERY))[0].endswith(PREPARED)
    assert "the view" in assumed(fitted(model(random_state=0), database, table="twice"))[0]
    assert not any("row" in each for each in assumed(fitted(model(random_state=0))))
    kept = model(random_state=0).fit(read_records(FRAME, target="y", features=["v"], query=QUERY))
    save_model(kept, tmp_path / "model.json")
    assert assumed(load_model(tmp_path / "model.json").privacy_) == assumed(kept.privacy_)


def test_arrays_rest_on_no_such_thing():
    model = PrivateRidge(random_state=0).fit(FRAME[["v"]], FRAME["y"])
    assert not any("each record" in each for each in assumed(model.privacy_))


def test_a_fit_to_a_dask_collection_says_so():
    import dask.dataframe

    frame = dask.dataframe.from_pandas(FRAME[["v", "y"]], npartitions=2)
    assert assumed(fitted(PrivateRidge(random_state=0), frame))[0].startswith("what computes the Dask")


def test_a_masked_number_of_a_dask_array_is_missing():
    import dask.array

    features = np.ma.array([[1.0], [4711.0], [3.0]], mask=[[False], [True], [False]])
    labels = np.array([1, 2, 3])
    records = read_records(
        dask.array.from_array(features, chunks=2, asarray=False),
        target=dask.array.from_array(labels, chunks=2),
        missing=-1.0,
    )
    total = records.rows().total(lambda block: np.append(block.features.sum(axis=0), block.labels.sum()))
    assert total.tolist() == [3.0, 6.0]
