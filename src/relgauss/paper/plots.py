"""The paper's figures, drawn again: error against steps, a band over the runs."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from relgauss.paper.experiment import DELTA, Curve, PanelResult
from relgauss.paper.methods_not_private import OURS
from relgauss.report import style
from relgauss.report.wording import number
from relgauss.rounding import round_up

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

ILLUSTRATIVE = "illustrative: constants read from the data"
STRICT = "strict: nothing is read from the data outside the budget"
_COLUMNS = 3


@dataclass(frozen=True)
class _Look:
    """How a method is drawn and what it is called."""

    label: str
    colour: str
    line: str | tuple[int, tuple[int, ...]] = "-"
    width: float = 1.8


_LOOKS = {
    "noiseless": _Look("noiseless", style.BLACK, (0, (1, 2)), 1.8),
    "rgm": _Look("RGM, by Theorem 1", style.VERMILION),
    "clip": _Look("clipping at c", style.BLUE),
    "clip-high": _Look("clipping at 10c", style.SKY),
    "clip-low": _Look("clipping at c/10", style.GREY),
    "rgm-exact": _Look("RGM, exact accounting", style.ORANGE, (0, (6, 2))),
    OURS: _Look(OURS, style.PURPLE, (0, (4, 2, 1, 2))),
    "public-iterate": _Look("Gaussian, public iterate", style.GREEN, (0, (3, 2))),
}


def plot_panel(result: PanelResult, file: Path) -> None:
    """One panel, with the epsilon of a whole run in its legend."""
    figure = style.new_figure(8.2, 4.6)
    axes = figure.add_subplot()
    lines = _draw(axes, result, with_epsilon=True)
    figure.legend(
        handles=lines,
        loc="outside right upper",
        frameon=False,
        handlelength=2.8,
        fontsize=9,
        title=_heading(result),
        title_fontsize=9,
        alignment="left",
    )
    _caption(figure, [result])
    style.save(figure, file)


def plot_together(results: Sequence[PanelResult], file: Path) -> None:
    """All panels in the paper's arrangement, three to a row, with one legend above."""
    rows = -(-len(results) // _COLUMNS)
    figure = style.new_figure(11.5, 3.6 * rows + 1.2)
    grid = figure.subplots(rows, _COLUMNS, squeeze=False).ravel()
    lines: dict[str, Line2D] = {}
    for axes, result in zip(grid, results, strict=False):
        drawn = _draw(axes, result, with_epsilon=result.strict)
        if result.strict:  # each panel's own epsilons
            axes.legend(handles=drawn, fontsize=8, handlelength=2.8, framealpha=0.85, edgecolor="none")
        for line in [] if result.strict else drawn:
            lines.setdefault(str(line.get_label()), line)
    for axes in grid[len(results) :]:
        axes.set_axis_off()
    figure.legend(
        handles=list(lines.values()),
        loc="outside upper left",
        ncols=4,
        frameon=False,
        handlelength=2.8,
        fontsize=9.5,
        title=_heading(results[0]) if results[0].strict else f"{ILLUSTRATIVE}; ε if the constants held",
        title_fontsize=9.5,
        alignment="left",
    )
    _caption(figure, results)
    style.save(figure, file)


def _draw(axes: Axes, result: PanelResult, *, with_epsilon: bool) -> list[Line2D]:
    lines = []
    for curve in result.curves:
        look = _LOOKS[curve.method]
        steps = np.arange(curve.errors.shape[1])
        least, most = curve.errors.min(axis=0), curve.errors.max(axis=0)
        axes.fill_between(steps, least, most, color=look.colour, alpha=0.15, linewidth=0)
        (line,) = axes.plot(
            steps,
            np.median(curve.errors, axis=0),
            color=look.colour,
            linestyle=look.line,
            linewidth=look.width,
            label=_label(look, curve) if with_epsilon else look.label,
            zorder=3 if curve.method == "noiseless" else 2,
        )
        lines.append(line)
    axes.set_yscale("log")
    axes.set_xlim(0, steps[-1])
    axes.set_title(result.panel.title, fontsize=10.5, loc="left")
    axes.set_xlabel("step")
    axes.set_ylabel("error  Σ f(θ) − min")
    style.tidy(axes)
    if result.missing:
        _say_missing(axes, result)
    return lines


def _label(look: _Look, curve: Curve) -> str:
    return look.label if curve.epsilon is None else f"{look.label}: {round_up(curve.epsilon, 3)}"


def _say_missing(axes: Axes, result: PanelResult) -> None:
    """Which methods are absent and why, in room made for it above the curves."""
    bottom, top = axes.get_ylim()
    axes.set_ylim(bottom, top * (top / bottom) ** 0.35)
    reasons = [f"{_LOOKS[method].label}: {reason}" for method, reason in result.missing.items()]
    kept_together = [reason.replace(" = ", "\u00a0=\u00a0") for reason in reasons]
    text = "\n".join(textwrap.fill(reason, 42) for reason in kept_together)
    axes.text(0.98, 0.97, text, transform=axes.transAxes, ha="right", va="top", fontsize=8)


def _heading(result: PanelResult) -> str:
    steps = result.curves[0].errors.shape[1] - 1
    whole = f"numbers: ε of a whole run ({steps} steps), δ = {number(DELTA)}"
    if result.strict:
        return f"{STRICT}\n{whole}"
    return f"{ILLUSTRATIVE}\n{whole},\nif the constants held"


def _caption(figure: Figure, results: Sequence[PanelResult]) -> None:
    sources = ", ".join(dict.fromkeys(result.source for result in results))
    runs = len(results[0].curves[0].errors)
    text = f"data: {sources}. Median and range of {runs} run{'s' * (runs > 1)}"
    text += ", simulated noise." if results[0].simulated else ", secure noise."
    text += " ε in a title: Rényi, order 2, of one release."
    if not results[0].strict:
        text += (
            "\nClipping has the variance 2αc²/(εN²) that replacing one record needs; the paper prints half."
        )
    figure.supxlabel(text, color=style.GREY, fontsize=8)
