"""``relgauss forecast means``: what a table of means would be like."""

from __future__ import annotations

from typing import Annotated

import typer

from relgauss.cli import options, output
from relgauss.cli.forecast_inputs import read_typical
from relgauss.cli.forecast_options import (
    Confidence,
    Data,
    Delta,
    Epsilon,
    FormOption,
    HtmlFile,
    Sizes,
    TargetError,
    Typical,
    Zeros,
    check_request,
    command_of,
    public_sizes,
    write_page,
)
from relgauss.cli.forecast_output import print_means_forecast, targets_of
from relgauss.cli.table_options import KNOWN, TABLE, Query, TableName


def means(
    data: Data = None,
    *,
    by: Annotated[
        str | None,
        typer.Option(
            help="Column of the groups, which are public.", rich_help_panel=TABLE, show_default=False
        ),
    ] = None,
    value: Annotated[
        str | None,
        typer.Option(help="Column of the values: not read.", rich_help_panel=TABLE, show_default=False),
    ] = None,
    sizes: Sizes = None,
    epsilon: Epsilon = None,
    delta: Delta = 1e-6,
    target_error: TargetError = None,
    table: TableName = None,
    query: Query = None,
    value_range: Annotated[
        tuple[float, float],
        typer.Option(
            "--range",
            metavar="LOW HIGH",
            help="Values lie here, publicly.",
            rich_help_panel=KNOWN,
            show_default="1e-6 1e12",
        ),
    ] = (1e-6, 1e12),
    spread: Annotated[
        float | None,
        typer.Option(
            help="The spread that the release will assume.", rich_help_panel=KNOWN, show_default=False
        ),
    ] = None,
    form: FormOption = "lognormal:0.5",
    zeros: Zeros = 0.0,
    typical: Typical = None,
    confidence: Confidence = 0.95,
    html: HtmlFile = None,
    force: options.Force = False,
    json: options.AsJson = False,
) -> None:
    """Forecast `relgauss means` from the sizes of groups: errors, intervals, smallest usable group.

    Of FILE only the column of groups is read. Made-up values of the stated form are released as real ones
    would be, with simulated noise.
    """
    from relgauss.forecast import forecast_means

    target = check_request(epsilon, target_error, html, data, force)
    known = public_sizes(data, sizes, by, value, table, query)
    with output.working("Releasing made-up records"):
        found = forecast_means(
            known,
            epsilon=1.0 if epsilon is None else epsilon,
            delta=delta,
            value_range=value_range,
            spread=spread,
            form=form,
            zeros=zeros,
            typical=None if typical is None else read_typical(typical),
            confidence=confidence,
        )
    targets = None if target is None else targets_of(found, target)
    if targets is not None and targets["half of the groups"] is not None:
        found = found.at(targets["half of the groups"])
    title = f"Forecast: mean {value or 'value'} by {by or 'group'}"
    if html is not None:
        from relgauss.report.forecast_page import means_page

        given = {"--by": by or "BY", "--value": value or "VALUE", "--table": table, "--query": query}
        command = command_of("means", data, given | {"--range": value_range, "--spread": spread})
        write_page(html, means_page(found, title, command), force)
    if json:
        output.print_json(found.to_dict() | ({} if targets is None else {"target": targets}))
        return
    print_means_forecast(found, title, target_error, targets)
    if html is not None:
        output.print_line(f"Page: {html}")
