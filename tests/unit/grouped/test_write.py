"""Files of released tables: the user's names, every format, no formula, never without the statement."""

import csv
import json
from html import escape
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest
from pyarrow import parquet

from relgauss.budget import PrivacyStatement
from relgauss.errors import InvalidParameterError
from relgauss.grouped import release_means, release_table
from relgauss.grouped.workbook import write_workbook
from relgauss.grouped.write import FORMATS, Publishable, write_release

DATA = pd.DataFrame(
    {
        "job title": ["=1+1"] * 400 + ["clerk\x07"] * 400,
        "pay": np.exp(np.random.default_rng(0).normal(9, 0.1, 800)),
    }
)
BUDGET = {"epsilon": 2.0, "delta": 1e-6}


ALIKE = DATA.assign(**{"job title": ["clerk"] * 400 + ["Clerk"] * 400})  # which earns a caution


def table(data: pd.DataFrame = DATA) -> Publishable:
    return release_table(data, by=["job title"], values={"pay": ["mean"]}, **BUDGET)


def means(data: pd.DataFrame = DATA) -> Publishable:
    return release_means(data, by="job title", value="pay", **BUDGET)


@pytest.mark.parametrize("make", [table, means])
@pytest.mark.parametrize("ending", FORMATS)
def test_every_format_of_every_release(tmp_path: Path, make, ending: str):
    file = tmp_path / f"out{ending}"
    files = write_release(make(), file)
    assert all(each.is_file() for each in files)
    text = "".join(
        parquet.read_schema(each).metadata[b"relgauss.privacy"].decode()
        if ending == ".parquet"
        else "".join(str(cell) for row in openpyxl.load_workbook(each)["privacy"].values for cell in row)
        if ending == ".xlsx"
        else each.read_text(encoding="utf-8")
        for each in files
    )
    assert "proofs/grouped-means.md" in text


@pytest.mark.parametrize("make", [table, means])
@pytest.mark.parametrize("ending", FORMATS)
def test_confidence_notes_and_cautions_are_in_every_file(tmp_path: Path, make, ending: str):
    release = make(ALIKE)
    file = write_release(release, tmp_path / f"out{ending}")[-1]
    text = file.read_bytes().decode("utf-8", "replace")
    if ending == ".csv":
        about = json.loads(text)["about"]
        assert PrivacyStatement.from_json(text) == release.privacy
    elif ending == ".parquet":
        about = json.loads(parquet.read_schema(file).metadata[b"relgauss.about"])
    elif ending == ".json":
        about = json.loads(text)
    else:
        if ending == ".xlsx":
            text = "\n".join(str(cell) for (cell,) in openpyxl.load_workbook(file)["notes"].values)
        said = [*release.notes(), *(f"Caution: {each}" for each in release.cautions())]
        assert all(escape(each) in text for each in said) or all(each in text for each in said)
        return
    assert about["confidence"] == 0.95
    assert (about["notes"], about["cautions"]) == (release.notes(), release.cautions())
    assert "differ in case or blanks only" in about["cautions"][0]


def test_a_workbook_holds_all_digits_and_shows_fewer_but_of_keys(tmp_path: Path):
    table = {
        "year": [2014],
        "mean": [1700000123.25],
        "n": [1200],
        "share": [0.25],
        "small": [1.5e-7],
        "no": [None],
    }
    write_workbook(table, "statement", tmp_path / "out.xlsx")
    _, row = openpyxl.load_workbook(tmp_path / "out.xlsx")["table"].iter_rows()
    assert [cell.value for cell in row] == [column[0] for column in table.values()]
    formats = ["General", "#,##0", "#,##0", "0.0000", "General", "General"]
    assert [cell.number_format for cell in row] == formats


