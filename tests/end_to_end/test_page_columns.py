"""The columns that the page on a payroll explains are all those of the files that the commands write."""

import csv
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from relgauss.examples import write_payroll

PAGE = Path(__file__).parents[2] / "docs" / "salaries.md"
STATISTICS = ("count", "sum", "mean", "median", "q90", "std")
ASKED = ["--by", "job", "--numbers", "$1,234.50", "--range", "1", "1e7", "--epsilon", "3", "--delta", "1e-6"]


def explained(page: str) -> set[str]:
    """The columns in the page's table of columns, and the one that tells totals apart."""
    table = re.search(r"^\| column \| meaning \|\n\|[-|]+\n((?:\|.*\n)+)", page, re.MULTILINE)
    assert table is not None
    names = {name for name in re.findall(r"`(\w+)`", table[1]) if name != "pay"}
    assert "`is_total`" in page
    return names | {"is_total"}


def header(file: Path) -> list[str]:
    with file.open(encoding="utf-8", newline="") as lines:
        return next(csv.reader(lines))


def differences(page: str, columns: list[str]) -> set[str]:
    """Columns that are explained and not there, or there and not explained; a statistic is like the mean."""
    said = explained(page)
    like_the_mean = {re.sub(rf"^pay_(?:{'|'.join(STATISTICS)})_", "pay_mean_", name) for name in columns}
    return (said - set(columns)) | (like_the_mean - said)


@pytest.fixture
def columns(relgauss: Callable[..., object], tmp_path: Path) -> list[str]:
    write_payroll(tmp_path / "payroll.csv", 500)
    asked = ["--value", f"pay:{','.join(STATISTICS)}", "--person", "person", "--groups", "private"]
    done = relgauss("table", "payroll.csv", *ASKED, *asked, "--signs", "positive", "--output", "table.csv")
    assert done.returncode == 0, done.stderr
    return header(tmp_path / "table.csv")


def test_the_page_explains_the_columns_of_a_table(columns: list[str]):
    page = PAGE.read_text(encoding="utf-8")
    assert differences(page, columns) == set()
    assert differences(page.replace("`pay_mean_flag`", "`pay_mean_mark`"), columns) == {
        "pay_mean_mark",
        "pay_mean_flag",
    }
    assert differences(page, [*columns, "pay_new"]) == {"pay_new"}


def test_the_page_names_the_columns_of_means(relgauss: Callable[..., object], tmp_path: Path):
    write_payroll(tmp_path / "payroll.csv", 500)
    relgauss("means", "payroll.csv", *ASKED, "--value", "pay", "--output", "means.csv")
    (said,) = re.findall(r"^`relgauss means` keeps .*$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    written = header(tmp_path / "means.csv")
    named = {"n", "estimate", "lower", "upper", "mechanism"}
    assert named <= set(written)
    assert all(f"`{name}`" in said for name in named)
