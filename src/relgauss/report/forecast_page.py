"""A forecast as a page: sliders for epsilon and delta, a table that follows them, a command to copy."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from relgauss.budget import Budget
from relgauss.forecast import FitForecast, MeansForecast, StatisticForecast, TableForecast
from relgauss.forecast.curve import Curve
from relgauss.forecast.fit_forecast import LIKELY
from relgauss.forecast.made_up_groups import GroupCurves
from relgauss.forecast.statistic import USABLE
from relgauss.forecast.words import group_text, share_text
from relgauss.linear_model.estimator import INTERVAL_WIDTH
from relgauss.report.forecast_script import SCRIPT, STYLE
from relgauss.report.page import Section, page, paragraph, table, text
from relgauss.report.wording import number

_EPSILONS = 49
_LEAST, _MOST = 0.05, 10.0
_DELTAS = tuple(10.0**-power for power in range(4, 13))
_MOST_ROWS = 40


@dataclass(frozen=True, eq=False)
class _Line:
    """One statistic's curves, as the script needs them: see ``expected`` there.

    ``part`` is what the statistic's column gets of the mu of all columns.
    """

    name: str
    error: Curve
    noise: Curve
    usable: Curve
    known: Curve | None = None
    part: float = 1.0
    factor: float = 1.0
    scatter: float = 0.0

    def plain(self) -> dict[str, Any]:
        """The numbers of the page as JSON, for its script."""
        return {
            "name": self.name,
            "signals": self.error.signals.tolist(),
            "error": _plain(self.error),
            "noise": _plain(self.noise),
            "usable": self.usable.values.tolist(),
            "known": None if self.known is None else self.known.values.tolist(),
            "part": self.part,
            "factor": self.factor,
            "scatter": self.scatter,
        }


@dataclass(frozen=True, eq=False)
class _Expected:
    """What the table of a page follows: lines to choose from, sizes of groups, and when they are usable."""

    lines: Sequence[_Line]
    sizes: Sequence[int]
    middle: int
    likely: float
    mu: Callable[[Budget], float]
    least: float = 0.0


def means_page(forecast: MeansForecast, title: str, command: str) -> str:
    """The page of a table of means; ``command`` is the release's, without its budget."""
    stated = f"{forecast.stated()}, {len(forecast.groups):,} groups"
    return _groups_page(title, stated, {"mean": forecast}, forecast.budget, command)


def table_page(forecast: TableForecast, title: str, command: str) -> str:
    """The page of a whole table, a statistic at a time; ``command`` is the release's, without its budget."""
    named = {f"{column} {name}": each for (column, name), each in forecast.statistics.items()}
    stated = f"{forecast.stated()}; {len(forecast.groups):,} groups"
    if forecast.question.person is not None:
        stated += f". {forecast.counted.removesuffix('.')}"
    return _groups_page(title, stated, named, forecast.budget, command)


def _groups_page(
    title: str, stated: str, statistics: Mapping[str, StatisticForecast], budget: Budget, command: str
) -> str:
    first = next(iter(statistics.values()))
    order = np.argsort(-first.sizes, kind="stable")
    rows = [
        (
            group_text(first.groups[row]),
            f"{first.sizes[row]:,}",
            share_text(first.error[row]),
            first.interval_text(row),
            "yes" if first.usable[row] else "no",
        )
        for row in order[:_MOST_ROWS]
    ]
    largest = max(each.part.factor for each in statistics.values())
    lines = [
        _Line(name, *_of_groups(each.curves), each.part.factor / largest) for name, each in statistics.items()
    ]
    of_all = replace(first.part, factor=largest)
    middle = int(np.median(first.sizes))
    more = len(order) - len(rows)
    note = f"The {len(rows)} largest groups; {more:,} more are counted above." if more > 0 else ""
    return _page(
        title,
        stated,
        ("group", "rows", "error", "interval", "usable"),
        rows,
        _Expected(lines, first.sizes[order].tolist(), middle, USABLE, of_all.mu),
        budget,
        command,
        "Errors are typical ones (medians), and intervals whole widths, both relative to the statistic; "
        "an interval that is the public range, or most of it, says nothing. "
        f"The picture is for a group of {middle:,} rows. {note}",
    )


def _of_groups(curves: GroupCurves) -> tuple[Curve, Curve, Curve, Curve]:
    return curves.error, curves.width, curves.usable, curves.known


