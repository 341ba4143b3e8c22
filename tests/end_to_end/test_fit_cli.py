"""``relgauss fit``: tables, options and what is printed."""

import subprocess
import sys
from pathlib import Path

import pytest

from .fit_tables import BOUNDS, BUDGET, COLOURS, COUNT, Run, as_json, is_one_line, made_frame


def test_as_a_user_runs_it(files: Path):
    installed = Path(sys.executable).with_name("relgauss")
    arguments = ["fit", "data.parquet", *BUDGET, *COLOURS, *BOUNDS]
    done = subprocess.run(
        [installed, *arguments], cwd=files, capture_output=True, text=True, encoding="utf-8"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "y by 3 features: 12,000 rows, secure noise." in done.stdout
    assert "colour=blue" in done.stdout
    assert "Privacy: epsilon 2 at delta 1e-06" in done.stdout
    assert "SIMULATED" not in done.stdout


def test_json(command: Run):
    arguments = ["fit", "data.csv", *BUDGET, *COLOURS, "--json"]
    found = as_json(command(*arguments, *BOUNDS))  # without them a range is missed in one fit of hundreds
    assert found["rows"] == COUNT
    assert list(found["coefficients"]) == ["a", "b", "colour=blue"]
    assert found["privacy"]["epsilon"] <= 2
    assert not found["privacy"]["simulated"]
    found = as_json(command(*arguments, "--seed", "1"))
    assert found["coefficients"]["a"] == pytest.approx(2, abs=0.5)
    assert found["coefficients"]["colour=blue"] == pytest.approx(3, abs=1)
    assert found["outcome"]["kind"] == "fitted"


def test_missing_values_count_as_said_column_by_column(command: Run, files: Path):
    """As in a table that holds these values; and a budget that protects hardly anybody is told."""
    whole = made_frame()
    whole.loc[::9, ["a", "colour"]] = [1.5, "blue"]
    whole.to_csv(files / "whole.csv", index=False)
    whole.loc[::9, ["a", "colour"]] = None
    whole.to_csv(files / "holes.csv", index=False)
    budget = ["--target", "y", "--epsilon", "12", "--delta", "1e-6", *COLOURS, "--seed", "1", "--json"]
    expected = as_json(command("fit", "whole.csv", *budget))
    found = as_json(command("fit", "holes.csv", *budget, "--missing", "a=1.5", "--missing", "colour=blue"))
    assert found["coefficients"] == pytest.approx(expected["coefficients"], rel=1e-9)
    assert found["cautions"] == expected["cautions"]
    assert "Epsilon 12 protects hardly anybody" in found["cautions"][0]


@pytest.mark.parametrize(
    ("column", "options", "is_taken"),
    [
        ("a", [], False),
        ("colour", [], False),
        ("a", ["--missing", "0"], True),
        ("y", [], False),
        ("y", ["--missing", "0"], False),
        ("y", ["--missing", "y=1"], True),
    ],
)
def test_nothing_is_filled_in_unless_said(
    column: str, options: list[str], is_taken: bool, command: Run, files: Path
):
    """A number for all is one for features: labels of people without one would pull the model to it."""
    holes = made_frame()
    holes.loc[::9, column] = None
    holes.to_csv(files / "gaps.csv", index=False)
    done = command("fit", "gaps.csv", *BUDGET, *COLOURS, *options, "--seed", "1", "--json")
    if is_taken:
        assert done.code == 0
    else:
        is_one_line(done, f"The column '{column}'")


def test_a_missing_label_counts_as_a_class_only_if_said(command: Run, files: Path):
    holes = made_frame()
    holes.loc[::9, "colour"] = None
    holes.to_csv(files / "gaps.csv", index=False)
    budget = ["--target", "colour", "--epsilon", "9", "--delta", "1e-6", "--classes", "red,blue"]
    options = [*budget, "--seed", "1", "--save", "colour.json", "--force"]
    is_one_line(command("fit", "gaps.csv", *options), "'colour' of gaps.csv holds values that are not labels")
    is_one_line(command("fit", "gaps.csv", *options, "--missing", "colour=pink"), "one of 'blue', 'red'")
    assert command("fit", "gaps.csv", *options, "--missing", "colour=red", "--allow-constant").code in (0, 3)
    assert command("predict", "colour.json", "data.csv", "--json").code == 0


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
def test_every_source_gives_the_same_model(command: Run, source: list[str]):
    options = [*BUDGET, *COLOURS, "--seed", "3", "--json"]
    expected, found = (as_json(command("fit", *each, *options)) for each in (["data.parquet"], source))
    assert found["coefficients"] == pytest.approx(expected["coefficients"], rel=1e-9)
    told = [each for each in found["privacy"]["conditions"] if each["text"].startswith("the query")]
    assert [each["provenance"] for each in told] == ["assumed"] * ("--query" in source)
    for each in told:
        found["privacy"]["conditions"].remove(each)
        found["privacy"]["charges"][0]["conditions"].remove(each)
    assert found["privacy"] == expected["privacy"]


def test_the_table_shows_intervals_and_ranges(command: Run):
    arguments = ["fit", "data.csv", *BUDGET, *COLOURS, "--seed", "3"]
    text, found = command(*arguments).stdout, as_json(command(*arguments, "--json"))
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


def test_a_seed_is_marked(command: Run):
    assert command("fit", "data.csv", *BUDGET, *COLOURS, "--seed", "3").stdout.startswith("SIMULATED")


def test_chosen_features_and_known_bounds(command: Run):
    bounds = ["--bounds", "a=-5:5", "--bounds", "b=0:100", "--bounds", "y=-20:30"]
    arguments = ["fit", "data.csv", *BUDGET, "--features", "b, a", "--seed", "1", "--json"]
    found = as_json(command(*arguments, *bounds))
    assert list(found["coefficients"]) == ["b", "a"]
    stages = [charge["stage"] for charge in found["privacy"]["charges"]]
    assert "column ranges" in stages  # within the bounds
    for name, low, high in (("a", -5, 5), ("b", 0, 100)):
        found_low, found_high = found["feature_range"][name]
        assert low <= found_low < found_high <= high
    assert -20 <= found["prediction_range"][0] < found["prediction_range"][1] <= 30


def test_public_data_whiten(command: Run):
    options = ["--public-data", "public.csv", "--seed", "1", "--json"]
    found = as_json(command("fit", "data.csv", *BUDGET, *COLOURS, *options))
    assert "covariance" not in str(found["privacy"])
    assert found["coefficients"]["a"] == pytest.approx(2, abs=0.5)


@pytest.mark.parametrize("mechanism", ["clipped", "public-iterate", "isometric", "relative"])
def test_mechanisms(command: Run, mechanism: str):
    options = ["--mechanism", mechanism, "--seed", "1", "--json"]
    found = as_json(command("fit", "data.csv", *BUDGET, *COLOURS, *options))
    assert found["privacy"]["epsilon"] <= 2
    assert len(found["coefficients"]) == 3


def test_bounds_of_some_columns_are_enough(command: Run):
    options = ["--features", "a,b", "--bounds", "a=-3:3", "--bounds", "b=0:inf", "--seed", "1", "--json"]
    found = as_json(command("fit", "data.csv", *BUDGET, *options))
    low, high = found["feature_range"]["a"]
    assert -3 <= low < high <= 3
    low, high = found["feature_range"]["b"]
    assert 0 <= low < 50 < high < 400


def test_a_classifier_of_text(command: Run, files: Path):
    options = ["--classes", "red,blue", "--features", "b,y", "--seed", "1"]
    arguments = ["fit", "data.csv", "--target", "colour", *BUDGET[2:], *options]
    text, found = command(*arguments).stdout, as_json(command(*arguments, "--json"))
    assert found["classes"] == ["blue", "red"]
    assert "colour (blue or red) by 2 features: 12,000 rows, simulated noise." in text
    assert "log-odds of red" in text
    low, high = found["intervals"]["y"]
    assert low < found["coefficients"]["y"] < high < 0
    assert f"{low:.5g}" in text
    assert found["outcome"]["kind"] == "fitted"
    done = command(*arguments, "--save", "colours.json", "--plot", "colours.png", "--force")
    assert (done.code, done.stderr) == (0, "")
    chances = as_json(command("predict", "colours.json", "data.csv", "--json"))["predictions"]
    assert len(chances) == COUNT
    assert 0 < min(chances) < max(chances) < 1


def test_a_classifier_of_three_numbers(command: Run, files: Path):
    third = "SELECT a, b, CASE WHEN y < 4 THEN 1 WHEN y < 9 THEN 2 ELSE 3 END AS third FROM data"
    options = ["--classes", "1,2,3", "--query", third, "--seed", "1", "--save", "third.json", "--force"]
    arguments = ["fit", "data.parquet", "--target", "third", *BUDGET[2:], *options]
    found = as_json(command(*arguments, "--json"))
    assert list(found["coefficients"]) == ["1", "2", "3"]
    assert found["coefficients"]["1"]["a"] < 0 < found["coefficients"]["3"]["a"]
    assert found["intercept"].keys() == found["intervals"].keys() == found["score_range"].keys()
    low, high = found["intervals"]["3"]["a"]
    assert low < found["coefficients"]["3"]["a"] < high
    text = command(*arguments).stdout
    assert "third (1, 2 or 3) by 2 features" in text
    assert "3: intercept" in text
    printed = command("predict", "third.json", "data.parquet").stdout.splitlines()
    assert printed[0] == "prediction,probability of 1,probability of 2,probability of 3"
    label, *chances = printed[1].split(",")
    assert label == str(1 + max(range(3), key=[float(each) for each in chances].__getitem__))
    as_lists = as_json(command("predict", "third.json", "data.parquet", "--json"))
    assert as_lists["columns"] == printed[0].split(",")
    assert len(as_lists["predictions"]) == COUNT


def test_a_constant_of_classes_names_their_shares(command: Run):
    few = ["--query", "SELECT a, colour FROM data LIMIT 60", "--classes", "red,blue", "--allow-constant"]
    done = command("fit", "data.csv", "--target", "colour", *BUDGET[2:], *few, "--seed", "0")
    assert (done.code, done.stderr) == (3, "")
    assert "blue  0." in done.stdout
    assert "red   0." in done.stdout


def test_one_feature_is_one(command: Run, files: Path):
    text = command("fit", "data.csv", *BUDGET, "--features", "b", "--seed", "0").stdout
    assert "y by 1 feature: 12,000 rows" in text
