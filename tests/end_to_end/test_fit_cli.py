"""``relgauss fit`` and ``relgauss predict``, from a table to predictions."""

import csv
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pandas as pd
import pytest

from relgauss.cli.app import app
from relgauss.cli.run import run as run_app
from relgauss.linear_model import Degraded, PrivateLogisticRegression, PrivateRidge, load_model, save_model
from relgauss.mechanisms.base import Mechanism
from relgauss.records.read import read_records

COUNT = 12_000
BUDGET = ["--target", "y", "--epsilon", "2", "--delta", "1e-6"]
COLOURS = ["--categories", "colour=red,blue"]
RANGES = {"a": "-6:6", "b": "0:100", "colour=blue": "0:1", "y": "-20:40"}
BOUNDS = [part for name, ends in RANGES.items() for part in ("--bounds", f"{name}={ends}")]
CLEAN = [*COLOURS, "--missing", "1.5"]


class Done(NamedTuple):
    code: int
    stdout: str
    stderr: str


Run = Callable[..., Done]


def made_frame() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"a": rng.normal(size=COUNT), "b": rng.uniform(0, 100, size=COUNT)})
    frame["colour"] = rng.choice(["red", "blue"], size=COUNT)
    frame["y"] = 2 * frame["a"] + frame["b"] / 10 + 3 * (frame["colour"] == "blue") + rng.normal(size=COUNT)
    return frame


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    frame = made_frame()
    frame.to_parquet(folder / "data.parquet")
    frame.to_csv(folder / "data.csv", index=False)
    frame.head(1_000).drop(columns="y").to_csv(folder / "public.csv", index=False)
    (folder / "parts").mkdir()
    for number in range(2):
        frame.iloc[number::2].to_parquet(folder / "parts" / f"{number}.parquet")
    (folder / "empty").mkdir()
    with duckdb.connect(folder / "data.duckdb") as connection:
        connection.execute(f"CREATE TABLE people AS FROM '{folder / 'data.parquet'}'")
    for name, column, value in (
        ("text", "a", "n/a"),
        ("infinite", "b", "inf"),
        ("category", "colour", "pink"),
    ):
        spoilt = frame.astype({column: object})
        spoilt.loc[7, column] = value
        spoilt.to_csv(folder / f"{name}.csv", index=False)
    return folder


@pytest.fixture
def relgauss(files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(files)
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["relgauss", *arguments])
        code = run_app(app)
        return Done(code, *capsys.readouterr())

    return run


