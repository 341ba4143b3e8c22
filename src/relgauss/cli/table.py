"""``relgauss table``: statistics of every group of a table, with intervals, for one budget."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from functools import partial
from typing import Annotated

import numpy as np
import typer

from relgauss.cli import options, output
from relgauss.cli.files import check_new_files, write_all, write_new
from relgauss.cli.forecast_options import words_of
from relgauss.cli.forecast_output import print_of_texts
from relgauss.cli.forecast_table import table as forecast_table
from relgauss.cli.ledger_option import left_in, open_ledger, print_left
from relgauss.cli.pages import Pages, RegistryFile, ReportFile
from relgauss.cli.progress import progress
from relgauss.cli.table_options import (
    PERSONS,
    TABLE,
    Confidence,
    Data,
    Delta,
    Epsilon,
    GroupsPerPerson,
    Magnitudes,
    MissingText,
    Numbers,
    OutputFile,
    Query,
    RowsPerPerson,
    Signs,
    Simultaneous,
    TableName,
    number_or_text,
    read_numbers,
)
from relgauss.cli.table_questions import read_groups, read_values
from relgauss.cli.table_text import print_before_release, print_table_release
from relgauss.errors import RelgaussError
from relgauss.grouped import release_table
from relgauss.grouped.table_html import html_table
from relgauss.grouped.write import check_output_file, files_of, write_release
from relgauss.report.page import Section
from relgauss.report.style import check_plot_file
from relgauss.report.table_picture import plot_table

_STEPS = 1000  # of the bar

By = Annotated[
    list[str], typer.Option(help="A column of the groups; may be repeated.", rich_help_panel=TABLE)
]
Values = Annotated[
    list[str],
    typer.Option(
        "--value",
        metavar="COLUMN:STATISTICS",
        help="pay:mean,median,q90; also count, sum, std, zeros, missing. May be repeated.",
        rich_help_panel=TABLE,
    ),
]
Person = Annotated[
    str | None,
    typer.Option(
        help="Column that tells whose row it is; the promise is for the whole person.",
        rich_help_panel=PERSONS,
        show_default=False,
    ),
]
Groups = Annotated[
    str,
    typer.Option(
        metavar="public|private|FILE",
        help="As found and public, found by a noisy threshold, or listed in a CSV file.",
        rich_help_panel=PERSONS,
    ),
]
WithoutPerson = Annotated[
    str, typer.Option(help="Rows without a person: 'left out' or 'a person each'.", rich_help_panel=PERSONS)
]


def table(
    data: Data,
    *,
    by: By,
    values: Values,
    epsilon: Epsilon,
    delta: Delta,
    table: TableName = None,
    query: Query = None,
    person: Person = None,
    groups: Groups = "public",
    rows_per_person: RowsPerPerson = None,
    groups_per_person: GroupsPerPerson = None,
    without_person: WithoutPerson = "left out",
    numbers: Numbers = None,
    value_range: Magnitudes = (1e-6, 1e12),
    signs: Signs = "both",
    missing: MissingText = "leave out",
    confidence: Confidence = 0.95,
    simultaneous: Simultaneous = False,
    output_file: OutputFile = None,
    ledger: options.LedgerFile = None,
    seed: options.Seed = None,
    plot: options.PlotFile = None,
    report: ReportFile = None,
    registry: RegistryFile = None,
    dry_run: options.DryRun = False,
    force: options.Force = False,
    json: options.AsJson = False,
) -> None:
    """Release statistics of every group of a table, without a bound on the values.

    FILE is CSV, Parquet, Excel, or a DuckDB or SQLite database. Without --person one row is one person.
    """
    if dry_run:
        if person is not None or groups != "public":
            stated = {
                "--sizes": "400,60",
                "--value": values,
                "--groups": "private" if groups in ("public", "private") else "listed",
                "--rows-per-person": None if person is None else rows_per_person or 1,
                "--groups-per-person": None if person is None else groups_per_person or 1,
                "--range": None if value_range == (1e-6, 1e12) else value_range,
                "--signs": None if signs == "both" else signs,
                "--epsilon": epsilon,
                "--delta": delta,
            }
            forecast = ["relgauss", "forecast", "table", *words_of(stated)]
            raise RelgaussError(
                "The sizes of such groups are private: a dry run may not count them.",
                f"State how many rows each may have: `{shlex.join(forecast)}`.",
            )
        forecast_table(
            data,
            by=by,
            values=values,
            epsilon=epsilon,
            delta=delta,
            table=table,
            query=query,
            value_range=value_range,
            signs=signs,
            missing=missing,
            confidence=confidence,
            simultaneous=simultaneous,
            json=json,
        )
        if not json:
            written = read_numbers(numbers)
            print_before_release(data, by, list(read_values(values)), table, query, epsilon, delta, written)
        if numbers is None and not json:
            print_of_texts(data, list(read_values(values)), table, query)
        return
    if person is not None and groups == "public":
        raise RelgaussError(
            "With --person, groups as found would show a group that one person alone is in.",
            "Pass --groups private, or --groups FILE.csv with a list that does not come from the data.",
        )
    tables = [] if output_file is None else files_of(output_file)
    pages = Pages(report, registry)
    pages.check(simulated=seed is not None)
    check_new_files([*tables, plot, *pages.files], [data, ledger], force)
    book = open_ledger(ledger)
    if output_file is not None:
        check_output_file(output_file)
    if plot is not None:
        check_plot_file(plot)
    with progress(_STEPS, "Releasing the table") as advance:
        done = 0

        def watch(parts: int, total: int) -> None:
            nonlocal done
            now = _STEPS * parts // total
            advance(now - done)
            done = now

        release = release_table(
            data,
            by=by,
            values=read_values(values),
            epsilon=epsilon,
            delta=delta,
            person=person,
            groups=read_groups(groups, by),
            rows_per_person=rows_per_person,
            groups_per_person=groups_per_person,
            without_person=without_person,
            value_range=value_range,
            signs=signs,
            missing=number_or_text(missing),
            confidence=confidence,
            simultaneous=simultaneous,
            table=table,
            query=query,
            numbers=read_numbers(numbers),
            watch=watch,
            ledger=book,
            rng=None if seed is None else np.random.default_rng(seed),
        )
    writes: list[Callable[[], object]] = []
    if output_file is not None:
        writes.append(partial(write_release, release, output_file, replace=force))
    if plot is not None:
        writes.append(partial(write_new, plot, partial(plot_table, release), force))
    result = [Section("The table", f'<div class="wide">{html_table(release, promise=False)}</div>')]
    writes += pages.writes(
        f"{', '.join(read_values(values))} by {', '.join(by)}", result, release.privacy, force
    )
    failed = write_all(writes)
    if json:
        output.print_json(release.to_dict() | left_in(book))
    else:
        print_table_release(release)
        print_left(book, release.privacy)
    if failed is not None:
        raise failed
    if json:
        return
    for file in tables:
        output.print_line(f"Table: {file}")
    if plot is not None:
        output.print_line(f"Picture: {plot}")
    pages.print()
