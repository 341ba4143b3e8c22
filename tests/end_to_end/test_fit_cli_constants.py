"""``relgauss fit`` where the data are too few: told before, or a constant and its own exit code."""

from pathlib import Path

import pytest

from relgauss.linear_model import Degraded, load_model

from .fit_tables import BUDGET, COLOURS, Run, is_one_line

FEW = ["--query", "SELECT * FROM data LIMIT 60"]


def test_a_hopeless_fit_stops_before_it_spends(command: Run, no_noise, files: Path):
    done = command("fit", "data.csv", *BUDGET, *COLOURS, *FEW, "--save", "few.json")
    is_one_line(done, "60 records are too few for 3 features at this budget. Use at least 421 records")
    assert "--allow-constant" in done.stderr
    assert not (files / "few.json").exists()


def test_with_what_the_message_asks_for_it_goes_on(command: Run):
    enough = ["--query", "SELECT * FROM data LIMIT 421", "--seed", "0"]
    done = command("fit", "data.csv", *BUDGET, *COLOURS, *enough)
    assert done.code in (0, 3)  # what the records show may still not be enough
    assert "too few" not in done.stdout


def test_a_constant_that_is_asked_for_is_released_and_exits_by_its_own_code(command: Run, files: Path):
    done = command("fit", "data.csv", *BUDGET, *COLOURS, *FEW, "--allow-constant", "--save", "few.json")
    assert (done.code, done.stderr) == (3, "")
    assert "Degraded to a constant: 60 records are too few" in done.stdout
    assert isinstance(load_model(files / "few.json").outcome_, Degraded)


@pytest.mark.parametrize("as_what", [[], ["--json"]], ids=["text", "json"])
def test_a_fit_that_degrades_on_the_way_exits_by_its_own_code(command: Run, files: Path, as_what: list[str]):
    """Only releases show that these labels do not differ, so everything is spent and written."""
    query = ["--query", "SELECT a, b, 7.0 AS y FROM data", "--seed", "0", "--save", "same.json", "--force"]
    done = command("fit", "data.parquet", *BUDGET, *query, *as_what)
    assert (done.code, done.stderr) == (3, "")
    assert "no spread" in done.stdout
    assert isinstance(load_model(files / "same.json").outcome_, Degraded)


def test_wrong_bounds_are_named_as_the_option_that_gave_them(command: Run, files: Path):
    options = ["--bounds", "y=1000:2000", "--seed", "0", "--report", "page.html", "--force"]
    in_json = command("fit", "data.csv", *BUDGET, *COLOURS, *options, "--json")
    done = command("fit", "data.csv", *BUDGET, *COLOURS, *options)
    for text in (done.stdout, in_json.stdout, (files / "page.html").read_text(encoding="utf-8")):
        assert "Check --bounds" in " ".join(text.split())
        assert "label_bounds" not in text
    assert done.code == 3
    assert "Check --bounds, or leave them out" in " ".join(done.stdout.split())
    assert "constant  10" in done.stdout
