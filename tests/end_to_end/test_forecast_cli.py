"""``relgauss forecast`` and ``--dry-run``: public numbers in, nothing private read, nothing spent."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

SIZES = ["--sizes", "nurse=400,pilot=60,judge=9", "--range", "1000", "1000000"]
POSITIVE = ["--signs", "positive", *SIZES[2:]]  # a wide range of both signs takes several times as long


@pytest.fixture
def guarded(tmp_path: Path) -> str:
    """A database whose private columns raise an error as soon as one value of them is read."""
    file = tmp_path / "people.duckdb"
    private = "CAST(error('a private value was read') AS DOUBLE)"
    with duckdb.connect(str(file)) as database:
        database.execute("CREATE TABLE jobs AS SELECT 'nurse' AS job FROM range(900)")
        database.execute("INSERT INTO jobs SELECT 'judge' FROM range(7)")
        database.execute(f"CREATE VIEW people AS SELECT job, {private} AS pay, {private} AS age FROM jobs")
    return str(file)


def test_means_are_forecast_by_group(relgauss: Callable[..., Any]):
    done = relgauss("forecast", "means", *SIZES, "--epsilon", "1")
    assert (done.returncode, done.stderr) == (0, "")
    assert "no private value was read, nothing is spent" in done.stdout
    for words in ("nurse", "pilot", "twice the data", "twice the epsilon", "smallest usable group", "MB"):
        assert words in done.stdout


def test_a_target_is_turned_into_an_epsilon(as_json: Callable[..., dict[str, Any]]):
    found = as_json("forecast", "means", *SIZES, "--target-error", "10%")
    assert found["epsilon"] == found["target"]["half of the groups"]
    again = as_json("forecast", "means", *SIZES, "--epsilon", str(found["epsilon"]))
    assert again["by_group"][1]["error"] == pytest.approx(0.1, rel=0.5)


def test_a_fit_is_forecast(as_json: Callable[..., dict[str, Any]], relgauss: Callable[..., Any]):
    found = as_json("forecast", "fit", "--records", "9000", "--features", "2", "--target-error", "0.01")
    assert found["fitted"] > 0.5
    assert found["error"] <= 0.01
    assert found["with_twice_the_data"]["width"] < found["width"]
    few = relgauss("forecast", "fit", "--records", "90", "--features", "3", "--epsilon", "0.5")
    assert few.returncode == 0
    assert "Degraded: 90 records are too few for 3 features at this budget." in few.stdout


@pytest.mark.parametrize("named", [True, False])
def test_correlations_come_from_a_file(as_json: Callable[..., dict[str, Any]], tmp_path: Path, named: bool):
    rows = ["1,0.9,0.3", "0.9,1,0.3", "0.3,0.3,1"]
    lines = ["age,years,pay", *rows]
    if named:
        lines = [f"{name},{row}" for name, row in zip(["", "age", "years", "pay"], lines, strict=True)]
    (tmp_path / "known.csv").write_text("\n".join(lines))
    asked = ["--records", "4000", "--features", "2", "--epsilon", "1", "--correlations", "known.csv"]
    found = as_json("forecast", "fit", *asked)
    assert found["r2"] == pytest.approx(2 * 0.3 * 0.3 / 1.9)
    assert len(found["widths"]) == 2


def test_a_dry_run_of_means_reads_no_value_and_spends_nothing(
    relgauss: Callable[..., Any], guarded: str, tmp_path: Path
):
    options = [
        "--by",
        "job",
        "--value",
        "pay",
        "--table",
        "people",
        *SIZES[2:],
        "--epsilon",
        "1",
        "--delta",
        "1e-6",
    ]
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    done = relgauss("means", guarded, *options, "--dry-run", "--output", "out.csv", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert [each["n"] for each in json.loads(done.stdout)["by_group"]] == [7, 900]
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
    assert relgauss("means", guarded, *options).returncode == 2  # the guard would have caught it


TABLE = ["--by", "job", "--value", "pay:mean,q90", "--value", "age", "--table", "people", *SIZES[2:]]


def test_a_table_is_forecast_by_statistic(relgauss: Callable[..., Any]):
    done = relgauss("forecast", "table", *SIZES, "--value", "pay:mean,median", "--epsilon", "1")
    assert (done.returncode, done.stderr) == (0, "")
    assert "no private value was read, nothing is spent" in done.stdout
    for words in ("pay mean", "pay median", "Twice the epsilon", "nurse", "Degraded: pay_mean", "MB"):
        assert words in done.stdout


def test_a_form_is_stated_for_each_column(as_json: Callable[..., dict[str, Any]]):
    columns = ["--value", "pay", "--value", "bonus", "--value", "a=b"]
    stated = ["--form", "normal:0.1", "--form", "pay=lognormal:0.2-0.4", "--zeros", "a=b=50%"]
    shares = ["--missing-share", "bonus=0.25", "--typical", "pay=30000:90000"]
    public = ["--sizes", "90,80", *POSITIVE]
    found = as_json("forecast", "table", *public, *columns, *stated, *shares, "--epsilon", "1")
    assert found["forms"] == {
        "pay": "lognormal with spread 0.2 to 0.4 around 30,000 to 90,000",
        "bonus": "normal with spread 0.1, 25 % missing",
        "a=b": "normal with spread 0.1, 50 % zeros",
    }


def test_persons_and_rows_are_told_apart(relgauss: Callable[..., Any]):
    persons = ["--groups", "private", "--rows-per-person", "3", "--groups-per-person", "1"]
    done = relgauss(
        "forecast", "table", "--sizes", "400", "--value", "pay", *persons, *POSITIVE, "--epsilon", "1"
    )
    assert "Sizes are of rows, not of persons" in done.stdout
    assert "persons on." in done.stdout


def test_next_to_nothing_is_said_to_be(relgauss: Callable[..., Any], as_json: Callable[..., dict[str, Any]]):
    asked = ["table", "--sizes", "900000", "--value", "pay:mean,zeros,count", "--missing", "0", *POSITIVE]
    done = relgauss("forecast", *asked, "--epsilon", "3")
    assert "below 0.01 %" in done.stdout
    assert not re.search(r"\de-", done.stdout.partition("delta 1e-6")[2])
    found = as_json("forecast", *asked, "--epsilon", "3")["statistics"]["pay_count"]["by_group"][0]
    assert (found["error"], found["width"]) == (0.0, 0.0)


def test_a_target_is_for_every_statistic_of_a_table(as_json: Callable[..., dict[str, Any]]):
    asked = ["--value", "pay:mean,q90", *POSITIVE]
    found = as_json("forecast", "table", "--sizes", "900,800", *asked, "--target-error", "10%")
    assert found["epsilon"] == found["target"]["half of the groups"]
    errors = [each["by_group"][0]["error"] for each in found["statistics"].values()]
    assert 0.05 < max(errors) <= 0.1


def test_a_dry_run_of_a_table_reads_no_value_and_spends_nothing(
    relgauss: Callable[..., Any], guarded: str, tmp_path: Path
):
    options = [*TABLE, "--epsilon", "1", "--delta", "1e-6"]
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    done = relgauss("table", guarded, *options, "--dry-run", "--output", "out.csv", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)["statistics"]
    assert list(found) == ["pay_mean", "pay_q90", "age_mean"]
    assert [each["n"] for each in found["pay_q90"]["by_group"]] == [7, 900]
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
    assert relgauss("table", guarded, *options).returncode == 2  # the guard would have caught it


@pytest.mark.parametrize("private", [["--groups", "private"], ["--person", "age", "--groups", "private"]])
def test_sizes_of_private_groups_are_not_read(relgauss: Callable[..., Any], guarded: str, private: list[str]):
    options = ["--by", "job", "--value", "pay", "--table", "people", "--epsilon", "1"]
    dry = relgauss("table", guarded, *options, "--delta", "1e-6", *private, "--dry-run")
    forecast = relgauss("forecast", "table", guarded, *options, "--groups", "private")
    for done in (dry, forecast):
        assert (done.returncode, done.stdout) == (2, "")
        assert "private" in done.stderr
        assert "--sizes" in done.stderr


def test_the_page_of_a_table_gives_its_command(relgauss: Callable[..., Any], guarded: str, tmp_path: Path):
    done = relgauss("forecast", "table", guarded, *TABLE, "--epsilon", "1", "--html", "f.html")
    assert "Page: f.html" in done.stdout
    html = (tmp_path / "f.html").read_text(encoding="utf-8")
    assert "--by job --value pay:mean,q90 --value age --table people --range 1000 1e+06" in html
    assert not [word for word in ("http:", "https:", "//cdn", " src=", "@import", "fetch(") if word in html]
    assert '<option value="2">age mean</option>' in html


def test_a_dry_run_of_a_fit_reads_no_value_and_spends_nothing(
    relgauss: Callable[..., Any], guarded: str, tmp_path: Path
):
    relgauss("ledger", "init", "l.ledger", "--dataset", "pay", "--epsilon", "1", "--delta", "1e-6")
    empty = (tmp_path / "l.ledger").read_bytes()
    options = [
        "--target",
        "pay",
        "--features",
        "age",
        "--table",
        "people",
        "--epsilon",
        "1",
        "--delta",
        "1e-6",
    ]
    known = ["--bounds", "age=0:120", "--bounds", "pay=0:100000"]
    done = relgauss("fit", guarded, *options, *known, "--ledger", "l.ledger", "--dry-run", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert (found["records"], found["features"]) == (907, 1)
    assert (tmp_path / "l.ledger").read_bytes() == empty
    assert relgauss("fit", guarded, *options).returncode == 2


def test_a_page_is_whole_asks_nobody_and_is_not_replaced(
    relgauss: Callable[..., Any], guarded: str, tmp_path: Path
):
    # Under an assumed spread a forecast over the default range, which the page states, is quick.
    options = ["--by", "job", "--value", "pay", "--table", "people", "--spread", "0.1", "--epsilon", "1"]
    done = relgauss("forecast", "means", guarded, *options, "--html", "f.html")
    assert "Page: f.html" in done.stdout
    html = (tmp_path / "f.html").read_text(encoding="utf-8")
    assert "--by job --value pay --table people --range 1e-06 1e+12 --spread 0.1" in html
    assert not [word for word in ("http:", "https:", "//cdn", " src=", "@import", "fetch(") if word in html]
    again = relgauss("forecast", "means", guarded, *options, "--html", "f.html")
    assert (again.returncode, again.stdout) == (2, "")
    assert "f.html exists" in again.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["means", "--epsilon", "1"], "FILE or from --sizes"),
        (["means", *SIZES], "--epsilon or from --target-error"),
        (["means", *SIZES, "--epsilon", "1", "--target-error", "5%"], "--epsilon or from --target-error"),
        (["means", *SIZES, "--target-error", "many"], "--target-error 'many': it must be"),
        (["table", *SIZES, "--value", "pay", "--missing-share", "much", "--epsilon", "1"], "--missing-share"),
        (["means", *SIZES, "--epsilon", "1", "--html", "page.txt"], "a .html or .htm file"),
        (["means", "--sizes", "a=1,2", "--epsilon", "1"], "a name for every group"),
        (["means", "--sizes", "a=1,a=2", "--epsilon", "1"], "each once"),
        (["means", *SIZES, "--epsilon", "1", "--form", "flat"], "lognormal"),
        (["means", "pay.csv", "--epsilon", "1"], "The columns are not named"),
        (["table", *SIZES, "--value", "pay:middle", "--epsilon", "1"], "median"),
        (["table", *SIZES, "--value", "pay", "--groups", "some", "--epsilon", "1"], "groups"),
        (["table", *SIZES, "--value", "pay", "--rows-per-person", "2", "--epsilon", "1"], "Pass both"),
        (["table", "pay.csv", "--value", "pay", "--epsilon", "1"], "The columns are not named"),
        (["fit", "--records", "100", "--epsilon", "1"], "not stated"),
        (["fit", "--records", "100", "--features", "2", "--bounds", "a=1:2", "--epsilon", "1"], "columns"),
        (["fit", "--records", "100", "--features", "2", "--classes", "a", "--epsilon", "1"], "Pass all"),
        (["table", *SIZES, "--value", "pay", "--zeros", "bonus=0.1", "--epsilon", "1"], "among pay"),
        (["table", *SIZES, "--value", "pay", "--zeros", "some", "--epsilon", "1"], "a share"),
        (["means", *SIZES, "--typical", "much", "--epsilon", "1"], "LOW:HIGH"),
        (["means", *SIZES, "--typical", "10:20", "--epsilon", "1"], "as the range is"),
        (["table", *SIZES, "--value", "pay", "--typical", "pay=1:2:3", "--epsilon", "1"], "LOW:HIGH"),
        (["table", *SIZES, "--value", "pay", "--form", "normal:1", "--form", "exponential", "--epsilon", "1"],
         "one for all columns"),
        (["fit", "pay.csv", "--epsilon", "1"], "needs --target"),
        (["fit", "--records", "9", "--features", "1", "--epsilon", "1", "--correlations", "x"], "cannot be"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line_that_says_the_fix(
    relgauss: Callable[..., Any], arguments: list[str], words: str
):
    done = relgauss("forecast", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_dry_run_of_another_mechanism_is_refused(relgauss: Callable[..., Any], guarded: str):
    options = ["--target", "pay", "--table", "people", "--epsilon", "1", "--delta", "1e-6", "--dry-run"]
    done = relgauss("fit", guarded, *options, "--mechanism", "relative")
    assert (done.returncode, done.stdout) == (2, "")
    assert "A forecast knows no --mechanism" in done.stderr
