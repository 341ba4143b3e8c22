"""A released table as text: its largest groups, the totals, what was left out, and the statement."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.markup import escape

from relgauss.cli import output
from relgauss.grouped import TableRelease
from relgauss.grouped.html import cell_text
from relgauss.report.wording import printable

_MOST_ROWS = 20


def print_table_release(release: TableRelease) -> None:
    """Print what a terminal has room for."""
    if release.privacy.simulated:
        output.console.print("[bold]SIMULATED, not private[/bold]")
    noise = "simulated" if release.privacy.simulated else "secure"
    output.print_line(f"{_title(release)}: {len(release):,} groups, {noise} noise.")
    if len(release):
        _print_table(release)
    for line in _remarks(release):
        output.print_hanging(line, 0)
    output.console.print()
    output.print_statement(release.privacy)


def _title(release: TableRelease) -> str:
    return f"{', '.join(release.values)} by {', '.join(release.by)}"


def _print_table(release: TableRelease) -> None:
    """The largest groups, an estimate and an interval for each statistic, and the totals."""
    statistics = [f"{value}_{each}" for value, asked in release.values.items() for each in asked]
    shown = output.new_table(
        *(escape(printable(name)) for name in release.by), _count_header(release), *_headers(release)
    )
    for column in shown.columns[len(release.by) :]:
        column.justify = "right"
    for column in shown.columns:
        column.overflow = "fold"
    columns = release.data()
    for row in np.argsort(-release.counts.rows, kind="stable")[:_MOST_ROWS].tolist():
        keys = [escape(printable(key[row])) for key in release.keys]
        shown.add_row(*keys, *_cells({name: column[row] for name, column in columns.items()}, statistics))
    total = release.total()
    if total is not None:
        shown.add_section()
        shown.add_row("Total", *[""] * (len(release.by) - 1), *_cells(total, statistics))
    output.console.print(shown)


def _count_header(release: TableRelease) -> str:
    return "count" if release.bounds is None else "rows\nkept"


def _headers(release: TableRelease) -> list[str]:
    return [
        f"{escape(printable(value))}\n{each}" for value, asked in release.values.items() for each in asked
    ]


def _cells(row: dict[str, Any], statistics: list[str]) -> list[str]:
    cells = [f"{row['count']:,}"]
    for name in statistics:
        ends = row[f"{name}_lower"], row[f"{name}_upper"]
        interval = "" if None in ends else f"\n{cell_text(ends[0])} to {cell_text(ends[1])}"
        reason = "" if row[f"{name}_usable"] else f"\n{row[f'{name}_flag'] or 'wide'}"
        cells.append(f"{cell_text(row[name])}{interval}{reason}".strip())
    return cells


def _remarks(release: TableRelease) -> list[str]:
    """What is not in the rows: how many more groups there are, what was left out, and one line on privacy."""
    found = []
    if len(release) > _MOST_ROWS:
        found.append(f"The {_MOST_ROWS} largest of {len(release):,} groups; all of them: --output FILE")
    found += [f"Caution: {each}" for each in release.cautions()]
    return [*found, *release.notes(), release.summary()]
