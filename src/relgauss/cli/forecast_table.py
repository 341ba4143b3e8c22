"""``relgauss forecast table``: what a whole table of statistics would be like."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from relgauss.cli import options, output
from relgauss.cli.forecast_inputs import read_by_column, read_shares, read_typical_by_column
from relgauss.cli.forecast_options import (
    Confidence,
    Data,
    Delta,
    Epsilon,
    Forms,
    HtmlFile,
    MissingByColumn,
    Sizes,
    TargetError,
    TypicalByColumn,
    ZerosByColumn,
    check_request,
    command_of,
    public_sizes,
    write_page,
)
from relgauss.cli.forecast_output import print_table_forecast, targets_of
from relgauss.cli.table_options import (
    PERSONS,
    TABLE,
    GroupsPerPerson,
    Magnitudes,
    MissingText,
    Query,
    RowsPerPerson,
    Signs,
    Simultaneous,
    TableName,
    number_or_text,
)
from relgauss.cli.table_questions import read_values
from relgauss.errors import RelgaussError


def table(
    data: Data = None,
    *,
    by: Annotated[
        list[str] | None,
        typer.Option(help="A column of the groups; may be repeated.", rich_help_panel=TABLE),
    ] = None,
    values: Annotated[
        list[str],
        typer.Option(
            "--value",
            metavar="COLUMN:STATISTICS",
            help="pay:mean,median,q90; also count, sum, std, zeros, missing. May be repeated. Not read.",
            rich_help_panel=TABLE,
        ),
    ],
    sizes: Sizes = None,
    epsilon: Epsilon = None,
    delta: Delta = 1e-6,
    target_error: TargetError = None,
    table: TableName = None,
    query: Query = None,
    groups: Annotated[
        str,
        typer.Option(
            metavar="public|private|listed",
            help="As found and public, found by a noisy threshold, or listed beforehand.",
            rich_help_panel=PERSONS,
        ),
    ] = "public",
    rows_per_person: RowsPerPerson = None,
    groups_per_person: GroupsPerPerson = None,
    value_range: Magnitudes = (1e-6, 1e12),
    signs: Signs = "both",
    missing: MissingText = "leave out",
    form: Forms = None,
    zeros: ZerosByColumn = None,
    missing_share: MissingByColumn = None,
    typical: TypicalByColumn = None,
    confidence: Confidence = 0.95,
    simultaneous: Simultaneous = False,
    html: HtmlFile = None,
    force: options.Force = False,
    json: options.AsJson = False,
) -> None:
    """Forecast `relgauss table` from the sizes of groups: every statistic's errors and intervals.

    Of FILE only the columns of groups are read, and that only where groups are public. Made-up values of the
    stated form are released as real ones would be, with simulated noise.
    """
    from relgauss.forecast import forecast_table

    target = check_request(epsilon, target_error, html, data, force)
    if data is not None and groups != "public":
        raise RelgaussError(
            "Sizes of groups that are not public are private: no forecast reads them.",
            "State what you expect, as --sizes 400,60 in place of FILE.",
        )
    asked = read_values(values)
    stated: dict[str, Any] = {
        "form": read_by_column("form", form, list(asked), "lognormal:0.5"),
        "zeros": read_shares("zeros", zeros, list(asked)),
        "missing_share": read_shares("missing_share", missing_share, list(asked)),
        "typical": read_typical_by_column(typical, list(asked)),
    }
    known = public_sizes(data, sizes, by, list(asked), table, query)
    with output.working("Releasing made-up records"):
        found = forecast_table(
            known,
            values=asked,
            epsilon=1.0 if epsilon is None else epsilon,
            delta=delta,
            groups=groups,
            rows_per_person=rows_per_person,
            groups_per_person=groups_per_person,
            value_range=value_range,
            signs=signs,
            missing=number_or_text(missing),
            confidence=confidence,
            simultaneous=simultaneous,
            **stated,
        )
    targets = None if target is None else targets_of(found, target)
    if targets is not None and targets["half of the groups"] is not None:
        found = found.at(targets["half of the groups"])
    title = f"Forecast: {', '.join(asked)} by {', '.join(by or ['group'])}"
    if html is not None:
        from relgauss.report.forecast_page import table_page

        given = {
            "--by": by or ["BY"],
            "--value": values,
            "--table": table,
            "--query": query,
            "--person": None if rows_per_person is None else "PERSON",
            "--groups": {"public": None, "listed": "GROUPS.csv"}.get(groups, groups),
            "--rows-per-person": rows_per_person,
            "--groups-per-person": groups_per_person,
            "--range": value_range,
            "--signs": None if signs == "both" else signs,
            "--missing": None if missing == "leave out" else missing,
            "--simultaneous": simultaneous,
        }
        write_page(html, table_page(found, title, command_of("table", data, given)), force)
    if json:
        output.print_json(found.to_dict() | ({} if targets is None else {"target": targets}))
        return
    print_table_forecast(found, title, target_error, targets)
    if html is not None:
        output.print_line(f"Page: {html}")
