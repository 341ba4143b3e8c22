"""``relgauss means``: the mean of every group of a table, when nobody knows the scale."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Annotated, cast

import numpy as np
import typer
from rich.markup import escape

from relgauss.cli import options, output
from relgauss.cli.files import check_new_files, write_all, write_new
from relgauss.cli.forecast_means import means as forecast_means
from relgauss.cli.forecast_output import print_of_texts
from relgauss.cli.ledger_option import left_in, open_ledger, print_left
from relgauss.cli.pages import Pages, RegistryFile, ReportFile
from relgauss.cli.table_options import (
    KNOWN,
    TABLE,
    Confidence,
    Data,
    Delta,
    Epsilon,
    Magnitudes,
    MissingText,
    Numbers,
    OutputFile,
    Query,
    TableName,
    number_or_text,
    read_numbers,
)
from relgauss.cli.table_text import print_before_release
from relgauss.grouped import GroupedRelease, release_means
from relgauss.grouped.column_estimates import SIGNS_UNSAID
from relgauss.grouped.signed_grid import Signs as SignsOfValues
from relgauss.grouped.value_rule import Missing
from relgauss.grouped.write import check_output_file, files_of, write_release
from relgauss.report.group_means import plot_group_means
from relgauss.report.means_section import means_section
from relgauss.report.style import check_plot_file
from relgauss.report.wording import counted, printable

_MOST_ROWS = 20

By = Annotated[str, typer.Option(help="Column of the groups, which are public.", rich_help_panel=TABLE)]
Value = Annotated[str, typer.Option(help="Column of the private numbers.", rich_help_panel=TABLE)]
Signs = Annotated[
    str | None,
    typer.Option(
        help="both, or positive if nothing is negative. Default: positive, and flagged if many count as 0.",
        rich_help_panel=KNOWN,
        show_default=False,
    ),
]
Spread = Annotated[
    float | None,
    typer.Option(
        help="Assume that values of a group differ by at most this part (0.10: 10 %).",
        rich_help_panel=KNOWN,
        show_default=False,
    ),
]


def means(
    data: Data,
    *,
    by: By,
    value: Value,
    epsilon: Epsilon,
    delta: Delta,
    table: TableName = None,
    query: Query = None,
    numbers: Numbers = None,
    value_range: Magnitudes = (1e-6, 1e12),
    spread: Spread = None,
    signs: Signs = None,
    missing: MissingText = "leave out",
    confidence: Confidence = 0.95,
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
    """Release the mean of every group of a table, without a bound on the values.

    FILE is CSV, Parquet, Excel, or a DuckDB or SQLite database. One row is one person; groups and their sizes
    are public. Without --spread nothing is assumed about the values.
    """
    if dry_run:
        forecast_means(
            data,
            by=by,
            value=value,
            epsilon=epsilon,
            delta=delta,
            table=table,
            query=query,
            value_range=value_range,
            spread=spread,
            confidence=confidence,
            json=json,
        )
        if not json:
            written = read_numbers(numbers)
            print_before_release(data, [by], [value], table, query, epsilon, delta, written)
        if numbers is None and not json:
            print_of_texts(data, [value], table, query)
        return
    tables = [] if output_file is None else files_of(output_file)
    pages = Pages(report, registry)
    pages.check(simulated=seed is not None)
    check_new_files([*tables, plot, *pages.files], [data, ledger], force)
    book = open_ledger(ledger)
    if output_file is not None:
        check_output_file(output_file)
    if plot is not None:
        check_plot_file(plot)
    with output.working("Releasing the means"):
        release = release_means(
            data,
            by=by,
            value=value,
            epsilon=epsilon,
            delta=delta,
            spread=spread,
            value_range=value_range,
            signs=cast("SignsOfValues | None", signs),
            missing=cast(Missing, number_or_text(missing)),
            confidence=confidence,
            table=table,
            query=query,
            numbers=read_numbers(numbers),
            rng=None if seed is None else np.random.default_rng(seed),
            ledger=book,
        )
    writes: list[Callable[[], object]] = []
    if output_file is not None:
        writes.append(partial(write_release, release, output_file, replace=force))
    if plot is not None:
        writes.append(partial(write_new, plot, partial(plot_group_means, release), force))
    writes += pages.writes(f"Mean {value} by {by}", [means_section(release)], release.privacy, force)
    failed = write_all(writes)
    if json:
        output.print_json(release.to_dict() | left_in(book))
    else:
        _print_text(release)
        print_left(book, release.privacy)
    if failed is not None:
        raise failed
    if json:
        return
    if output_file is None and release.usable.sum() > _MOST_ROWS:
        output.print_line("All groups: --output FILE")
    for file in tables:
        output.print_line(f"Table: {file}")
    if plot is not None:
        output.print_line(f"Picture: {plot}")
    pages.print()


def _print_text(release: GroupedRelease) -> None:
    if release.privacy.simulated:
        output.console.print("[bold]SIMULATED, not private[/bold]")
    rows, groups = counted(int(release.sizes.sum()), "row"), counted(len(release.groups), "group")
    noise = "simulated" if release.privacy.simulated else "secure"
    output.print_line(
        f"Mean {release.value} by {release.by}: {rows} in {groups}, {release.basis}, {noise} noise."
    )
    usable = np.flatnonzero(release.usable | release.signs_unsaid)
    shown = usable[np.argsort(-release.sizes[usable], kind="stable")][:_MOST_ROWS]
    if len(shown):
        _print_table(release, shown)
    if release.signs_unsaid.any():
        output.print_hanging(f"None of these means is usable as it stands: {SIGNS_UNSAID.reason}.", 0)
    else:
        output.print_line(_remark(len(shown), len(usable), len(release.groups)))
    if len(usable) < len(release.groups):
        output.print_hanging(_not_shown(release), 0)
    for each in release.cautions():
        output.print_hanging(f"Caution: {each}", 0)
    if release.tail_assumption is not None:
        output.console.print(f"Intervals assume that {release.tail_assumption}.", highlight=False)
    for each in [*release.beyond(), *release.rule_of_signs()]:
        output.print_hanging(each, 0)
    output.console.print()
    output.print_statement(release.privacy)


def _print_table(release: GroupedRelease, rows: np.ndarray[tuple[int], np.dtype[np.intp]]) -> None:
    table = output.new_table(
        escape(printable(release.by)), "n", "Mean", f"{100 * release.confidence:g} % interval"
    )
    for column in table.columns[1:]:
        column.justify = "right"
    for row in rows:
        ends = f"{_digits(release.lower[row])} to {_digits(release.upper[row])}"
        name, size = escape(printable(release.groups[row])), f"{release.sizes[row]:,}"
        table.add_row(name, size, _digits(release.estimate[row]), ends)
    output.console.print(table)


def _digits(value: float) -> str:
    """Four digits, or all before the point."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _remark(shown: int, usable: int, groups: int) -> str:
    which = f"The {shown} largest of {usable:,}" if shown < usable else f"All {usable:,}"
    words = {0: "No usable group", 1: "One usable group"}.get(usable, f"{which} usable groups")
    others = groups - usable
    are = "is" if others == 1 else "are"
    return f"{words}; {others:,} {are} not usable (too small, wide or flagged)."


def _not_shown(release: GroupedRelease) -> str:
    """How many groups are left out of the printed table for which reason, and what would show more."""
    pairs = zip(release.flags, release.usable | release.signs_unsaid, strict=True)
    reasons = Counter("wide" if flag is None else flag.name for flag, usable in pairs if not usable)
    listed = ", ".join(f"{number:,} {reason}" for reason, number in reasons.most_common())
    help_ = "A narrower --range" if release.way == "enforced" else "A smaller --spread, if it is true"
    return f"Not shown: {listed}; --output FILE has all. {help_}, more epsilon or larger groups show more."
