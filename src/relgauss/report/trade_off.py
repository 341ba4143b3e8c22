"""The picture of what a guarantee means: how often a test finds a record, at each rate of false alarms."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from relgauss.accounting.compose import Part
from relgauss.accounting.meaning import true_positive_rate
from relgauss.budget.guesses import percent_at_most
from relgauss.report import style
from relgauss.report.question import Question
from relgauss.report.wording import in_picture, number, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_RATES = np.geomspace(1e-4, 0.999, 33)
_MARKED = 0.01
_COLOURS = (style.BLUE, style.VERMILION, style.GREEN, style.PURPLE, style.SKY)


def plot_trade_off(parts: Mapping[str, Part], question: Question, file: Path) -> None:
    """Draw the curve of each part by its name, blind guesses, and what the target alone would allow."""
    figure = style.new_figure(6.4, 4.8)
    axes = figure.add_subplot()
    allowed = [_allowed(rate, question) for rate in _RATES]
    axes.fill_between(_RATES, allowed, 1, color="#ececec", label=_target(question))
    for (name, part), colour in zip(parts.items(), _COLOURS, strict=False):
        found = [true_positive_rate(part, float(rate)) for rate in _RATES]
        at = true_positive_rate(part, _MARKED)
        label = f"{in_picture(name)}: {percent_at_most(at)} at {percent(_MARKED)}"
        axes.plot(_RATES, found, color=colour, linewidth=2.0, label=label)
        axes.plot(_MARKED, at, "o", color=colour, markersize=6, markeredgecolor="white", zorder=3)
    axes.plot(_RATES, _RATES, "--", color=style.BLACK, linewidth=1.2, label="blind guesses")
    _scale_axes(axes)
    figure.legend(loc="outside upper left", ncols=2, frameon=False, fontsize=9, handlelength=1.8)
    style.save(figure, file)


def _allowed(rate: float, question: Question) -> float:
    """What (epsilon, delta) alone would allow: the smaller of its two bounds."""
    grown = float(np.exp(min(question.epsilon, 700.0)))
    return min(1.0, question.delta + grown * rate, 1 - (1 - question.delta - rate) / grown)


def _target(question: Question) -> str:
    return f"ruled out by ε = {number(question.epsilon)}, δ = {number(question.delta)}"


def _scale_axes(axes: Axes) -> None:
    from matplotlib.ticker import FuncFormatter, NullFormatter

    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(float(_RATES[0]), 1.0)
    axes.set_ylim(float(_RATES[0]), 1.0)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:,g} %"))
        axis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("false alarms of a test for a record")
    axes.set_ylabel("records that it finds, at most")
    style.tidy(axes)
