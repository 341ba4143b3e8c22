"""Options on how a table's columns become numbers, for commands that read one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from relgauss.cli.options import RESULT
from relgauss.errors import InvalidParameterError

TABLE, KNOWN, PERSONS = "The table", "What is known publicly", "Persons and groups"

TableName = Annotated[
    str | None,
    typer.Option(
        "--table",
        help="Table of a database, or sheet of a workbook.",
        rich_help_panel=TABLE,
        show_default=False,
    ),
]
Query = Annotated[
    str | None,
    typer.Option(
        help="SQL that makes the table; the file is called data in it. Filter by public columns only.",
        rich_help_panel=TABLE,
        show_default=False,
    ),
]
Numbers = Annotated[
    list[str] | None,
    typer.Option(
        metavar="[COLUMN=]1234.5",
        help="1234.5 as text in the table would write it: '$1,234.50', 'pay=1.234,50 €', '1234.5 %' (5 % is "
        "read as 0.05).",
        rich_help_panel=KNOWN,
        show_default=False,
    ),
]
Categories = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=A,B,...",
        help="Values of a column that holds no numbers; all that there may be.",
        rich_help_panel=KNOWN,
        show_default=False,
    ),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        metavar="[COLUMN=]VALUE",
        help="What a missing value counts as, in all features or in a column. Default: refused.",
        rich_help_panel=KNOWN,
        show_default=False,
    ),
]

MissingText = Annotated[
    str, typer.Option(help="A missing number: 'leave out', or what it counts as.", rich_help_panel=KNOWN)
]
Magnitudes = Annotated[
    tuple[float, float],
    typer.Option(
        "--range",
        metavar="LOW HIGH",
        help="Magnitudes lie here, publicly.",
        rich_help_panel=KNOWN,
        show_default="1e-6 1e12",
    ),
]
Signs = Annotated[str, typer.Option(help="both, or positive if nothing is negative.", rich_help_panel=KNOWN)]
RowsPerPerson = Annotated[
    int | None,
    typer.Option(
        help="Rows of a person kept in a group. Default: found.", rich_help_panel=PERSONS, show_default=False
    ),
]
GroupsPerPerson = Annotated[
    int | None,
    typer.Option(
        help="Groups that a person is kept in. Default: found.", rich_help_panel=PERSONS, show_default=False
    ),
]
Simultaneous = Annotated[
    bool, typer.Option("--simultaneous", help="All intervals hold at once.", rich_help_panel=RESULT)
]
Data = Annotated[Path, typer.Argument(metavar="FILE")]
Epsilon = Annotated[float, typer.Option(help="Epsilon of the whole table.")]
Delta = Annotated[float, typer.Option(help="Delta of the whole table.")]
Confidence = Annotated[float, typer.Option(help="How sure the intervals are.", rich_help_panel=RESULT)]
OutputFile = Annotated[
    Path | None,
    typer.Option(
        "--output",
        metavar="FILE",
        help="Write a .csv, .xlsx, .html, .parquet or .json.",
        rich_help_panel=RESULT,
        show_default=False,
    ),
]


def read_numbers(numbers: Sequence[str] | None) -> str | dict[str, str] | None:
    """One writing for all columns of text, or COLUMN=WRITING for each."""
    if not numbers:
        return None
    if len(numbers) == 1 and "=" not in numbers[0]:
        return numbers[0]
    given: dict[str, str] = {}
    for each in numbers:
        name, sign, example = each.rpartition("=")
        if not sign or name in given:
            raise InvalidParameterError(
                "numbers",
                each,
                "COLUMN=1234.5, each column once",
                "Write for example --numbers 'pay=$1,234.50'.",
            )
        given[name] = example
    return given


def read_categories(categories: list[str]) -> dict[str, list[str]]:
    """COLUMN=A,B,... as lists of values."""
    given: dict[str, list[str]] = {}
    for each in categories:
        name, sign, values = each.partition("=")
        if not sign:
            raise InvalidParameterError(
                "categories", each, "COLUMN=A,B,...", "Write for example --categories colour=red,green,blue."
            )
        if name in given:
            raise InvalidParameterError(
                "categories", each, f"new: {name!r} is given twice", "List all at once."
            )
        given[name] = values.split(",")
    return given


def read_missing(missing: Sequence[str] | None) -> float | dict[str, float | str] | None:
    """One number for all columns, or COLUMN=VALUE for each: a number, or a value of a column of categories.

    None if nothing is said.
    """
    if not missing:
        return None
    if len(missing) == 1 and "=" not in missing[0]:
        try:
            return float(missing[0])
        except ValueError:
            fix = "Write for example --missing 0, or --missing age=40."
            raise InvalidParameterError("missing", missing[0], "a number or COLUMN=VALUE", fix) from None
    given: dict[str, float | str] = {}
    for each in missing:
        name, sign, value = each.partition("=")
        if not sign or name in given:
            fix = "Write for example --missing age=40 --missing town=port."
            raise InvalidParameterError("missing", each, "COLUMN=VALUE, each column once", fix)
        given[name] = number_or_text(value)
    return given


def number_or_text(given: str) -> str | float:
    """A number as such, other words as they are; what is neither is refused later."""
    try:
        return float(given)
    except ValueError:
        return given