def test_csv_holds_all_digits_of_numbers_and_keys(tmp_path: Path):
    """Times in seconds, and keys that are numbers, differ in their last digits only."""
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"key": [1700000123.25, 1700000124.25] * 400, "time": 1.7e9 + rng.uniform(0, 9, 800)})
    release = release_table(data, by=["key"], values={"time": ["mean"]}, value_range=(1e9, 2e9), **BUDGET)
    write_release(release, tmp_path / "out.csv")
    rows = pd.read_csv(tmp_path / "out.csv")
    assert rows["key"][:2].tolist() == release.data()["key"]
    assert rows["time_mean"][:2].tolist() == release.data()["time_mean"]


@pytest.mark.parametrize("make", [table, means])
def test_csv_keeps_the_users_names_and_runs_no_formula(tmp_path: Path, make):
    write_release(make(), tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert [row["job title"] for row in rows[:2]] == ["'=1+1", "clerk\x07"]


def test_the_totals_row_is_in_every_file_and_marked(tmp_path: Path):
    release = table()
    for ending in (".csv", ".parquet", ".xlsx", ".json"):
        write_release(release, tmp_path / f"out{ending}")
    total = release.total()
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert [row["is_total"] for row in rows] == ["False", "False", "True"]
    assert (rows[-1]["job title"], rows[-1]["count"]) == ("", "800")
    found = parquet.read_table(tmp_path / "out.parquet").to_pylist()
    assert [row["is_total"] for row in found] == [False, False, True]
    assert found[-1] == dict.fromkeys(found[-1]) | total | {"is_total": True}
    header, *cells = openpyxl.load_workbook(tmp_path / "out.xlsx")["table"].values
    assert cells[-1][0] == "Total"
    assert [row[header.index("is_total")] for row in cells] == [False, False, True]
    assert json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["total"]["count"] == 800


def test_a_table_without_totals_has_no_mark(tmp_path: Path):
    write_release(means(), tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as opened:
        assert "is_total" not in next(csv.reader(opened))


@pytest.mark.parametrize("make", [table, means])
def test_a_workbook_holds_numbers_and_texts_as_they_are(tmp_path: Path, make):
    release = make()
    write_release(release, tmp_path / "out.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "out.xlsx")["table"]
    header, *rows = sheet.iter_rows()
    names = [cell.value for cell in header]
    assert names == list(release.published())
    assert [row[0].value for row in rows[:2]] == ["=1+1", "clerk\\x07"]
    assert rows[0][0].data_type == "s"
    assert all(row[1].data_type == "n" for row in rows[:2])
    assert len(rows) == (3 if release.total() else 2)


@pytest.mark.parametrize(
    ("key", "other"),
    [
        ("DATE '290000-01-01'", "DATE '2020-01-01'"),
        ("DATE '4000-01-01 (BC)'", "DATE '2020-01-01'"),
        ("CAST(18446744073709551615 AS UBIGINT)", "CAST(1 AS UBIGINT)"),
        ("uuid()", "uuid()"),
    ],
)
def test_keys_that_arrow_does_not_hold_are_written_as_text(tmp_path: Path, key: str, other: str):
    """The budget is spent when the table is written."""
    query = f"SELECT {key} AS job, 1.0 AS pay UNION ALL SELECT {other}, 1.0"
    one = pd.DataFrame({"x": [1]})
    budget = {"epsilon": 1.0, "delta": 1e-6}
    releases = [
        release_table(one, query=query, by="job", values={"pay": ["mean"]}, **budget),
        release_means(one, query=query, by="job", value="pay", **budget),
    ]
    for number, release in enumerate(releases):
        for ending in FORMATS:
            assert all(file.exists() for file in write_release(release, tmp_path / f"{number}{ending}"))


def test_other_endings_are_refused(tmp_path: Path):
    with pytest.raises(InvalidParameterError, match=r"\.csv, \.xlsx, \.html, \.parquet or \.json"):
        write_release(table(), tmp_path / "out.ods")


def test_json_is_plain(tmp_path: Path):
    write_release(table(), tmp_path / "out.json")
    found = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert [row["job title"] for row in found["groups"]] == ["=1+1", "clerk\x07"]
    assert found["total"]["count"] == 800
