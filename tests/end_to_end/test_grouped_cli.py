"""``relgauss means``, run as a user runs it."""

import csv
import json
import re
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import duckdb
import numpy as np
import pytest
from pyarrow import parquet

BUDGET = ["--epsilon", "1", "--delta", "1e-6"]
COLUMNS = ["--by", "job", "--value", "salary"]

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Path:
    """A folder with pay.csv: two jobs, one of them small, one too large for secure noise to matter."""
    rng = np.random.default_rng(0)
    lines = [f"clerk,{value:.2f}" for value in 3e4 * np.exp(0.1 * rng.normal(size=15_000))]
    lines += ["intern,9000", "intern,n/a", ",5000"]
    (tmp_path / "pay.csv").write_text("job,salary\n" + "\n".join(lines) + "\n")
    return tmp_path


@pytest.fixture
def means(relgauss: Run) -> Run:
    return partial(relgauss, "means")


def test_the_table_and_its_statement(means: Run):
    done = means("pay.csv", *COLUMNS, *BUDGET, "--range", "1000", "1000000")
    assert (done.returncode, done.stderr) == (0, "")
    assert "15,002 rows in 2 groups, no bound assumed, secure noise" in done.stdout
    assert "clerk" in done.stdout
    assert "One usable group; 1 is not usable (too small, wide or flagged)." in done.stdout
    assert "Privacy: epsilon 1 at delta 1e-06" in done.stdout
    assert "one row is one person" in done.stdout
    assert "SIMULATED" not in done.stdout
    assert max(len(line) for line in done.stdout.splitlines()) <= 80


def test_numbers_as_people_write_them(as_json, folder: Path):
    """Written plainly or with marks, a table gives the same release."""
    plain = as_json("means", "pay.csv", *COLUMNS, *BUDGET, "--seed", "1")
    lines = (folder / "pay.csv").read_text().splitlines()
    pairs = [line.split(",") for line in lines[1:]]
    written = [f'{job},"${float(pay):,.2f}"' if pay != "n/a" else f"{job},{pay}" for job, pay in pairs]
    (folder / "written.csv").write_text("\n".join([lines[0], *written]) + "\n")
    numbers = ["--numbers", "salary=$1,234.50"]
    assert as_json("means", "written.csv", *COLUMNS, *BUDGET, "--seed", "1", *numbers) == plain


def test_json(as_json):
    found = as_json("means", "pay.csv", *COLUMNS, *BUDGET, "--range", "1000", "1000000")
    clerk, intern = found["groups"]
    assert clerk["estimate"] == pytest.approx(3e4, rel=0.2)
    assert clerk["lower"] < clerk["estimate"] < clerk["upper"]
    facts = ["clipped_lower", "clipped_upper", "window_low", "window_high", "outside", "assumed_outside"]
    assert intern == dict.fromkeys(facts) | {
        "group": "intern",
        "estimate": None,
        "lower": None,
        "upper": None,
        "n": 2,
        "usable": False,
        "mechanism": "enforced",
        "flag": "too small",
    }
    assert found["privacy"]["epsilon"] <= 1


def test_an_assumed_spread_is_printed_as_assumed(means: Run):
    done = means("pay.csv", *COLUMNS, *BUDGET, "--spread", "0.10", COLUMNS="200")
    assert done.returncode == 0
    assert "assumed spread, secure noise" in done.stdout
    assert (
        "assumed     in each group all values after the rule, and any that could replace one" in done.stdout
    )


def test_a_seed_repeats_and_is_marked(means: Run, as_json):
    first, second = (as_json("means", "pay.csv", *COLUMNS, *BUDGET, "--seed", "3") for _ in range(2))
    assert first == second
    assert first["privacy"]["simulated"]
    assert first["groups"][0]["mechanism"] == "enforced, SIMULATED"
    assert means("pay.csv", *COLUMNS, *BUDGET, "--seed", "3").stdout.startswith("SIMULATED")


