"""``relgauss forecast``: what a release would be like, before anything is spent."""

from __future__ import annotations

import shlex
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from relgauss.cli import options, output
from relgauss.cli.files import check_new_files, write_new
from relgauss.cli.fit_inputs import read_bounds
from relgauss.cli.forecast_output import print_fit_forecast, print_means_forecast, targets_of
from relgauss.cli.options import RESULT
from relgauss.cli.strict_command import StrictCommand
from relgauss.cli.table_options import KNOWN, TABLE, Categories, Query, TableName, read_categories
from relgauss.errors import InvalidParameterError, RelgaussError

forecast = typer.Typer(help="Say what a release would be like, before anything is spent.")

_STATED = "What is stated beforehand"

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
By = Annotated[
    str | None,
    typer.Option(help="Column of the groups, which are public.", rich_help_panel=TABLE, show_default=False),
]
Value = Annotated[
    str | None,
    typer.Option(help="Column of the values: not read.", rich_help_panel=TABLE, show_default=False),
]
FormOption = Annotated[
    str,
    typer.Option(
        "--form",
        metavar="NAME:SPREAD",
        help="Form of the values in a group: lognormal:0.5, normal:0.2 or exponential.",
        rich_help_panel=_STATED,
    ),
]


@forecast.command(cls=StrictCommand)
def means(
    data: Data = None,
    *,
    by: By = None,
    value: Value = None,
    sizes: Sizes = None,
    epsilon: Epsilon = None,
    delta: Delta = 1e-6,
    target_error: TargetError = None,
    table: TableName = None,
    query: Query = None,
    value_range: Annotated[
        tuple[float, float],
        typer.Option("--range", metavar="LOW HIGH", help="Values lie here, publicly.", rich_help_panel=KNOWN),
    ] = (1e-6, 1e12),
    spread: Annotated[
        float | None,
        typer.Option(
            help="The spread that the release will assume.", rich_help_panel=KNOWN, show_default=False
        ),
    ] = None,
    form: FormOption = "lognormal:0.5",
    zeros: Annotated[float, typer.Option(help="Share of values that are 0.", rich_help_panel=_STATED)] = 0.0,
    confidence: Annotated[
        float, typer.Option(help="How sure the intervals are.", rich_help_panel=RESULT)
    ] = 0.95,
    html: HtmlFile = None,
    force: options.Force = False,
    json: options.AsJson = False,
) -> None:
    """Forecast `relgauss means` from the sizes of groups: errors, intervals, smallest usable group.

    Of FILE only the column of groups is read. Made-up values of the stated form are released as real ones
    would be, with simulated noise.
    """
    from relgauss.forecast import forecast_means
    from relgauss.forecast.public_numbers import group_sizes

    target = _check(epsilon, target_error, html, data, force)
    known: dict[Any, int] | list[int]
    if data is not None and sizes is None:
        if by is None or value is None:
            raise RelgaussError(
                "The columns are not named.", "Pass --by and --value, or --sizes in place of FILE."
            )
        with output.working("Counting the groups"):
            known = group_sizes(data, by=by, value=value, table=table, query=query)
    elif data is None and sizes is not None:
        known = read_sizes(sizes)
    else:
        raise RelgaussError("Public sizes come from FILE or from --sizes.", "Pass one of the two.")
    with output.working("Releasing made-up records"):
        found = forecast_means(
            known,
            epsilon=1.0 if epsilon is None else epsilon,
            delta=delta,
            value_range=value_range,
            spread=spread,
            form=form,
            zeros=zeros,
            confidence=confidence,
        )
    targets = None if target is None else targets_of(found, target)
    if targets is not None and targets["half of the groups"] is not None:
        found = found.at(targets["half of the groups"])
    title = f"Forecast: mean {value or 'value'} by {by or 'group'}"
    if html is not None:
        from relgauss.report.forecast_page import means_page

        words = ["relgauss", "means", str(data or "FILE"), "--by", by or "BY", "--value", value or "VALUE"]
        for name, given in (("--table", table), ("--query", query)):
            words += [] if given is None else [name, given]
        words += ["--range", f"{value_range[0]:g}", f"{value_range[1]:g}"]
        words += [] if spread is None else ["--spread", f"{spread:g}"]
        _write_page(html, means_page(found, title, shlex.join(words)), force)
    if json:
        output.print_json(found.to_dict() | ({} if targets is None else {"target": targets}))
        return
    print_means_forecast(found, title, target_error, targets)
    if html is not None:
        output.print_line(f"Page: {html}")


