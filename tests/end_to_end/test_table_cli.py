"""``relgauss table``, run as a user runs it."""

import csv
import re
import shlex
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

PAIRS = [("--epsilon", "2"), ("--delta", "1e-6"), ("--range", "100", "1e6")]
BUDGET = [word for pair in PAIRS for word in pair]
ASKED = ["--by", "job", "--value", "pay:mean,median", "--numbers", "pay=$1,234.50"]

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Path:
    """A folder with pay.csv: three jobs, one of them of a single person, pay as people write it."""
    rng = np.random.default_rng(0)
    lines = [f'clerk,{n},"${value:,.2f}"' for n, value in enumerate(3e4 * np.exp(0.1 * rng.normal(size=900)))]
    lines += [
        f'guard,{n},"${value:,.2f}"' for n, value in enumerate(2e4 * np.exp(0.1 * rng.normal(size=400)))
    ]
    lines += ['poet,5000,"$9.00"', "clerk,5001,n/a", ",5002,$5"]
    (tmp_path / "pay.csv").write_text("job,who,pay\n" + "\n".join(lines) + "\n")
    return tmp_path


@pytest.fixture
def table(relgauss: Run) -> Run:
    return partial(relgauss, "table")


def test_the_table_and_its_statement(table: Run):
    done = table("pay.csv", *ASKED, *BUDGET)
    assert (done.returncode, done.stderr) == (0, "")
    assert "pay by job: 3 groups, secure noise" in done.stdout
    assert "clerk" in done.stdout
    assert "Total" in done.stdout
    assert "One row is in no group, and left out." in done.stdout
    assert "Privacy: epsilon 2 at delta 1e-06" in done.stdout
    assert "times as likely" in done.stdout
    assert max(len(line) for line in done.stdout.splitlines()) <= 80


def test_persons_and_private_groups(as_json):
    found = as_json("table", "pay.csv", *ASKED, *BUDGET, "--person", "who", "--groups", "private")
    assert {row["job"] for row in found["groups"]} == {"clerk", "guard"}
    assert found["privacy"]["unit"] == "one person, with any number of rows"
    assert found["persons"]["noise_std"] > 0


def test_groups_of_a_file(as_json, folder: Path):
    (folder / "jobs.csv").write_text("job\nguard\nmayor\n")
    found = as_json("table", "pay.csv", *ASKED, *BUDGET, "--groups", "jobs.csv")
    assert [row["job"] for row in found["groups"]] == ["guard", "mayor"]


def test_one_group_is_not_several(table: Run, relgauss, folder: Path):
    (folder / "jobs.csv").write_text("job\nguard\n")
    done = table("pay.csv", *ASKED, *BUDGET, "--groups", "jobs.csv")
    assert "pay by job: one group, secure noise." in done.stdout
    stated = "--sizes", "400", "--range", "1000", "1000000", "--epsilon", "1"
    assert "Usable: of one group, those" in relgauss("forecast", "table", "--value", "pay", *stated).stdout
    assert "of one group" in relgauss("forecast", "means", *stated).stdout


