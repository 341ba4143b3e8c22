"""Names from a table or a file send no commands to a terminal, a picture or a spreadsheet."""

import csv
import re
import unicodedata
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relgauss.cli import output, run
from relgauss.grouped import GroupedRelease, release_means
from relgauss.grouped.write import in_spreadsheet, write_release
from relgauss.report.group_means import plot_group_means
from relgauss.report.wording import printable

HOSTILE = [
    "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x9b2J", "a\rb", "a\nb", "\x08\x08", "\u202egpj.exe",
    "\u2066x", "a\u2028b", "\x00", "\x7f",
]  # fmt: skip
FORMULAS = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "'=1", "''=1", "＝1", "-x"]
HARMLESS = ["'s-Hertogenbosch", "it's", "a=b", "-5", "+3.2e-4", "'90", "", "ünï 日本", "नमस्\u200dते"]


def released(groups: list[str]) -> GroupedRelease:
    frame = pd.DataFrame({"g": np.repeat(groups, 400), "v": 5.0})
    rng = np.random.default_rng(0)
    return release_means(frame, by="g", value="v", epsilon=8.0, delta=1e-6, rng=rng)


@pytest.mark.parametrize("name", HOSTILE)
def test_no_control_character_is_printed(name: str, capsys: pytest.CaptureFixture[str]):
    table = output.new_table("name")
    table.add_row(name)
    output.console.print(table)
    output.print_line(f"Table: {name}")
    output.print_pairs({name: name})
    written = capsys.readouterr().out
    assert "Table: " in written
    found = {unicodedata.category(each) for each in written.replace("\n", "")}
    assert not found & {"Cc", "Cf", "Cs", "Zl", "Zp"}


def test_an_error_prints_no_control_character(capsys: pytest.CaptureFixture[str]):
    assert run._tell("There is no table in \x1b[2J\u202e.", 2) == 2
    assert capsys.readouterr().err == "Error: There is no table in \\x1b[2J\\u202e.\n"


@given(st.text())
def test_what_is_printable_stays_and_the_rest_is_spelled_out(text: str):
    shown = printable(text)
    assert "\x1b" not in shown
    if text.isprintable():
        assert shown == text


def test_names_of_all_scripts_stay():
    for name in HARMLESS:
        assert printable(name) == name


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("ending", ["svg", "png"])
def test_a_picture_of_hostile_names_is_well_formed(ending: str, tmp_path: Path):
    from xml.etree import ElementTree

    groups = [name for name in HOSTILE if "\x00" not in name] + ["$x^", "=1+1"]
    plot_group_means(released(groups), tmp_path / f"x.{ending}")
    if ending == "svg":
        ElementTree.parse(tmp_path / "x.svg")


def read_back(text: str) -> str:
    """The documented way back."""
    return text[1:] if re.match(r"'+[=+\-@\t\r\n＝＋－＠]", text) else text


@pytest.mark.parametrize("name", FORMULAS)
def test_a_formula_gets_an_apostrophe(name: str):
    assert in_spreadsheet(name) == f"'{name}"


@pytest.mark.parametrize("name", [*HARMLESS, -5, 2.5, None])
def test_all_else_is_written_as_it_is(name: object):
    assert in_spreadsheet(name) == name


@given(st.text(alphabet=st.one_of(st.sampled_from("'=+-@\t\r\n 0159.eE"), st.characters())))
def test_every_name_comes_back(name: str):
    written = str(in_spreadsheet(name))
    assert read_back(written) == name
    first = written[:1]
    assert first not in ("=", "@", "\t", "\r", "\n")
    if first in ("+", "-"):
        float(written)


def test_a_written_table_holds_no_formula(tmp_path: Path):
    release = released(FORMULAS)
    file, _ = write_release(release, tmp_path / "x.csv")
    with file.open(newline="", encoding="utf-8") as opened:
        _, *rows = csv.reader(opened)
    assert [read_back(row[0]) for row in rows] == list(release.groups)
    assert all(row[0].startswith("'") for row in rows)
