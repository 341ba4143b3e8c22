"""``relgauss forecast fit``: what a private regression would be like."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from relgauss.cli import options, output
from relgauss.cli.forecast_inputs import numbers_of, read_correlations
from relgauss.cli.forecast_options import (
    STATED,
    Data,
    Delta,
    Epsilon,
    HtmlFile,
    TargetError,
    check_request,
    command_of,
    write_page,
)
from relgauss.cli.forecast_output import print_fit_forecast
from relgauss.cli.table_options import KNOWN, TABLE, Categories, Query, TableName


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
            metavar="A,B,...", help="The classes of the target.", rich_help_panel=KNOWN, show_default=False
        ),
    ] = None,
    r2: Annotated[
        float | None,
        typer.Option(
            "--r2",
            help="Share of variance that features explain. Default: 0.5.",
            rich_help_panel=STATED,
            show_default=False,
        ),
    ] = None,
    correlation: Annotated[
        float, typer.Option(help="Correlation of every two features.", rich_help_panel=STATED)
    ] = 0.0,
    correlations: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A CSV file of all correlations, the target's last, in place of --correlation and --r2.",
            rich_help_panel=STATED,
            show_default=False,
        ),
    ] = None,
    errors: Annotated[
        str,
        typer.Option(
            metavar="even|skewed",
            help="How labels lie around predictions: skewed if much farther on one side.",
            rich_help_panel=STATED,
        ),
    ] = "even",
    html: HtmlFile = None,
    force: options.Force = False,
    json: options.AsJson = False,
) -> None:
    """Forecast `relgauss fit` from the numbers of records and features: error, intervals, degraded or not.

    Of FILE only the number of rows and the names of columns are read. Made-up records of the stated kind are
    fitted as real ones would be, with simulated noise.
    """
    from relgauss.forecast import forecast_fit

    asked = check_request(epsilon, target_error, html, data, force)
    rows, columns, known = numbers_of(
        data, target, features, records, table, query, categories, bounds, classes
    )
    with output.working("Fitting made-up records"):
        found = forecast_fit(
            rows,
            columns,
            epsilon=1.0 if epsilon is None else epsilon,
            delta=delta,
            r2=r2,
            correlation=correlation if correlations is None else read_correlations(correlations),
            errors=errors,
            **known,
        )
    needed = None
    if asked is not None:
        needed = found.epsilon_for(asked)
        found = found if needed is None else found.at(needed)
    title = f"Forecast: {target or 'label'} by {columns:,} features"
    if html is not None:
        from relgauss.report.forecast_page import fit_page

        given: dict[str, object] = {
            "--target": target or "TARGET",
            "--table": table,
            "--query": query,
            "--classes": classes,
            "--features": features if data is not None else None,
            "--categories": categories,
            "--bounds": bounds,
        }
        write_page(html, fit_page(found, title, command_of("fit", data, given)), force)
    if json:
        target_found = {} if asked is None else {"target": {"error": asked, "epsilon": needed}}
        output.print_json(found.to_dict() | target_found)
        return
    print_fit_forecast(found, title, target_error, needed)
    if html is not None:
        output.print_line(f"Page: {html}")
