"""A figure that stands on two pages is the same on both."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def rows(page: str) -> list[list[str]]:
    """The cells of every row of the tables of a page, without marks for bold type."""
    lines = re.findall(r"^\|(.+)\|$", page, re.MULTILINE)
    return [[cell.strip(" *") for cell in line.split("|")] for line in lines]


def differing(short: list[list[str]], long: list[list[str]], keys: int = 1) -> list[str]:
    """The cells of rows that both tables have, by their first cells, which only the first one holds."""
    full = {tuple(row[:keys]): row for row in long}
    found = [(row, full[tuple(row[:keys])]) for row in short if tuple(row[:keys]) in full]
    assert found, "the pages have no row in common"
    return [f"{row[0]}: {cell}" for row, whole in found for cell in row[keys:] if cell not in whole]


def read(name: str) -> list[list[str]]:
    return rows((ROOT / name).read_text(encoding="utf-8"))


def test_the_readme_s_table_is_that_of_all_figures():
    models = [row for row in read("README.md") if re.fullmatch(r"\w+, [\d,]+", row[0])]
    assert len(models) == 5
    assert differing(models, read("docs/figures.md")) == []


def test_means_by_group_are_the_same_on_both_pages():
    at_one = [row[1:] for row in read("docs/salaries.md") if row[0] == "1" and row[1].startswith("n ≥")]
    assert len(at_one) == 2
    assert differing(at_one, read("docs/figures.md")) == []


def test_a_figure_that_differs_is_seen():
    ours, theirs = "| a, 1 | **.1 / .2** |", "| a, 1 | .1 / .3 | .4 |\n| b | .1 / .2 |"
    assert differing(rows(ours), rows(theirs)) == ["a, 1: .1 / .2"]
    assert differing(rows(ours), rows(theirs.replace(".3", ".2"))) == []