@forecast.command(cls=StrictCommand)
def fit(
    data: Data = None,
    *,
    target: Annotated[
        str | None,
        typer.Option(help="Column to predict: not read.", rich_help_panel=TABLE, show_default=False),
    ] = None,
    features: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,... or NUMBER",
            help="Columns of FILE to predict by; without FILE, how many there are.",
            rich_help_panel=TABLE,
            show_default=False,
        ),
    ] = None,
    records: Annotated[
        int | None,
        typer.Option(help="Number of records, in place of FILE.", rich_help_panel=TABLE, show_default=False),
    ] = None,
    epsilon: Epsilon = None,
    delta: Delta = 1e-6,
    target_error: TargetError = None,
    table: TableName = None,
    query: Query = None,
    categories: Categories = None,
    bounds: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=LOW:HIGH",
            help="Ranges of columns of FILE, as `relgauss fit` will be given them.",
            rich_help_panel=KNOWN,
            show_default=False,
        ),
    ] = None,
    classes: Annotated[
        str | None,
        typer.Option(
            metavar="A,B", help="The two classes of the target.", rich_help_panel=KNOWN, show_default=False
        ),
    ] = None,
    r2: Annotated[
        float,
        typer.Option("--r2", help="Share of variance that features explain.", rich_help_panel=_STATED),
    ] = 0.5,
    correlation: Annotated[
        float, typer.Option(help="Correlation of every two features.", rich_help_panel=_STATED)
    ] = 0.0,
    html: HtmlFile = None,
    force: options.Force = False,
    json: options.AsJson = False,
) -> None:
    """Forecast `relgauss fit` from the numbers of records and features: error, intervals, degraded or not.

    Of FILE only the number of rows and the names of columns are read. Made-up records of the stated kind are
    fitted as real ones would be, with simulated noise.
    """
    from relgauss.forecast import forecast_fit

    asked = _check(epsilon, target_error, html, data, force)
    rows, columns, known = _numbers(
        data, target, features, records, table, query, categories, bounds, classes
    )
    with output.working("Fitting made-up records"):
        found = forecast_fit(
            rows,
            columns,
            epsilon=1.0 if epsilon is None else epsilon,
            delta=delta,
            r2=r2,
            correlation=correlation,
            **known,
        )
    needed = None
    if asked is not None:
        needed = found.epsilon_for(asked)
        found = found if needed is None else found.at(needed)
    title = f"Forecast: {target or 'label'} by {columns:,} features"
    if html is not None:
        from relgauss.report.forecast_page import fit_page

        words = ["relgauss", "fit", str(data or "FILE"), "--target", target or "TARGET"]
        given = {"--table": table, "--query": query, "--classes": classes}
        given["--features"] = features if data is not None else None
        words += [word for name, each in given.items() if each is not None for word in (name, each)]
        words += [word for each in categories or [] for word in ("--categories", each)]
        words += [word for each in bounds or [] for word in ("--bounds", each)]
        _write_page(html, fit_page(found, title, shlex.join(words)), force)
    if json:
        target_found = {} if asked is None else {"target": {"error": asked, "epsilon": needed}}
        output.print_json(found.to_dict() | target_found)
        return
    print_fit_forecast(found, title, target_error, needed)
    if html is not None:
        output.print_line(f"Page: {html}")


