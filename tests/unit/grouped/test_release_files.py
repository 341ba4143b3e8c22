"""Means by group as files: never without their statement."""

import csv
import json
from pathlib import Path

import pandas as pd
import pytest
from pyarrow import parquet

import relgauss as rg
from relgauss.errors import RelgaussError
from relgauss.grouped.write import write_release

from .pay_by_job import simulated


def test_csv_has_a_statement_beside_it(tmp_path: Path):
    result = simulated()
    file, statement = write_release(result, tmp_path / "means.csv")
    rows = list(csv.DictReader(file.open()))
    assert [row["job"] for row in rows] == list(result.groups)
    assert [float(row["estimate"]) for row in rows[:3]] == pytest.approx(result.estimate[:3], rel=1e-5)
    assert rows[3]["estimate"] == ""
    assert rows[0]["mechanism"] == "enforced, SIMULATED"
    assert json.loads(statement.read_text()) == result.privacy.to_dict() | {"about": result.about()}
    assert rg.PrivacyStatement.from_json(statement.read_text()) == result.privacy


def test_parquet(tmp_path: Path):
    result = simulated()
    (file,) = write_release(result, tmp_path / "means.parquet")
    table = parquet.read_table(file)
    assert table.to_pydict() == result.columns()
    assert b"relgauss.privacy" in table.schema.metadata


def test_json(tmp_path: Path):
    result = simulated()
    (file,) = write_release(result, tmp_path / "means.json")
    found = json.loads(file.read_text())
    assert found == json.loads(json.dumps(result.to_dict()))
    assert [row["estimate"] for row in found["groups"]] == result.columns()["estimate"]
    assert found["privacy"]["simulated"]
    assert rg.PrivacyStatement.from_dict(found["privacy"]) == result.privacy


def test_dates_as_groups_can_be_written(tmp_path: Path):
    data = pd.DataFrame({"job": pd.to_datetime(["2020-01-01"] * 50), "salary": 2e4})
    for ending in ("csv", "parquet", "json"):
        write_release(simulated(data=data), tmp_path / f"means.{ending}")
    assert "2020-01-01" in (tmp_path / "means.json").read_text()


@pytest.mark.parametrize("name", ["means.ods", "means", "gone/means.csv"])
def test_files_that_cannot_be_written(tmp_path: Path, name: str):
    with pytest.raises(RelgaussError):
        write_release(simulated(), tmp_path / name)
