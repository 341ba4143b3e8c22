"""The picture behind ``relgauss compare``: what each mechanism's error costs in epsilon."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from relgauss.mechanisms import registry
from relgauss.report import style
from relgauss.report.curves import LOCAL_SCALE, SPAN, Curve
from relgauss.report.question import Question
from relgauss.report.wording import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_COLOURS = (style.BLUE, style.VERMILION, style.GREEN, style.PURPLE, style.SKY)  # in the registry's order
_OTHER_ACCOUNTING = style.ORANGE


def plot_epsilon_error(curves: Sequence[Curve], question: Question, caption: str, file: Path) -> None:
    """Draw all curves, with a dot where each one meets the target; the caption says what bound they serve."""
    figure = style.new_figure(7.2, 4.8)
    axes = figure.add_subplot()
    _draw_target(axes, question)
    for curve in curves:
        _draw(axes, curve, question)
    _scale_axes(axes, curves, question)
    figure.legend(loc="outside upper left", ncols=2, frameon=False, fontsize=9, handlelength=1.8)
    figure.supxlabel(caption, color=style.GREY, fontsize=8)
    style.save(figure, file)


def _draw_target(axes: Axes, question: Question) -> None:
    """A line, named at its left end, where every curve is still far above it."""
    axes.axhline(question.epsilon, color=style.GREY, linewidth=0.8)
    axes.annotate(
        f"target ε = {number(question.epsilon)}",
        (0, question.epsilon),
        xycoords=("axes fraction", "data"),
        xytext=(5, 4),
        textcoords="offset points",
        color=style.GREY,
        fontsize=9,
    )


def _draw(axes: Axes, curve: Curve, question: Question) -> None:
    if curve.name == LOCAL_SCALE:
        axes.plot(curve.errors, curve.epsilons, "--", color=style.BLACK, linewidth=1.2, label=curve.label)
        return
    colour, width = _colour(curve), 3.2 if curve.name == registry.names()[0] else 2.0
    axes.plot(curve.errors, curve.epsilons, color=colour, linewidth=width, label=curve.label)
    at_target = _error_at(curve, question.epsilon)
    if at_target is not None:
        axes.plot(
            at_target, question.epsilon, "o", color=colour, markersize=7, markeredgecolor="white", zorder=3
        )


def _colour(curve: Curve) -> str:
    names = registry.names()
    if curve.name not in names:
        return _OTHER_ACCOUNTING
    return _COLOURS[names.index(curve.name) % len(_COLOURS)]


def _error_at(curve: Curve, epsilon: float) -> float | None:
    """The error at which a falling curve passes this epsilon, if it does."""
    if not min(curve.epsilons) <= epsilon <= max(curve.epsilons):
        return None
    log_error = np.interp(-np.log(epsilon), -np.log(np.array(curve.epsilons)), np.log(np.array(curve.errors)))
    return float(np.exp(log_error))


def _scale_axes(axes: Axes, curves: Sequence[Curve], question: Question) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_xscale("log")
    axes.set_yscale("log")
    # Some curves span the whole range of epsilon; the others may blow up or level off.
    spanning = [curve for curve in curves if curve.spans]
    axes.set_xlim(min(curve.errors[0] for curve in spanning), max(curve.errors[-1] for curve in spanning))
    highest_floor = max(min(curve.epsilons) for curve in curves)
    axes.set_ylim(question.epsilon / SPAN, max(question.epsilon * SPAN, 1.5 * highest_floor))
    for axis, write in ((axes.xaxis, _percent), (axes.yaxis, _plain)):
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(FuncFormatter(write))
        axis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(f"root-mean-square error, relative to the answer{_where(question)}")
    axes.set_ylabel(f"ε at δ = {number(question.delta)}{_times(question)}")
    style.tidy(axes)


def _percent(value: float, _position: int) -> str:
    return f"{100 * value:,g} %"


def _plain(value: float, _position: int) -> str:
    return number(value)


def _where(question: Question) -> str:
    return "" if question.norm is None else f" of norm {number(question.norm)}"


def _times(question: Question) -> str:
    return "" if question.steps == 1 else f", {question.steps} releases"