@pytest.mark.parametrize("ending", ["csv", "parquet", "json"])
def test_output(means: Run, folder: Path, ending: str):
    done = means("pay.csv", *COLUMNS, *BUDGET, "--output", f"means.{ending}")
    assert done.returncode == 0
    file = folder / f"means.{ending}"
    assert f"Table: means.{ending}" in done.stdout
    if ending == "csv":
        assert [row["job"] for row in csv.DictReader(file.open())] == ["clerk", "intern"]
        assert json.loads((folder / "means.csv.privacy.json").read_text())["delta"] == 1e-6
    elif ending == "parquet":
        assert parquet.read_table(file)["group"].to_pylist() == ["clerk", "intern"]
    else:
        assert len(json.loads(file.read_text())["groups"]) == 2


def test_plot(means: Run, folder: Path):
    done = means("pay.csv", *COLUMNS, *BUDGET, "--plot", "means.png")
    assert (done.returncode, done.stderr) == (0, "")
    assert (folder / "means.png").read_bytes().startswith(b"\x89PNG")
    assert "Picture: means.png" in done.stdout


def test_a_plot_without_any_usable_group(means: Run, folder: Path):
    done = means("pay.csv", *COLUMNS, "--epsilon", "1e-5", "--delta", "1e-6", "--plot", "means.svg")
    assert (done.returncode, done.stderr) == (0, "")
    assert "No usable group; 2 are not usable" in done.stdout
    assert (folder / "means.svg").exists()
    assert "Not shown: 2 too small; --output FILE has all." in " ".join(done.stdout.split())


def test_names_are_shown_as_they_are(means: Run, folder: Path):
    """Neither markup of the terminal nor a formula in the picture."""
    lines = ["$pay$_{ [/red]", *["[bold]$x_{$,20000"] * 20_000]
    (folder / "odd.csv").write_text("[b]job,$pay$_{ [/red]\n" + "\n".join(lines[1:]) + "\n")
    columns = ["--by", "[b]job", "--value", lines[0], "--plot", "odd.png"]
    done = means("odd.csv", *columns, *BUDGET)
    assert (done.returncode, done.stderr) == (0, "")
    assert "[bold]$x_{$" in done.stdout
    assert "[b]job" in done.stdout


def test_groups_of_every_type_in_json(as_json, folder: Path):
    for expression, expected in [("DATE '2020-01-02'", "2020-01-02"), ("'nan'::DOUBLE", "nan"), ("7", 7)]:
        query = f"SELECT {expression} AS job, salary FROM data"
        found = as_json(
            "means", "pay.csv", *COLUMNS, *BUDGET, "--query", query, "--output", "means.json", "--force"
        )
        written = json.loads((folder / "means.json").read_text())
        assert [row["group"] for row in found["groups"]] == [expected]
        assert [row["group"] for row in written["groups"]] == [expected]


def test_the_largest_groups_are_shown(means: Run, folder: Path):
    lines = [f"job {number},{20_000 + number}" for number in range(25) for _ in range(1_000)]
    (folder / "many.csv").write_text("job,salary\n" + "\n".join(lines) + "\n")
    done = means("many.csv", *COLUMNS, *BUDGET)
    found = re.search(r"The 20 largest of (\d+) usable groups; (\d+) (?:is|are) not usable", done.stdout)
    assert found is not None
    assert int(found[1]) + int(found[2]) == 25
    assert "Pareto tail of index 2" in " ".join(done.stdout.split())
    assert done.stdout.endswith("All groups: --output FILE\n")
    assert "--output FILE" not in means("many.csv", *COLUMNS, *BUDGET, "--output", "all.csv").stdout


def test_negative_means_are_written_as_positive_ones_are(means: Run, folder: Path):
    lines = "".join(f"a,{-24_000 - number}\n" for number in range(2_000))
    (folder / "loss.csv").write_text("job,pay\n" + lines)
    found = means("loss.csv", "--value", "pay", "--by", "job", "--signs", "both", "--seed", "1", *BUDGET)
    assert re.search(r"-2\d,\d\d\d  +-2\d,\d\d\d to -2\d,\d\d\d", found.stdout)


