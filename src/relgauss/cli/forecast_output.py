"""A forecast as text: what to expect, what would change it, and what it would cost in time and memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.markup import escape
from rich.table import Table

from relgauss.cli import output
from relgauss.report.wording import counted, number, printable

if TYPE_CHECKING:
    from relgauss.forecast import FitForecast, MeansForecast, TableForecast

_MOST_ROWS, _MOST_COLUMNS = 20, 5
_LEAST_CLIPPING = 5e-4  # what is told of
_SHARES = {"half of the groups": 0.5, "nine in ten groups": 0.9, "all groups": 1.0}


def targets_of(forecast: MeansForecast | TableForecast, target: float) -> dict[str, float | None]:
    """For shares of the groups, the epsilon at which their errors are down to the target."""
    return {words: forecast.epsilon_for(target, share) for words, share in _SHARES.items()}


def print_means_forecast(
    forecast: MeansForecast,
    title: str,
    target: str | None = None,
    targets: dict[str, float | None] | None = None,
) -> None:
    """Print the groups, the largest first, and what is to be said of all."""
    from relgauss.forecast.words import group_text, share_text

    _print_budget(title, forecast.budget.epsilon, forecast.budget.delta)
    if forecast.spread is None:
        output.print_hanging(f"Made-up values: {forecast.form.text()}.", 2)
    else:
        output.print_hanging(f"Assumed spread: {forecast.spread:g}.", 2)
    shown = np.argsort(-forecast.sizes, kind="stable")[:_MOST_ROWS]
    table = _right("Group", "n", "Error", "Interval", "Usable")
    for row in shown:
        table.add_row(
            escape(printable(group_text(forecast.groups[row]))),
            f"{forecast.sizes[row]:,}",
            share_text(forecast.error[row]),
            forecast.interval_text(row),
            "yes" if forecast.usable[row] else "no",
        )
    output.console.print(table)
    groups, usable = len(forecast.groups), int(forecast.usable.sum())
    if len(shown) < groups:
        output.print_line(f"The {len(shown)} largest of {groups:,} groups; all: --json")
    least = forecast.smallest_usable
    from_on = "" if least is None else f"; smallest usable group: {least:,} rows"
    output.print_line(f"Usable: {usable:,} of {counted(groups, 'group')}{from_on}.")
    _print_degraded(forecast.degraded)
    others = {
        "now": forecast,
        "twice the data": forecast.with_data(2),
        "twice the epsilon": forecast.at(2 * forecast.budget.epsilon),
    }
    for words, other in others.items():
        typical = share_text(float(np.median(other.error)))
        output.print_line(
            f"  {words:<18} {int(other.usable.sum()):,} usable, error {typical} of the middle group"
        )
    _print_targets(target, targets)
    _print_cost(forecast.seconds, forecast.megabytes)


def print_table_forecast(
    forecast: TableForecast,
    title: str,
    target: str | None = None,
    targets: dict[str, float | None] | None = None,
) -> None:
    """Print a line for each statistic, then the intervals of the largest groups."""
    from relgauss.forecast.words import group_text, share_text

    _print_budget(title, forecast.budget.epsilon, forecast.budget.delta)
    output.print_hanging(f"Made-up values: {forecast.stated()}.", 2)
    twice, double = forecast.with_data(2), forecast.at(2 * forecast.budget.epsilon)
    lines = _right("Statistic", "Usable", "From", "Error", "Twice the data", "Twice the epsilon")
    for key, each in forecast.statistics.items():
        least = each.smallest_usable
        errors = (share_text(float(np.median(other[key].error))) for other in (forecast, twice, double))
        name = escape(printable(" ".join(key)))
        lines.add_row(name, f"{each.usable.sum():,}", "-" if least is None else f"{least:,} rows", *errors)
    output.console.print(lines)
    output.print_hanging(
        f"Usable: of {counted(len(forecast.groups), 'group')}, those from so many rows on. Error: of the "
        "middle group, relative to the statistic; shares of zeros and missing values in points.",
        2,
    )
    if forecast.question.person is not None:
        output.print_hanging(forecast.counted, 2)
    if forecast.smallest_shown is not None:
        output.print_line(f"A group shows from about {forecast.smallest_shown:,} persons on.")
    shown = np.argsort(-forecast.sizes, kind="stable")[:_MOST_ROWS]
    names = [escape(printable(" ".join(key))) for key in forecast.statistics]
    widths = _right("Interval of group", "n", *names[:_MOST_COLUMNS])
    for row in shown:
        parts = list(forecast.statistics.values())[:_MOST_COLUMNS]
        cells = (share_text(each.width[row]) if each.usable[row] else "-" for each in parts)
        group = escape(printable(group_text(forecast.groups[row])))
        widths.add_row(group, f"{forecast.sizes[row]:,}", *cells)
    output.console.print(widths)
    if len(shown) < len(forecast.groups) or len(names) > _MOST_COLUMNS:
        output.print_line("Its whole width, where a group is usable; all groups and statistics: --json")
    _print_degraded(forecast.degraded)
    _print_targets(target, targets)
    _print_cost(forecast.seconds, forecast.megabytes)


def print_fit_forecast(
    forecast: FitForecast, title: str, target: str | None = None, needed: float | None = None
) -> None:
    """Print what to expect of a fit."""
    from relgauss.forecast.words import share_text

    _print_budget(title, forecast.budget.epsilon, forecast.budget.delta)
    shape = forecast.shape
    alike = isinstance(shape.correlation, float)
    related = f"correlation {shape.correlation:g}" if alike else "correlations as stated"
    errors = "" if shape.errors == "even" else ", skewed errors"
    output.print_hanging(
        f"Made-up records: {shape.rows:,}, R² {shape.r2:g}, {related}{errors}{shape.classes_text}.", 2
    )
    what = "of all records" if shape.classes else "of the label's variance"
    unit = "log-odds" if shape.classes else "spreads of the label"
    table = _right("", "Model", "Error added", "Interval", "Widened")
    others = {
        "now": forecast,
        "twice the data": forecast.with_data(2),
        "twice the epsilon": forecast.at(2 * forecast.budget.epsilon),
    }
    for words, other in others.items():
        known = math.isfinite(other.width)
        widths = (f"{other.width:.2g}", f"{other.widening:.2g} times") if known else ("-", "-")
        table.add_row(words, share_text(other.fitted), share_text(other.error), *widths)
    output.console.print(table)
    output.print_hanging(
        f"Model: how often a fit ends with one. Error added by noise, constants counted: a share {what}. "
        f"Interval: whole width of a slope's, in {unit} by spread of the feature. Widened: as against no "
        "privacy.",
        2,
    )
    if forecast.clipping >= _LEAST_CLIPPING:
        output.print_hanging(
            f"Clipping adds {share_text(forecast.clipping)} more at any epsilon, as made-up features have "
            "long tails; less where few values lie far out.",
            2,
        )
    if not alike and math.isfinite(forecast.width):
        every = forecast.widths
        output.print_line(f"Intervals of slopes: from {every.min():.2g} to {every.max():.2g}; all: --json")
    if forecast.smallest_usable is not None:
        output.print_line(f"A model is likely from {forecast.smallest_usable:,} records on.")
    _print_degraded(forecast.degraded)
    if target is not None:
        found = "above 10, not advised" if needed is None else f"{needed:g}"
        output.print_line(f"Epsilon for an added error of {target}: {found}")
    _print_cost(forecast.seconds, forecast.megabytes)


def _right(*names: str) -> Table:
    """A table whose columns stand to the right, but for the first."""
    table = output.new_table(*names)
    for column in table.columns[1:]:
        column.justify = "right"
    return table


def print_of_texts(data: Path, values: Sequence[str], table: str | None, query: str | None) -> None:
    """What a dry run, which reads no value, does not see: how columns of text write their numbers."""
    from relgauss.forecast.public_numbers import columns_of_text

    columns = columns_of_text(data, values, table=table, query=query)
    if columns:
        names = f"{' and '.join(map(repr, columns))} {'hold' if columns[1:] else 'holds'}"
        output.print_hanging(
            f"Not checked, since no value is read: whether {names} plain numbers such as 1234.5. "
            "If they are written as $1,234.50 or 1.234,50, pass --numbers. A release "
            "refuses a column of other text before it spends anything.",
            0,
        )


def _print_targets(target: str | None, targets: dict[str, float | None] | None) -> None:
    if target is None or targets is None:
        return
    output.print_line(f"Epsilon for an error of {target}:")
    for words, epsilon in targets.items():
        output.print_line(f"  {words:<18} {'above 10, not advised' if epsilon is None else f'{epsilon:g}'}")


def _print_budget(title: str, epsilon: float, delta: float) -> None:
    output.print_line(f"{title}, epsilon {epsilon:g}, delta {number(delta)}.")
    output.print_line("From public numbers: no private value was read, nothing is spent.")


def _print_degraded(why: str | None) -> None:
    if why is not None:
        output.print_hanging(f"Degraded: {why}", 2)


def _print_cost(seconds: float, megabytes: float) -> None:
    output.print_line(f"About {seconds:.2g} s and {megabytes:,.2g} MB here, beside reading the table.")
