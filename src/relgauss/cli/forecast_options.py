"""Options that several forecasts have, and what is done with them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from relgauss.cli import output
from relgauss.cli.files import check_new_files, write_new
from relgauss.cli.forecast_inputs import read_sizes, read_target
from relgauss.cli.options import RESULT
from relgauss.cli.table_options import TABLE
from relgauss.errors import InvalidParameterError, RelgaussError

STATED = "What is stated beforehand"

Data = Annotated[
    Path | None, typer.Argument(metavar="[FILE]", help="A table of which public numbers are read only.")
]
Epsilon = Annotated[float | None, typer.Option(help="Epsilon of the whole release.", show_default=False)]
Delta = Annotated[float, typer.Option(help="Delta of the whole release.")]
TargetError = Annotated[
    str | None,
    typer.Option(metavar="5%", help="Find the epsilon for this error instead.", show_default=False),
]
HtmlFile = Annotated[
    Path | None,
    typer.Option(
        "--html",
        metavar="FILE",
        help="Write a page with sliders for epsilon and delta, as .html.",
        rich_help_panel=RESULT,
        show_default=False,
    ),
]
Sizes = Annotated[
    str | None,
    typer.Option(
        metavar="A=400,B=60 or 400,60",
        help="Sizes of the groups, in place of FILE.",
        rich_help_panel=TABLE,
        show_default=False,
    ),
]
FormOption = Annotated[
    str,
    typer.Option(
        "--form",
        metavar="NAME:SPREAD",
        help="Form of the values in a group: lognormal:0.5, normal:0.2 or exponential; "
        "lognormal:0.05-0.2 where groups differ.",
        rich_help_panel=STATED,
    ),
]
Zeros = Annotated[float, typer.Option(help="Share of values that are 0.", rich_help_panel=STATED)]
Forms = Annotated[
    list[str] | None,
    typer.Option(
        "--form",
        metavar="NAME:SPREAD or COLUMN=NAME:SPREAD",
        help="As for means; for one column of values by its name, repeated, or for all (lognormal:0.5).",
        rich_help_panel=STATED,
        show_default=False,
    ),
]
ZerosByColumn = Annotated[
    list[str] | None,
    typer.Option(
        "--zeros",
        metavar="SHARE or COLUMN=SHARE",
        help="Share of values that are 0, by column or of all (0).",
        rich_help_panel=STATED,
        show_default=False,
    ),
]
MissingByColumn = Annotated[
    list[str] | None,
    typer.Option(
        "--missing-share",
        metavar="SHARE or COLUMN=SHARE",
        help="Share of rows without a value, by column or of all (0).",
        rich_help_panel=STATED,
        show_default=False,
    ),
]
Typical = Annotated[
    str | None,
    typer.Option(
        metavar="VALUE or LOW:HIGH",
        help="A typical value, or where those of groups lie. Default: the middle third of the range.",
        rich_help_panel=STATED,
        show_default=False,
    ),
]
TypicalByColumn = Annotated[
    list[str] | None,
    typer.Option(
        "--typical",
        metavar="VALUE, LOW:HIGH or COLUMN=...",
        help="A typical value, or where those of groups lie, by column or of all.",
        rich_help_panel=STATED,
        show_default=False,
    ),
]
Confidence = Annotated[float, typer.Option(help="How sure the intervals are.", rich_help_panel=RESULT)]


def check_request(
    epsilon: float | None, target_error: str | None, html: Path | None, data: Path | None, force: bool
) -> float | None:
    """The target, if there is one; refuse, before any work, what cannot be done."""
    if (epsilon is None) == (target_error is None):
        raise RelgaussError("The budget comes from --epsilon or from --target-error.", "Pass one of the two.")
    if html is not None and html.suffix.lower() not in (".html", ".htm"):
        raise InvalidParameterError("html", str(html), "a .html or .htm file", "Change the file's ending.")
    check_new_files([html], [data], force)
    return None if target_error is None else read_target(target_error)


def public_sizes(
    data: Path | None,
    sizes: str | None,
    by: str | Sequence[str] | None,
    values: str | Sequence[str] | None,
    table: str | None,
    query: str | None,
) -> dict[Any, int] | list[int]:
    """The sizes of the groups: from --sizes, or of a file's column of groups."""
    from relgauss.forecast.public_numbers import group_sizes

    if data is None and sizes is not None:
        return read_sizes(sizes)
    if data is None or sizes is not None:
        raise RelgaussError("Public sizes come from FILE or from --sizes.", "Pass one of the two.")
    if not by or not values:
        raise RelgaussError(
            "The columns are not named.", "Pass --by and --value, or --sizes in place of FILE."
        )
    with output.working("Counting the groups"):
        return group_sizes(data, by=by, value=values, table=table, query=query)


def command_of(name: str, data: Path | None, given: Mapping[str, object]) -> str:
    """The command of the release, to be copied."""
    return shlex.join(["relgauss", name, str(data or "FILE"), *words_of(given)])


def words_of(given: Mapping[str, object]) -> list[str]:
    """Options as they are typed; what is None or empty was not given, lists are repeated."""
    words: list[str] = []
    for option, value in given.items():
        if isinstance(value, tuple):
            words += [option, *(f"{each:g}" for each in value)]
        elif isinstance(value, list):
            words += [word for each in value for word in (option, str(each))]
        elif value is True:
            words += [option]
        elif value is not None and value is not False:
            words += [option, f"{value:g}" if isinstance(value, float) else str(value)]
    return words


def write_page(file: Path, html: str, force: bool) -> None:
    """Write a page where there is none."""
    write_new(file, partial(Path.write_text, data=html, encoding="utf-8"), force)
