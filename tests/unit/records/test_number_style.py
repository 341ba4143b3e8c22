"""Numbers as people write them become doubles, and nothing else does."""

import math
from pathlib import Path

import pandas as pd
import pytest

from relgauss.errors import InvalidParameterError, TableError
from relgauss.records.number_style import NumberStyle
from relgauss.records.tables import open_table


def numbers(texts: list[str | None], style: object) -> list[float | None]:
    with open_table(pd.DataFrame({"pay": texts}, dtype="str"), numbers=style) as table:
        return [row[0] for row in table.rows(f"SELECT {table.numbers('pay')} FROM {table.source}")]


READ = [
    ("1,234.50", {"1,234.50": 1234.5, "1234.5": 1234.5, "12,345,678": 12345678, ".5": 0.5, "-1,000": -1000}),
    (
        "1,234.50",
        {" 7 ": 7, "+3": 3, "−3": -3, "(1,234.50)": -1234.5, "1.5e6": 1.5e6, "2E-3": 0.002, "5.": 5},
    ),
    ("$1,234.50", {"$1,234.50": 1234.5, "-$5": -5, "$-5": -5, "($5.25)": -5.25, "$ 5": 5, "5": 5, "5 $": 5}),
    ("1.234,50 €", {"1.234,50 €": 1234.5, "1234,5": 1234.5, "€ 2": 2, "-0,25 €": -0.25, "1.000.000": 1e6}),
    ("1 234,50", {"1 234,50": 1234.5, "1\u00a0234,50": 1234.5, "1\u202f234\u202f567": 1234567}),
    ("1'234.50", {"1'234.50": 1234.5, "1’234.50": 1234.5}),
    ("1234.5 %", {"12.5 %": 0.125, "12.5%": 0.125, "0": 0, "0.00": 0, "-1%": -0.01, "5e-02": 0.05}),
    ("CHF 1'234.50", {"CHF 1'000.00": 1000, "1'000 CHF": 1000, "Fr": None}),
    ("Fr. 1234.50", {"Fr. 12.50": 12.5}),
]
NOT_READ = [
    (
        "1,234.50",
        ["1,23", "12,34.5", "1.234,50", "$5", "5 %", "n/a", "", "-", "--5", "1,,234", "1 234", "5 5"],
    ),
    ("1.234,50", ["1,234.50", "1234.5", "1.23", "1,234,567"]),
    ("$1,234.50", ["€5", "$$5", "$", "USD 5", "5 dollars", "(5", "5)", "(-5)"]),
    ("1234.5 %", ["12.5", "1", "5 % %", "%", "0 5"]),
    ("1234.5", ["1,234.5", "0x10", "1_000", "٣", "1/2", "NULL", "5;DROP TABLE data"]),
]


@pytest.mark.parametrize(("style", "texts"), READ)
def test_a_number_in_the_style_is_read(style: str, texts: dict[str, float]):
    assert numbers(list(texts), style) == pytest.approx(list(texts.values()), nan_ok=True)


@pytest.mark.parametrize(("style", "texts"), NOT_READ)
def test_what_is_not_in_the_style_is_no_number(style: str, texts: list[str]):
    assert numbers([*texts, None], style) == [None] * (len(texts) + 1)


@pytest.mark.parametrize(
    "example", ["1,234,50", "12.5", "$1,234.50 €", "1234", "", 5, "(1,234.50)", "-1,234.50", None, "1.234.50"]
)
def test_an_example_that_is_not_1234_5_is_refused(example: object):
    with pytest.raises(InvalidParameterError, match=r"1,234\.50"):
        NumberStyle.of(example)


def test_a_style_for_each_column(tmp_path: Path):
    file = tmp_path / "pay.csv"
    file.write_text('job,pay,rate,rest\na,"$1,000.50",5 %,7\nb,free,6 %,8\n', encoding="utf-8")
    with open_table(file, numbers={"pay": "$1,234.50", "rate": "1234.5 %"}) as table:
        columns = ", ".join(table.numbers(name) for name in ("pay", "rate", "rest"))
        assert table.rows(f"SELECT {columns} FROM {table.source}") == [(1000.5, 0.05, 7.0), (None, 0.06, 8.0)]
    with pytest.raises(TableError, match="no column 'wage'"), open_table(file, numbers={"wage": "1234.5"}):
        pass


def test_whether_a_column_with_a_style_is_read_depends_on_no_value():
    """Without one, a column of text must show a number in its first rows."""
    assert numbers(["free"] * 3, "1,234.50") == [None] * 3
    with pytest.raises(TableError, match=r"numbers='\$1,234\.50'"):
        numbers(["free"] * 3, None)


def test_no_text_of_any_length_is_an_error():
    texts = ["9" * 400, "1" + ",234" * 200, "-" * 1000, "\x00", "%", "'; --"]
    found = numbers(texts, "1,234.50")
    assert found[0] in (None, math.inf)
    assert found[2:] == [None] * 4