def fit_page(forecast: FitForecast, title: str, command: str) -> str:
    """The page of a regression; ``command`` is the fit's, without its budget."""
    rows, sizes = [], []
    for name, factor in (("as stated", 1.0), ("twice the records", 2.0), ("half of them", 0.5)):
        other = forecast.with_data(factor)
        sizes.append(other.shape.rows)
        shown = (share_text(other.error), share_text(other.width), share_text(other.fitted))
        rows.append((name, f"{other.shape.rows:,}", *shown))
    curves, shape = forecast.curves, forecast.shape
    line = _Line(
        "a slope",
        curves.error,
        curves.noise,
        curves.fitted,
        factor=2 * INTERVAL_WIDTH,
        scatter=curves.scatter,
    )
    what = "of all records" if shape.classes else "of the label's variance"
    return _page(
        title,
        f"{shape.rows:,} records, {shape.features:,} features, R² {shape.r2:g}{shape.classes_text}",
        ("", "records", "error added", "interval", "model"),
        rows,
        _Expected([line], sizes, shape.rows, LIKELY, lambda budget: budget.mu, forecast.least),
        forecast.budget,
        command,
        f"The error that noise adds, constants counted, is a share {what}. The interval is a slope's, its "
        "whole width in spreads of the label by spread of the feature. The last column says how often a fit "
        "ends with a model.",
    )


def _page(
    title: str,
    stated: str,
    headers: Sequence[str],
    rows: Sequence[Sequence[object]],
    expected: _Expected,
    budget: Budget,
    command: str,
    note: str,
) -> str:
    epsilons = sorted({*_steps(), float(f"{budget.epsilon:.3g}")})
    deltas = sorted({*_DELTAS, budget.delta}, reverse=True)
    data: dict[str, Any] = {
        "epsilons": epsilons,
        "deltas": deltas,
        "mus": [[expected.mu(Budget(epsilon, delta)) for epsilon in epsilons] for delta in deltas],
        "lines": [line.plain() for line in expected.lines],
        "least": expected.least,
        "likely": expected.likely,
        "sizes": expected.sizes,
        "middle": expected.middle,
        "command": command,
    }
    at = epsilons.index(float(f"{budget.epsilon:.3g}")), deltas.index(budget.delta)
    now = f"{budget.epsilon:g}", number(budget.delta)
    sliders = "".join(
        f'<label for="{name}">{name}</label><input id="{name}" type="range" min="0" max="{len(steps) - 1}" '
        f'value="{place}"><output id="{name}-now">{text(words)}</output>'
        for name, steps, place, words in zip(("epsilon", "delta"), (epsilons, deltas), at, now, strict=True)
    )
    choice = "" if len(expected.lines) == 1 else _choice(expected.lines)
    script = f"<style>{STYLE}</style>" + (
        f'<script type="application/json" id="data">{_json(data)}</script><script>{SCRIPT}</script>'
    )
    picture = '<figure><svg viewBox="0 0 480 238" role="img" aria-label="error against epsilon" id="picture">'
    full = f"{command} --epsilon {budget.epsilon:g} --delta {number(budget.delta)}"
    return page(
        title,
        f"A forecast from public numbers: {stated}. It was made by releasing made-up records; nothing "
        "private was read, and nothing is spent.",
        [
            Section("The budget", f'<div class="sliders">{sliders}</div>{choice}<p id="summary"></p>'),
            Section(
                "What to expect",
                f'<div id="expected">{table(headers, rows)}</div>{picture}</svg>'
                f"<figcaption>The error against epsilon.</figcaption></figure>{paragraph(note)}",
            ),
            Section(
                "The command",
                f'<pre id="command">{text(full)}</pre><button id="copy" type="button">Copy</button>',
            ),
        ],
        script,
    )


def _choice(lines: Sequence[_Line]) -> str:
    """A choice among the statistics of a table."""
    each = "".join(f'<option value="{place}">{text(line.name)}</option>' for place, line in enumerate(lines))
    return f'<p><label for="statistic">statistic</label> <select id="statistic">{each}</select></p>'


def _steps() -> list[float]:
    points = np.geomspace(_LEAST, _MOST, _EPSILONS)
    return [float(f"{each:.2g}") for each in points]


def _plain(curve: Curve) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in curve.values.tolist()]


def _json(value: dict[str, Any]) -> str:
    """JSON that no markup can end: a name in it may hold anything."""
    return json.dumps(value, allow_nan=False).replace("<", "\\u003c").replace("&", "\\u0026")
