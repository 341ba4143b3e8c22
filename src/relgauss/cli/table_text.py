"""A released table as text: its largest groups, the totals, what was left out, and the statement.

Where the terminal is too narrow for a column each, every group has a few lines: no number is ever broken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.markup import escape

from relgauss.budget.budget import cautions_of_budget
from relgauss.cli import output
from relgauss.grouped import TableRelease
from relgauss.grouped.html import cell_text
from relgauss.grouped.table_html import mark_of
from relgauss.records.number_style import percent_rules
from relgauss.report.wording import counted, printable

_MOST_ROWS = 20
_SMALL_DELTA = 1e-6
_KEY_WIDTH = 12


def print_table_release(release: TableRelease) -> None:
    """Print what a terminal has room for."""
    if release.privacy.simulated:
        output.console.print("[bold]SIMULATED, not private[/bold]")
    noise = "simulated" if release.privacy.simulated else "secure"
    output.print_line(f"{_title(release)}: {counted(len(release), 'group')}, {noise} noise.")
    if len(release):
        _print_groups(release)
    for line in _remarks(release):
        output.print_hanging(line, 0)
    output.console.print()
    output.print_statement(release.privacy)


def published_in_clear(by: Sequence[str], values: Sequence[str]) -> str:
    """What a release of groups as found shows without noise, for those who decide whether that is public."""
    keys, numbers = (", ".join(printable(repr(name)) for name in names) for names in (by, values))
    return (
        f"Without noise, as they are: the keys in {keys} and the number of rows of each group. Only what is "
        f"said of {numbers} has noise."
    )


def print_before_release(
    data: Path,
    by: Sequence[str],
    values: Sequence[str],
    table: str | None,
    query: str | None,
    epsilon: float,
    delta: float,
    numbers: str | dict[str, str] | None,
) -> None:
    """What a dry run says of the release: what its budget does not protect from, and what has no noise."""
    persons = 0
    if delta > _SMALL_DELTA:  # below it takes a million rows to matter: they are not read twice for that
        from relgauss.forecast.public_numbers import group_sizes

        persons = sum(group_sizes(data, by=by, value=values, table=table, query=query).values())
    for each in cautions_of_budget(epsilon, delta, persons):
        output.print_hanging(f"Caution: {each}", 0)
    output.print_hanging(published_in_clear(by, values), 0)
    for rule in percent_rules(numbers, values):
        output.print_hanging(f"Of how numbers are written: {rule}.", 0)


def _title(release: TableRelease) -> str:
    return f"{', '.join(release.values)} by {', '.join(release.by)}"


def _print_groups(release: TableRelease) -> None:
    """The largest groups, an estimate and an interval for each statistic, and the totals.

    As a table, if need be with each interval on two lines, or else with a line for each statistic.
    """
    statistics, total = _statistics(release), release.total()
    groups = [(keys, _cells(row, statistics)) for keys, row in _largest(release)]
    if total is not None:
        groups.append((["Total", *[""] * (len(release.by) - 1)], _cells(total, statistics)))
    broken = [(keys, [cell.replace(" to ", " to\n") for cell in cells]) for keys, cells in groups]
    headers = [_count_header(release), *_headers(release)]
    for some in (groups, broken):
        if _least_width([headers, *(cells for _, cells in some)], len(release.by)) <= output.console.width:
            _print_table(release, headers, some, has_total=total is not None)
            return
    _print_stacked(release, groups)


def _print_table(
    release: TableRelease, headers: list[str], groups: list[tuple[list[str], list[str]]], *, has_total: bool
) -> None:
    shown = output.new_table(*(escape(printable(name)) for name in release.by), *headers)
    for column in shown.columns[: len(release.by)]:
        column.overflow = "fold"
    for column in shown.columns[len(release.by) :]:
        column.justify, column.no_wrap = "right", True
    for place, (keys, cells) in enumerate(groups):
        if has_total and place == len(groups) - 1:
            shown.add_section()
        shown.add_row(*map(escape, keys), *cells)
    output.console.print(shown)


def _least_width(rows: list[list[str]], keys: int) -> int:
    """The characters that columns of unbroken lines need, with two between, beside columns of keys."""
    columns = zip(*rows, strict=True)
    numbers = sum(max(len(line) for cell in column for line in cell.split("\n")) + 2 for column in columns)
    return numbers + keys * _KEY_WIDTH


def _print_stacked(release: TableRelease, groups: list[tuple[list[str], list[str]]]) -> None:
    """The same with a line for each statistic."""
    names = [f"{printable(value)} {each}" for value, asked in release.values.items() for each in asked]
    for keys, (size, *cells) in groups:
        output.console.print()
        group = ", ".join(key for key in keys if key)
        output.print_line(f"{group}: {_count_header(release)} {size}".replace("\n", " "))
        lines = (cell.replace("\n", "   ") for cell in cells)
        output.print_pairs(dict(zip(names, lines, strict=True)))
    output.console.print()


def _statistics(release: TableRelease) -> list[str]:
    return [f"{value}_{each}" for value, asked in release.values.items() for each in asked]


def _largest(release: TableRelease) -> Iterator[tuple[list[str], dict[str, Any]]]:
    """The largest groups: keys and all that is said of each."""
    columns = release.data()
    for row in np.argsort(-release.counts.rows, kind="stable")[:_MOST_ROWS].tolist():
        keys = [printable(key[row]) for key in release.keys]
        yield keys, {name: column[row] for name, column in columns.items()}


def _count_header(release: TableRelease) -> str:
    return "count" if release.bounds is None else "rows\nkept"


def _headers(release: TableRelease) -> list[str]:
    return [
        f"{escape(printable(value))}\n{each}" for value, asked in release.values.items() for each in asked
    ]


def _cells(row: dict[str, Any], statistics: list[str]) -> list[str]:
    cells = [f"{row['count']:,}"]
    if not row.get("count_usable", True):
        cells = [f"{row['count']:,}\n{row['count_lower']:,} to {row['count_upper']:,}\nwide"]
    for name in statistics:
        ends = row[f"{name}_lower"], row[f"{name}_upper"]
        interval = "" if None in ends else f"\n{cell_text(ends[0])} to {cell_text(ends[1])}"
        reason = f"\n{mark}" if (mark := mark_of(row, name)) else ""
        cells.append(f"{cell_text(row[name])}{interval}{reason}".strip())
    return cells


def _remarks(release: TableRelease) -> list[str]:
    """What is not in the rows: how many more groups there are, what was left out, and one line on privacy."""
    found = []
    if len(release) > _MOST_ROWS:
        found.append(f"The {_MOST_ROWS} largest of {len(release):,} groups; all of them: --output FILE")
    found += [f"Caution: {each}" for each in release.cautions()]
    return [*found, *release.notes(), release.summary()]