@pytest.mark.parametrize("ending", ["csv", "xlsx", "html", "parquet", "json"])
def test_files_and_a_picture(table: Run, folder: Path, is_picture, ending: str):
    done = table("pay.csv", *ASKED, *BUDGET, "--output", f"out.{ending}", "--plot", "out.png")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"Table: out.{ending}" in done.stdout
    assert is_picture(folder / "out.png")
    again = table("pay.csv", *ASKED, *BUDGET, "--output", f"out.{ending}")
    assert again.returncode == 2
    assert "--force" in again.stderr
    if ending == "csv":
        with (folder / "out.csv").open(encoding="utf-8") as opened:
            assert next(csv.reader(opened))[:3] == ["job", "count", "pay_mean"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([*ASKED, "--groups", "gone.csv"], "gone.csv"),
        ([*ASKED, "--groups", "twice.csv"], "--groups 'clerk': it must be in the list only once"),
        ([*ASKED, "--groups", "both.csv"], "also has the column 'town': add --by town, or leave it out."),
        ([*ASKED, "--groups", "long.csv"], "A line of long.csv has more fields than its first."),
        ([*ASKED, "--groups", "twice.csv"], "List each group on a line of its own, below the line job."),
        ([*ASKED, "--by", "who", "--groups", "half.csv"], "--groups 'clerk, None': it must be 2 fields"),
        ([*ASKED, "--epsilon", "one"], "--epsilon 'one' is no number. Write it as"),
        ([*ASKED, "--range", "1", "1,5"], "--range '1,5' is no number."),
        (["--by", "job", "--value", "pay:mean,", "median"], "Put no blank after a comma"),
        (
            [*ASKED, "out.csv"],
            "(out.csv). Put no blank after a comma, what has a blank in it in quotes, and a file to",
        ),
        ([*ASKED, "--ledger", "none"], "else make it, once, with `relgauss ledger init`."),
        (
            [*ASKED, "--person", "who", "--groups", "private", "--rows-per-person", "0"],
            "Pass 1, for example.",
        ),
        (["--by", "job", "--value", "pay"], "say how it writes them (--numbers '$1,234.50').\n"),
        ([*ASKED, "--groups", "town.csv"], "town.csv has no column 'job', which --by names; it has 'town'"),
        ([*ASKED, "--groups", "empty.csv"], "--groups []: it must be a list of at least one group"),
        ([*ASKED, "--person", "who"], "Pass --groups private, or --groups FILE.csv"),
        ([*ASKED, "--rows-per-person", "3"], "--rows-per-person 3: it must be left out without --person"),
        ([*ASKED, "--signs", "none"], "--signs 'none': it must be one of"),
        ([*ASKED, "--table", "pay"], "--table 'pay': it must be left out here"),
        (["--by", "job", "--value", "pay"], "(--numbers '$1,234.50')"),
        (["--by", "job", "--value", "pay", "--numbers", ",234.50"], "single quotes"),
        (["--by", "job", "--value", "pay:q0"], "Write q1, the extreme is one person's value; there are"),
        (["--by", "job", "--value", "pay:q100"], "Write q99, the extreme is one person's value; there are"),
        (["--by", "job", "--value", "pay:mode"], "it must be the name of a statistic. Choose from count"),
        (["--by", "jobb", "--value", "pay"], "Did you mean 'job'? Its columns are"),
        (["--by", "job", "--value", "pay:avg"], "Write mean;"),
        (["--by", "job,who", "--value", "pay"], "several columns: name each by itself; `relgauss table`"),
        (["--by", "JOB ", "--value", "pay"], "Did you mean 'job'?"),
        (["--by", "job", "--by", "job", "--value", "pay"], "Name each of them once."),
        (["--by", "job", "--value", "pay:mean:median"], "with commas between statistics"),
        ([*ASKED, "--groups", "cook,clerk"], "a line for each group, the first line job"),
        ([*ASKED, "--output", "out.txt"], "--output 'out.txt': it must be"),
        ([*ASKED, "--query", "SELECT * FROM pay"], "the table is called data"),
        (["--by", "job", "--value", "pay", "--value", "pay:median"], "each column once"),
        ([*ASKED, "--missing", "none"], "leave out"),
        ([*ASKED, "--numbers", "x"], "COLUMN=1234.5"),
        (["--by", "job", "--value", "pay", "--numbers", "12"], "1234.5"),
        (["--by", "town", "--value", "pay"], "no column 'town'"),
    ],
)
def test_a_mistake_is_one_line_that_says_the_fix(table: Run, folder: Path, arguments: list[str], words: str):
    lists = {"twice": "job\nclerk\nclerk\n", "town": "town\nBern\n", "empty": "job\n"}
    lists |= {
        "both": "job,town\nclerk,Bern\nclerk,Chur\n",
        "half": "job,who\nclerk\n",
        "long": "job\nclerk, old\n",
    }
    for name, lines in lists.items():
        (folder / f"{name}.csv").write_text(lines, encoding="utf-8")
    budget = [pair for pair in PAIRS if pair[0] not in arguments]
    done = table("pay.csv", *arguments, *(word for pair in budget for word in pair))
    assert (done.returncode, done.stdout) == (2, "")
    said = re.sub("(COLUMN|pay)=", "", done.stderr)
    assert not re.search("=|tuple|Ledger", said), "no words of Python"
    assert len(done.stderr.splitlines()) == 1
    assert words in done.stderr


