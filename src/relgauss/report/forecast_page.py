"""A forecast as a page: sliders for epsilon and delta, a table that follows them, a command to copy."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from relgauss.budget import Budget
from relgauss.forecast import FitForecast, MeansForecast
from relgauss.forecast.curve import Curve
from relgauss.forecast.fit import LIKELY
from relgauss.forecast.means import USABLE
from relgauss.linear_model.estimator import INTERVAL_WIDTH
from relgauss.report.forecast_script import SCRIPT, STYLE
from relgauss.report.page import Section, page, paragraph, table, text
from relgauss.report.wording import number, percent

_EPSILONS = 49
_LEAST, _MOST = 0.05, 10.0
_DELTAS = tuple(10.0**-power for power in range(4, 13))
_MOST_ROWS = 40


@dataclass(frozen=True, eq=False)
class _Curves:
    """What the script needs to know beside sizes: see ``expected`` there."""

    error: Curve
    noise: Curve
    usable: Curve
    factor: float
    scatter: float
    least: float
    likely: float


def means_page(forecast: MeansForecast, title: str, command: str) -> str:
    """The page of a table of means; ``command`` is the release's, without its budget."""
    order = np.argsort(-forecast.sizes, kind="stable")
    rows = [
        (
            forecast.groups[row],
            f"{forecast.sizes[row]:,}",
            _share(forecast.error[row]),
            _share(forecast.width[row]),
            "yes" if forecast.usable[row] else "no",
        )
        for row in order[:_MOST_ROWS]
    ]
    curves = forecast.curves
    more = len(order) - len(rows)
    note = f"The {len(rows)} largest groups; {more:,} more are counted above." if more > 0 else ""
    stated = (
        f"values {forecast.form.text()}" if forecast.spread is None else f"a spread of {forecast.spread:g}"
    )
    return _page(
        title,
        f"{stated}, {len(forecast.groups):,} groups",
        ("group", "rows", "error", "interval", "usable"),
        rows,
        forecast.sizes[order].tolist(),
        int(np.median(forecast.sizes)),
        _Curves(curves.error, curves.width, curves.usable, 1.0, 0.0, 0.0, USABLE),
        forecast.budget,
        command,
        "Errors are typical ones (medians), and intervals whole widths, both relative to the mean. "
        f"The picture is for a group of {int(np.median(forecast.sizes)):,} rows. {note}",
    )


def fit_page(forecast: FitForecast, title: str, command: str) -> str:
    """The page of a regression; ``command`` is the fit's, without its budget."""
    rows, sizes = [], []
    for name, factor in (("as stated", 1.0), ("twice the records", 2.0), ("half of them", 0.5)):
        other = forecast.with_data(factor)
        sizes.append(other.shape.rows)
        shown = (_share(other.error), _share(other.width), percent(other.fitted))
        rows.append((name, f"{other.shape.rows:,}", *shown))
    curves, shape = forecast.curves, forecast.shape
    what = "of all records" if shape.classes else "of the label's variance"
    return _page(
        title,
        f"{shape.rows:,} records, {shape.features:,} features, R² {shape.r2:g}",
        ("", "records", "error added", "interval", "model"),
        rows,
        sizes,
        shape.rows,
        _Curves(
            curves.error,
            curves.noise,
            curves.fitted,
            2 * INTERVAL_WIDTH,
            curves.scatter,
            forecast.least,
            LIKELY,
        ),
        forecast.budget,
        command,
        f"The error that privacy adds is a share {what}. The interval is a slope's, its whole width in "
        "spreads of the label by spread of the feature. The last column says how often a fit ends with a "
        "model.",
    )


def _page(
    title: str,
    stated: str,
    headers: Sequence[str],
    rows: Sequence[Sequence[object]],
    sizes: Sequence[int],
    middle: int,
    curves: _Curves,
    budget: Budget,
    command: str,
    note: str,
) -> str:
    epsilons = sorted({*_steps(), float(f"{budget.epsilon:.3g}")})
    deltas = sorted({*_DELTAS, budget.delta}, reverse=True)
    data: dict[str, Any] = {
        "epsilons": epsilons,
        "deltas": deltas,
        "mus": [[Budget(epsilon, delta).mu for epsilon in epsilons] for delta in deltas],
        "signals": curves.error.signals.tolist(),
        "error": _plain(curves.error),
        "noise": _plain(curves.noise),
        "usable": curves.usable.values.tolist(),
        "factor": curves.factor,
        "scatter": curves.scatter,
        "least": curves.least,
        "likely": curves.likely,
        "sizes": sizes,
        "middle": middle,
        "command": command,
    }
    at = epsilons.index(float(f"{budget.epsilon:.3g}")), deltas.index(budget.delta)
    now = f"{budget.epsilon:g}", number(budget.delta)
    sliders = "".join(
        f'<label for="{name}">{name}</label><input id="{name}" type="range" min="0" max="{len(steps) - 1}" '
        f'value="{place}"><output id="{name}-now">{text(words)}</output>'
        for name, steps, place, words in zip(("epsilon", "delta"), (epsilons, deltas), at, now, strict=True)
    )
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
            Section("The budget", f'<div class="sliders">{sliders}</div><p id="summary"></p>'),
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


def _steps() -> list[float]:
    points = np.geomspace(_LEAST, _MOST, _EPSILONS)
    return [float(f"{each:.2g}") for each in points]


def _plain(curve: Curve) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in curve.values.tolist()]


def _share(value: float) -> str:
    return percent(value) if math.isfinite(value) and value < 1e4 else "-"


def _json(value: dict[str, Any]) -> str:
    """JSON that no markup can end: a name in it may hold anything."""
    return json.dumps(value, allow_nan=False).replace("<", "\\u003c").replace("&", "\\u0026")