def test_a_query_and_a_table_of_a_database(as_json, folder: Path):
    with duckdb.connect(str(folder / "pay.duckdb")) as connection:
        connection.execute(f"CREATE TABLE staff AS SELECT * FROM '{folder / 'pay.csv'}'")
        connection.execute("CREATE TABLE other (x INT)")
    query = "SELECT upper(job) AS job, salary FROM data WHERE job = 'clerk'"
    found = as_json("means", "pay.csv", *COLUMNS, *BUDGET, "--query", query)
    assert [row["group"] for row in found["groups"]] == ["CLERK"]
    query = "SELECT job, salary FROM staff"
    found = as_json("means", "pay.duckdb", *COLUMNS, *BUDGET, "--query", query)
    assert [row["n"] for row in found["groups"]] == [15_000, 2]


@pytest.mark.parametrize(
    ("arguments", "cause"),
    [
        (["gone.csv", *COLUMNS, *BUDGET], "There is no file gone.csv"),
        (["pay.csv", "--by", "job", "--value", "pay", *BUDGET], "no column 'pay'"),
        (["pay.csv", "--by", "salary", "--value", "job", *BUDGET], "'job' does not hold numbers"),
        (["pay.csv", "--by", "job", "--value", "job", *BUDGET], "another column"),
        (["pay.csv", *COLUMNS, "--epsilon", "-1", "--delta", "1e-6"], "epsilon"),
        (["pay.csv", *COLUMNS, "--epsilon", "1"], "--delta"),
        (["pay.csv", *COLUMNS, *BUDGET, "--range", "5", "1"], "--range 5.0 1.0: it must be a range"),
        (["pay.csv", *COLUMNS, *BUDGET, "--range", "1", "1.0000000001"], "1.000001 low <= high"),
        (["pay.csv", *COLUMNS, *BUDGET, "--range", "nan", "1"], "low end"),
        (["pay.csv", *COLUMNS, *BUDGET, "--range", "1", "inf"], "high end"),
        (["pay.csv", *COLUMNS, *BUDGET, "--confidence", "nan"], "confidence"),
        (
            ["pay.csv", *COLUMNS, *BUDGET, "--by", "pay"],
            "--by is given twice. Pass it once, or use `relgauss table`",
        ),
        (
            ["pay.csv", *COLUMNS, *BUDGET, "--value", "job"],
            "--value is given twice. Pass it once, or use `relgauss table`",
        ),
        (["pay.csv", *COLUMNS, *BUDGET, "--epsilon=2"], "--epsilon is given twice. Pass it once."),
        (["pay.csv", "--by", "", "--value", "salary", *BUDGET], "--by is empty"),
        (["", *COLUMNS, *BUDGET], "FILE is empty"),
        (["pay.csv", *COLUMNS, *BUDGET, "--output", ""], "--output is empty"),
        (["pay.csv", *COLUMNS, *BUDGET, "--spread", "nan"], "spread"),
        (["pay.csv", *COLUMNS, *BUDGET, "--spread", "0"], "spread"),
        (["pay.csv", *COLUMNS, *BUDGET, "--output", "means.ods"], "means.ods"),
        (["pay.csv", *COLUMNS, *BUDGET, "--output", "gone/means.csv"], "cannot be written"),
        (["pay.csv", *COLUMNS, *BUDGET, "--plot", "means.txt"], "means.txt"),
        (["pay.csv", *COLUMNS, *BUDGET, "--table", "staff"], "table"),
        (["pay.csv", *COLUMNS, *BUDGET, "--query", "SELECT"], "does not understand the query"),
    ],
)
def test_a_mistake_is_one_line(means: Run, arguments: list[str], cause: str):
    done = means(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("Error: ")
    assert cause in done.stderr


def test_no_budget_is_spent_on_a_result_that_cannot_be_written(means: Run, folder: Path):
    """The refusal comes before the data are read: even a table that does not exist."""
    done = means("gone.csv", *COLUMNS, *BUDGET, "--output", "means.ods")
    assert "means.ods" in done.stderr


def test_without_the_extra(means: Run, folder: Path):
    (folder / "without").mkdir()
    (folder / "without" / "duckdb.py").write_text("raise ImportError")
    done = means("pay.csv", *COLUMNS, *BUDGET, PYTHONPATH="without")
    assert done.returncode == 2
    assert "relgauss[files]" in done.stderr