def _numbers(
    data: Path | None,
    target: str | None,
    features: str | None,
    records: int | None,
    table: str | None,
    query: str | None,
    categories: list[str] | None,
    bounds: list[str] | None,
    classes: str | None,
) -> tuple[int, int, dict[str, bool]]:
    """The numbers of records and of features, and which bounds and classes are known."""
    is_classifier = classes is not None
    if is_classifier and len((classes or "").split(",")) != 2:
        raise RelgaussError(f"--classes {classes} are not two.", "A forecast knows two classes, as A,B.")
    if data is None:
        if records is None or features is None or not features.isdecimal():
            raise RelgaussError(
                "The numbers of records and features are not stated.",
                "Pass --records 20000 --features 10, or FILE and --target.",
            )
        if bounds or categories:
            raise RelgaussError(
                "--bounds and --categories name columns of FILE.", "Pass FILE, or leave them out."
            )
        return records, int(features), {"classes": is_classifier}
    if records is not None or target is None:
        raise RelgaussError("FILE needs --target and no --records.", "Name the column to predict.")
    rows, names = public_numbers_of(data, target, features, table, query, categories)
    return rows, len(names), known_bounds(bounds, names, target) | {"classes": is_classifier}


def public_numbers_of(
    data: Path,
    target: str,
    features: str | None,
    table: str | None,
    query: str | None,
    categories: list[str] | None,
) -> tuple[int, tuple[str, ...]]:
    """The number of rows of a file, and the names of the features."""
    from relgauss.forecast.public_numbers import numbers_for_fit

    with output.working("Counting the rows"):
        return numbers_for_fit(
            data,
            target=target,
            features=None if features is None else [name.strip() for name in features.split(",")],
            categories=read_categories(categories or []),
            table=table,
            query=query,
        )


def known_bounds(bounds: list[str] | None, names: tuple[str, ...], target: str) -> dict[str, bool]:
    """Whether the bounds cover all features, and the target: a part of them is counted as none."""
    given = read_bounds(bounds or [], list(names), target)
    covered = given.features is not None and set(given.features) >= set(names)
    return {"feature_bounds": covered, "label_bounds": given.label is not None}


def read_sizes(sizes: str) -> dict[Any, int] | list[int]:
    """A=400,B=60 or 400,60 as sizes of groups."""
    fix = "Write for example --sizes nurse=400,pilot=60, or --sizes 400,60."
    named: dict[Any, int] = {}
    plain: list[int] = []
    for each in sizes.split(","):
        name, sign, size = each.rpartition("=")
        if not size.strip().isdecimal() or (sign and name in named):
            raise InvalidParameterError("sizes", each, "a whole number, or NAME=NUMBER, each once", fix)
        if sign:
            named[name.strip()] = int(size)
        else:
            plain.append(int(size))
    if named and plain:
        raise InvalidParameterError("sizes", sizes, "with a name for every group, or for none", fix)
    return named or plain


def read_target(target: str) -> float:
    """5% or 0.05 as a share."""
    words = target.strip()
    try:
        found = float(words.removesuffix("%")) / (100 if words.endswith("%") else 1)
    except ValueError:
        found = -1.0
    if not 0 < found < 1:
        raise InvalidParameterError("target-error", target, "between 0 and 100 %", "Pass for example 5%.")
    return found


def _check(
    epsilon: float | None, target_error: str | None, html: Path | None, data: Path | None, force: bool
) -> float | None:
    """The target, if there is one; refuse, before any work, what cannot be done."""
    if (epsilon is None) == (target_error is None):
        raise RelgaussError("The budget comes from --epsilon or from --target-error.", "Pass one of the two.")
    if html is not None and html.suffix.lower() not in (".html", ".htm"):
        raise InvalidParameterError("html", str(html), "a .html file", "Change the file's ending.")
    check_new_files([html], [data], force)
    return None if target_error is None else read_target(target_error)


def _write_page(file: Path, html: str, force: bool) -> None:
    write_new(file, partial(Path.write_text, data=html, encoding="utf-8"), force)
