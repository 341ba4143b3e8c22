"""``relgauss fit``: each mistake is one line, and nothing is drawn."""

import re
from pathlib import Path

import pytest

from .fit_tables import BUDGET, COLOURS, Run, is_one_line, made_frame

MISTAKES = [
    (["data.csv", *BUDGET], "'colour' does not hold numbers, but text, in data.csv"),
    (["data.csv", *BUDGET], "those of a feature as --categories, such as colour=blue,red"),
    (["text.csv", *BUDGET, *COLOURS], "column 'a' of text.csv"),
    (["infinite.csv", *BUDGET, *COLOURS], "column 'b' of infinite.csv"),
    (["category.csv", *BUDGET, *COLOURS], "column 'colour' of category.csv"),
    (["category.csv", *BUDGET, *COLOURS], "Add the value to its list, --categories"),
    (["data.csv", *BUDGET, *COLOURS, "--ledger", "text.csv"], "text.csv cannot be used as a ledger"),
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
    (["data.csv", *BUDGET, *COLOURS, "--classes", "red"], "classes"),
    (["data.csv", *BUDGET, *COLOURS, "--classes", "1,1.0"], "classes"),
    (["data.csv", *BUDGET, "--features", "a", "--classes", "0,1", "--bounds", "y=0:1"], "--classes"),
    (["data.csv", *BUDGET, *COLOURS, "--classes", "0,1", "--mechanism", "relative"], "fits no classes"),
    (
        ["data.csv", "--target", "colour", *BUDGET[2:], "--classes", "0,1"],
        "'colour' does not hold numbers",
    ),
    (["data.csv", *BUDGET, *COLOURS, "--bounds", "z=0:1"], "bounds"),
    (["data.csv", *BUDGET, "--features", "a", "--bounds", "a=2:1"], "LOW <= HIGH"),
    (["data.csv", *BUDGET, *COLOURS, "--mechanism", "magic"], "mechanism"),
    (["data.csv", *BUDGET, *COLOURS, "--missing", "nan"], "missing"),
    (["data.csv", *BUDGET, *COLOURS, "--missing", "none"], "COLUMN=VALUE"),
    (["data.csv", *BUDGET, *COLOURS, "--missing", "a=1", "--missing", "2"], "each column once"),
    (["data.csv", *BUDGET, *COLOURS, "--missing", "a=1", "--missing", "a=2"], "each column once"),
    (["data.csv", *BUDGET, *COLOURS, "--missing", "a=low"], "a number"),
    (["data.csv", *BUDGET, *COLOURS, "--missing", "z=1"], "a feature or the target"),
    (
        ["data.csv", *BUDGET, *COLOURS, "--missing", "colour=pink"],
        "--missing colour='pink': it must be one of",
    ),
    (["data.csv", *BUDGET, "--categories", "colour=red"], "--categories colour=red: it must be a list"),
    (["data.csv", *BUDGET, *COLOURS, "--bounds", "y=0:inf"], "--bounds 'y=0:inf': it must be two different"),
    (["data.csv", *BUDGET, *COLOURS, "--bounds", "y=3:3"], "two different numbers for the target"),
    (["data.csv", *BUDGET, *COLOURS, "--bounds", "a=0:1e90"], "--bounds 'a=0:1e+90': it must be within"),
    (["data.csv", *BUDGET, *COLOURS, "--public-data", "flat.csv"], "Some columns of flat.csv do not vary"),
    (["data.csv", *BUDGET, *COLOURS, "--missing", "9", "--bounds", "a=0:1"], "within the bounds of 'a'"),
    (
        ["data.csv", *BUDGET, *COLOURS, "--missing", "a=9", "--bounds", "a=0:1"],
        "within the bounds of 'a', 0 to 1",
    ),
    (["data.csv", *BUDGET, *COLOURS, "--alpha", "-1"], "alpha"),
    (["data.csv", *BUDGET, *COLOURS, "--save", "gone/model.json"], "cannot be written"),
    (
        ["data.csv", *BUDGET, *COLOURS, "--save", "model.pkl"],
        "--save 'model.pkl': it must be a name that ends",
    ),
    (["data.csv", *BUDGET, *COLOURS, "--save", "model"], "a name that ends in .json"),
    (["data.csv", *BUDGET, *COLOURS, "--plot", "gone/model.png"], "gone"),
    (["data.csv", *BUDGET, *COLOURS, "--table", "people"], "table"),
    (["data.csv", *BUDGET, *COLOURS, "--scratch", "gone"], "--scratch 'gone'"),
    (["data.csv", *BUDGET, *COLOURS, "--public-data", "gone.csv"], "no file gone.csv"),
    (["data.csv", *BUDGET, "--features", "a,y"], "features"),
    (["data.csv", "--target", "y", "--epsilon", "0", "--delta", "1e-6", *COLOURS], "epsilon"),
]


@pytest.mark.parametrize(
    ("arguments", "cause"), MISTAKES, ids=lambda each: each if isinstance(each, str) else ""
)
def test_a_mistake_is_one_line_and_nothing_is_drawn(
    command: Run, no_noise, arguments: list[str], cause: str, files: Path
):
    """Nor does it speak of parameters of Python."""
    made_frame().assign(a=1.0).to_csv(files / "flat.csv", index=False)
    done = command("fit", *arguments)
    is_one_line(done, cause)
    assert not re.search(r"\w+_bounds|\['|preconditioner|random_state|read_records", done.stderr)