def as_json(done: Done) -> dict[str, Any]:
    assert (done.code, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_as_a_user_runs_it(files: Path):
    command = Path(sys.executable).with_name("relgauss")
    arguments = ["fit", "data.parquet", *BUDGET, *COLOURS, *BOUNDS]
    done = subprocess.run([command, *arguments], cwd=files, capture_output=True, text=True, encoding="utf-8")
    assert (done.returncode, done.stderr) == (0, "")
    assert "y by 3 features: 12,000 rows, secure noise." in done.stdout
    assert "colour=blue" in done.stdout
    assert "Privacy: epsilon 2 at delta 1e-06" in done.stdout
    assert "SIMULATED" not in done.stdout


def test_json(relgauss: Run):
    arguments = ["fit", "data.csv", *BUDGET, *COLOURS, "--json"]
    found = as_json(relgauss(*arguments, *BOUNDS))  # without them a range is missed in one fit of hundreds
    assert found["rows"] == COUNT
    assert list(found["coefficients"]) == ["a", "b", "colour=blue"]
    assert found["privacy"]["epsilon"] <= 2
    assert not found["privacy"]["simulated"]
    found = as_json(relgauss(*arguments, "--seed", "1"))
    assert found["coefficients"]["a"] == pytest.approx(2, abs=0.5)
    assert found["coefficients"]["colour=blue"] == pytest.approx(3, abs=1)
    assert found["outcome"]["kind"] == "fitted"


@pytest.mark.parametrize(
    "source",
    [
        ["data.csv"],
        ["parts"],
        ["parts/*.parquet"],
        ["data.duckdb", "--table", "people"],
        ["data.parquet", "--query", "SELECT * FROM data"],
    ],
    ids=lambda source: source[0],
)
def test_every_source_gives_the_same_model(relgauss: Run, source: list[str]):
    options = [*BUDGET, *COLOURS, "--seed", "3", "--json"]
    expected, found = (as_json(relgauss("fit", *each, *options)) for each in (["data.parquet"], source))
    assert found["coefficients"] == pytest.approx(expected["coefficients"], rel=1e-9)
    told = [each for each in found["privacy"]["conditions"] if each["text"].startswith("the query")]
    assert [each["provenance"] for each in told] == ["assumed"] * ("--query" in source)
    for each in told:
        found["privacy"]["conditions"].remove(each)
        found["privacy"]["charges"][0]["conditions"].remove(each)
    assert found["privacy"] == expected["privacy"]


def test_the_table_shows_intervals_and_ranges(relgauss: Run):
    arguments = ["fit", "data.csv", *BUDGET, *COLOURS, "--seed", "3"]
    text, found = relgauss(*arguments).stdout, as_json(relgauss(*arguments, "--json"))
    assert "std. error" in text
    assert "clipped from" in text
    for name in ("a", "b", "colour=blue", "intercept"):
        low, high = found["intervals"][name]
        value = {**found["coefficients"], "intercept": found["intercept"]}[name]
        assert low < value < high
        assert f"{low:.5g}" in text
        assert found["standard_errors"][name] == pytest.approx((high - low) / 4)
    low, high = found["intervals"]["a"]
    assert low < 2 < high


def test_predictions_are_clipped_as_the_fit_was(relgauss: Run, files: Path):
    relgauss("fit", "data.csv", *BUDGET, *COLOURS, "--seed", "1", "--save", "clip.json", "--force")
    model = load_model(files / "clip.json")
    low, high = (float(end[0]) for end in model.feature_range_)
    rows = [f"{a},50,red" for a in (high, high + 1e9, low, low - 1e9)]
    (files / "far.csv").write_text("\n".join(["a,b,colour", *rows]) + "\n")
    first, beyond, last, below = as_json(relgauss("predict", "clip.json", "far.csv", "--json"))["predictions"]
    assert first == beyond
    assert last == below
    assert first != last


def test_a_seed_is_marked(relgauss: Run):
    assert relgauss("fit", "data.csv", *BUDGET, *COLOURS, "--seed", "3").stdout.startswith("SIMULATED")


def test_chosen_features_and_known_bounds(relgauss: Run):
    bounds = ["--bounds", "a=-5:5", "--bounds", "b=0:100", "--bounds", "y=-20:30"]
    arguments = ["fit", "data.csv", *BUDGET, "--features", "b, a", "--seed", "1", "--json"]
    found = as_json(relgauss(*arguments, *bounds))
    assert list(found["coefficients"]) == ["b", "a"]
    stages = [charge["stage"] for charge in found["privacy"]["charges"]]
    assert "column ranges" in stages  # within the bounds
    for name, low, high in (("a", -5, 5), ("b", 0, 100)):
        found_low, found_high = found["feature_range"][name]
        assert low <= found_low < found_high <= high
    assert -20 <= found["prediction_range"][0] < found["prediction_range"][1] <= 30


def test_public_data_whiten(relgauss: Run):
    options = ["--public-data", "public.csv", "--seed", "1", "--json"]
    found = as_json(relgauss("fit", "data.csv", *BUDGET, *COLOURS, *options))
    assert "covariance" not in str(found["privacy"])
    assert found["coefficients"]["a"] == pytest.approx(2, abs=0.5)


@pytest.mark.parametrize("mechanism", ["clipped", "public-iterate", "isometric", "relative"])
def test_mechanisms(relgauss: Run, mechanism: str):
    options = ["--mechanism", mechanism, "--seed", "1", "--json"]
    found = as_json(relgauss("fit", "data.csv", *BUDGET, *COLOURS, *options))
    assert found["privacy"]["epsilon"] <= 2
    assert len(found["coefficients"]) == 3


FEW = ["--query", "SELECT * FROM data LIMIT 60"]


def test_a_hopeless_fit_stops_before_it_spends(relgauss: Run, no_noise, files: Path):
    done = relgauss("fit", "data.csv", *BUDGET, *COLOURS, *FEW, "--save", "few.json")
    is_one_line(done, "60 records are too few for 3 features at this budget. Use at least 211 records")
    assert "--allow-constant" in done.stderr
    assert not (files / "few.json").exists()


def test_with_what_the_message_asks_for_it_goes_on(relgauss: Run):
    enough = ["--query", "SELECT * FROM data LIMIT 211", "--seed", "0"]
    done = relgauss("fit", "data.csv", *BUDGET, *COLOURS, *enough)
    assert done.code in (0, 3)  # what the records show may still not be enough
    assert "too few" not in done.stdout


def test_a_constant_that_is_asked_for_is_released_and_exits_by_its_own_code(relgauss: Run, files: Path):
    done = relgauss("fit", "data.csv", *BUDGET, *COLOURS, *FEW, "--allow-constant", "--save", "few.json")
    assert (done.code, done.stderr) == (3, "")
    assert "Degraded to a constant: 60 records are too few" in done.stdout
    assert isinstance(load_model(files / "few.json").outcome_, Degraded)


@pytest.mark.parametrize("as_what", [[], ["--json"]], ids=["text", "json"])
def test_a_fit_that_degrades_on_the_way_exits_by_its_own_code(relgauss: Run, files: Path, as_what: list[str]):
    """Only releases show that these labels do not differ, so everything is spent and written."""
    query = ["--query", "SELECT a, b, 7.0 AS y FROM data", "--seed", "0", "--save", "same.json", "--force"]
    done = relgauss("fit", "data.parquet", *BUDGET, *query, *as_what)
    assert (done.code, done.stderr) == (3, "")
    assert "no spread" in done.stdout
    assert isinstance(load_model(files / "same.json").outcome_, Degraded)


def test_a_saved_model_predicts_what_python_predicts(relgauss: Run, files: Path):
    options = ["--seed", "1", "--save", "model.json", "--plot", "model.png", "--force"]
    done = relgauss("fit", "data.csv", *BUDGET, *CLEAN, *options)
    assert (done.code, done.stderr) == (0, "")
    assert "Model: model.json" in done.stdout
    assert (files / "model.png").read_bytes().startswith(b"\x89PNG")
    model = load_model(files / "model.json")
    frame = made_frame()
    features = np.column_stack([frame["a"], frame["b"], frame["colour"] == "blue"]).astype(float)
    expected = features.clip(*model.feature_range_) @ model.coef_ + model.intercept_
    expected = expected.clip(*model.prediction_range_)

    printed = relgauss("predict", "model.json", "data.csv")
    assert (printed.code, printed.stderr) == (0, "SIMULATED, not private: fitted with a seed.\n")
    header, *rows = csv.reader(printed.stdout.splitlines())
    assert header == ["prediction"]
    np.testing.assert_allclose(np.array(rows, dtype=float).ravel(), expected, rtol=1e-9, atol=1e-9)

    assert relgauss("predict", "model.json", "parts", "--output", "out.csv", "--force").stdout == ""
    assert len((files / "out.csv").read_text().splitlines()) == COUNT + 1
    found = as_json(relgauss("predict", "model.json", "data.duckdb", "--json"))
    np.testing.assert_allclose(found["predictions"], expected, rtol=1e-9, atol=1e-9)
    assert found["privacy"] == model.privacy_.to_dict()


def test_a_missing_number_counts_as_the_public_value(relgauss: Run, files: Path):
    """In the fit, and in the predictions of the model that it saved."""
    options = ["--features", "a,b", "--missing", "4", "--seed", "0", "--save", "two.json", "--force"]
    relgauss("fit", "data.csv", *BUDGET, *options)
    (files / "new.csv").write_text("b,a,other\n1,,x\n1,4,y\n")
    done = relgauss("predict", "two.json", "new.csv", "--json")
    first, second = as_json(done)["predictions"]
    assert first == second


def test_a_classifier_predicts_probabilities(relgauss: Run, files: Path):
    query = "SELECT a, b, y > 5 AS is_high FROM data"
    records = read_records(
        files / "data.csv", target="is_high", query=query.replace("y >", "CAST(y AS DOUBLE) >")
    )
    save_model(PrivateLogisticRegression(5.0, random_state=0).fit(records), files / "classes.json")
    found = as_json(relgauss("predict", "classes.json", "data.parquet", "--json"))
    high = made_frame()["y"].to_numpy() > 5
    predictions = np.array(found["predictions"])
    assert ((predictions > 0.5) == high).mean() > 0.7
    assert 0 < predictions.min() < predictions.max() < 1


MISTAKES = [
    (["data.csv", *BUDGET], "'colour' does not hold numbers, but varchar, in data.csv"),
    (["text.csv", *BUDGET, *COLOURS], "column 'a' of text.csv"),
    (["infinite.csv", *BUDGET, *COLOURS], "column 'b' of infinite.csv"),
    (["category.csv", *BUDGET, *COLOURS], "column 'colour' of category.csv"),
    (["data.csv", *BUDGET, "--features", "a,weight"], "no column 'weight' in data.csv"),
    (["empty", *BUDGET], "no table in empty"),
    (["gone.parquet", *BUDGET], "no file gone.parquet"),
    (["data.csv", *BUDGET, *COLOURS, "--categories", "colour"], "COLUMN=A,B"),
    (["data.csv", *BUDGET, *COLOURS, "--categories", "colour=red,green"], "'colour' is given twice"),
    (["data.csv", *BUDGET, "--categories", "colour=red,red"], "categories"),
    (["data.csv", *BUDGET, *COLOURS, "--target", "a"], "--target is given twice"),
    (["data.csv", *BUDGET, "--features", "a,a"], "features"),
    (
        ["data.csv", *BUDGET, "--features", "a", "--bounds", "a=0:1", "--bounds", "a=0:2"],
        "'a' is given twice",
    ),
    (["data.csv", *BUDGET, "--features", "a", "--bounds", "a=nan:1"], "LOW <= HIGH"),
    (["data.csv", *BUDGET, "--features", "a", "--bounds", "a=-inf:inf"], "bounds"),
    (["data.csv", *BUDGET, *COLOURS, "--alpha", "inf"], "alpha"),
    (["data.csv", *BUDGET, *COLOURS, "--save", ""], "--save is empty"),
    (["data.csv", *BUDGET, *COLOURS, "--save", "both.png", "--plot", "both.png"], "written twice"),
    (["data.csv", *BUDGET, "--categories", "colour=red"], "categories"),
    (["data.csv", *BUDGET, *COLOURS, "--bounds", "a=1"], "COLUMN=LOW:HIGH"),
    (["data.csv", *BUDGET, *COLOURS, "--bounds", "a=0:1"], "Add 'b', 'colour=blue'"),
    (["data.csv", *BUDGET, *COLOURS, "--bounds", "z=0:1"], "bounds"),
    (["data.csv", *BUDGET, "--features", "a", "--bounds", "a=2:1"], "LOW <= HIGH"),
    (["data.csv", *BUDGET, *COLOURS, "--mechanism", "magic"], "mechanism"),
    (["data.csv", *BUDGET, *COLOURS, "--missing", "nan"], "missing"),
    (["data.csv", *BUDGET, *COLOURS, "--alpha", "-1"], "alpha"),
    (["data.csv", *BUDGET, *COLOURS, "--save", "gone/model.json"], "cannot be written"),
    (["data.csv", *BUDGET, *COLOURS, "--plot", "gone/model.png"], "gone"),
    (["data.csv", *BUDGET, *COLOURS, "--table", "people"], "table"),
    (["data.csv", *BUDGET, *COLOURS, "--public-data", "gone.csv"], "no file gone.csv"),
    (["data.csv", *BUDGET, "--features", "a,y"], "features"),
    (["data.csv", "--target", "y", "--epsilon", "0", "--delta", "1e-6", *COLOURS], "epsilon"),
]


@pytest.fixture
def no_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    def drawn(*arguments: Any, **options: Any) -> None:
        pytest.fail("noise was drawn before the mistake was found")

    monkeypatch.setattr(Mechanism, "release", drawn)


def is_one_line(done: Done, cause: str) -> None:
    assert (done.code, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    assert cause in done.stderr


@pytest.mark.parametrize(
    ("arguments", "cause"), MISTAKES, ids=lambda each: each if isinstance(each, str) else ""
)
def test_a_mistake_is_one_line_and_nothing_is_drawn(
    relgauss: Run, no_noise, arguments: list[str], cause: str
):
    is_one_line(relgauss("fit", *arguments), cause)


def test_mistakes_of_predict(relgauss: Run, files: Path):
    relgauss("fit", "data.csv", *BUDGET, *COLOURS, "--seed", "0", "--save", "saved.json")
    unnamed = PrivateRidge(random_state=0).fit(made_frame()[["a", "b"]].to_numpy(), made_frame()["y"])
    save_model(unnamed, files / "unnamed.json")
    (files / "other.json").write_text("{}")
    for arguments, cause in [
        (["gone.json", "data.csv"], "cannot be read"),
        (["other.json", "data.csv"], "no saved model"),
        (["unnamed.json", "data.csv"], "does not name its features"),
        (["saved.json", "gone.csv"], "no file gone.csv"),
        (["saved.json", "category.csv"], "column 'colour' of category.csv"),
        (["saved.json", "data.csv", "--output", "gone/out.csv"], "cannot be written"),
        (["saved.json", "data.csv", "--output", "out.xlsx"], "a .csv file"),
        (["saved.json", "data.csv", "--output", "new.csv", "--json"], "Pass one of them"),
    ]:
        is_one_line(relgauss("predict", *arguments), cause)