@pytest.mark.parametrize("command", ["table", "means"])
def test_a_dry_run_says_what_a_release_publishes_without_noise(relgauss: Run, command: str):
    budget = ["--epsilon", "1", "--delta", "1e-6"]
    done = relgauss(command, "pay.csv", "--by", "job", "--value", "pay", *budget, "--dry-run")
    said = " ".join(done.stdout.split())
    assert "Without noise, as they are: the keys in 'job' and the number of rows of each group." in said
    assert "Only what is said of 'pay' has noise." in said
    assert "Caution" not in said
    for given, words in {
        ("--epsilon", "1", "--delta", "0.01"): "Delta 0.01 is above one in 1,302",
        ("--epsilon", "60", "--delta", "1e-6"): "Epsilon 60 protects hardly anybody",
    }.items():
        done = relgauss(command, "pay.csv", "--by", "job", "--value", "pay", *given, "--dry-run")
        assert f"Caution: {words}" in " ".join(done.stdout.split())


def test_words_of_the_command_line(table: Run, relgauss, folder: Path):
    budget = ["--epsilon", "1", "--delta", "1e-6"]
    asked = ["--by", "job", "--value", "pay", "--numbers", "$1,234.50", *budget]
    assert "Zeros are always allowed" in table("pay.csv", *asked, "--range", "0", "1e6").stderr
    assert (
        "Swap its ends: the range is 100 1e+06." in table("pay.csv", *asked, "--range", "1e6", "100").stderr
    )
    two = "--range needs two numbers. Write for example --range 100 1e7."
    assert two in table("pay.csv", *asked, "--range", "9").stderr
    assert two in table("pay.csv", *asked, "--range", "9", "--dry-run").stderr
    for option, text, meant in [
        ("--range", "1,000", "1000"),
        ("--range", "$1,000.50", "1000.50"),
        ("--epsilon", "1,5", "1.5"),
        ("--delta", "10^-6", "1e-6"),
        ("--delta", "2*10**-6", "2e-6"),
        ("--confidence", "95%", "0.95"),
    ]:
        given = [each for each in asked if each not in ("--epsilon", "1", "--delta", "1e-6")]
        done = table("pay.csv", *given, option, text, *(["1e7"] if option == "--range" else []))
        assert f"{option} {text!r} is no number. Write {meant}.\n" in done.stderr
    order = relgauss(
        "ledger", "init", "x", "--dataset", "x", "--epsilon", "1", "--delta", "1e-6", "--order", "x"
    )
    assert "--order 'x' is no number." in order.stderr
    alone = relgauss("means", "pay.csv", "--by", "job", "--value", "pay:mean", *budget)
    assert "Name the column alone, 'pay'; `relgauss table` takes 'mean'" in alone.stderr
    person = relgauss("means", "pay.csv", *asked, "--person", "who")
    assert "`relgauss means` has no --person. Use `relgauss table`" in person.stderr
    twice = relgauss("means", "pay.csv", "--by", "job", "--by", "who", "--value", "pay", *budget)
    assert "use `relgauss table`, which takes several" in twice.stderr
    assert relgauss("tabel").stderr.count("Did you mean") == 1
    assert "?." not in relgauss("tabel").stderr
    assert "1000000000000" not in table("--help").stdout


@pytest.mark.parametrize("private", [["--person", "who", "--groups", "private"], ["--groups", "jobs.csv"]])
def test_a_dry_run_of_private_sizes_names_a_command_that_runs(table: Run, relgauss, private: list[str]):
    done = table("pay.csv", *ASKED, *BUDGET, *private, "--dry-run")
    assert (done.returncode, done.stdout) == (2, "")
    assert "State how many rows each may have: `relgauss forecast table " in done.stderr
    _, command, *options = shlex.split(done.stderr.split("`")[1])
    forecast = relgauss(command, *options)
    assert (forecast.returncode, forecast.stderr) == (0, "")
    assert "pay median" in forecast.stdout
    one = "Sizes are of rows, not of persons: at most one row of a person in a group, in at most one group."
    assert (one in " ".join(forecast.stdout.split())) == ("--person" in private)
