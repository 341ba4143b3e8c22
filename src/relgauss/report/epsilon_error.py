"""The picture behind ``relgauss compare``: what each mechanism's error costs in epsilon."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from relgauss.report import style
from relgauss.report.curves import LOCAL_SCALE, SPAN, Curve
from relgauss.report.relative_by_theorem import BY_THEOREM
from relgauss.report.target import Target
from relgauss.report.wording import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class _Look:
    """How a curve is drawn and what it is called."""

    label: str
    colour: str
    width: float = 2.0
    line: str = "-"


_LOOKS = {
    BY_THEOREM: _Look("relative Gaussian, by the paper's theorem", style.ORANGE),
    "relative": _Look("relative Gaussian, exact", style.VERMILION),
    "isometric": _Look("isometric Gaussian", style.BLUE, 3.2),
    "gaussian": _Look("Gaussian, absolute bound", style.GREEN),
    LOCAL_SCALE: _Look("Gaussian noise at the local scale (not private)", style.BLACK, 1.2, "--"),
}


def plot_epsilon_error(curves: Sequence[Curve], target: Target, caption: str, file: Path) -> None:
    """Draw all curves, with a dot where each one meets the target; the caption says what bound they serve."""
    figure = style.new_figure(7.2, 4.8)
    axes = figure.add_subplot()
    _draw_target(axes, target)
    for curve in curves:
        _draw(axes, curve, target)
    _scale_axes(axes, curves, target)
    figure.legend(loc="outside upper left", ncols=2, frameon=False, fontsize=9, handlelength=1.8)
    figure.supxlabel(caption, color=style.GREY, fontsize=8)
    style.save(figure, file)


def _draw_target(axes: Axes, target: Target) -> None:
    """A line, named at its left end, where every curve is still far above it."""
    axes.axhline(target.epsilon, color=style.GREY, linewidth=0.8)
    axes.annotate(
        f"target ε = {number(target.epsilon)}",
        (0, target.epsilon),
        xycoords=("axes fraction", "data"),
        xytext=(5, 4),
        textcoords="offset points",
        color=style.GREY,
        fontsize=9,
    )


def _draw(axes: Axes, curve: Curve, target: Target) -> None:
    look = _LOOKS[curve.name]
    axes.plot(
        curve.errors, curve.epsilons, look.line, color=look.colour, linewidth=look.width, label=look.label
    )
    at_target = _error_at(curve, target.epsilon)
    if at_target is not None and curve.name != LOCAL_SCALE:
        axes.plot(
            at_target, target.epsilon, "o", color=look.colour, markersize=7, markeredgecolor="white", zorder=3
        )


def _error_at(curve: Curve, epsilon: float) -> float | None:
    """The error at which a falling curve passes this epsilon, if it does."""
    if not min(curve.epsilons) <= epsilon <= max(curve.epsilons):
        return None
    log_error = np.interp(-np.log(epsilon), -np.log(np.array(curve.epsilons)), np.log(np.array(curve.errors)))
    return float(np.exp(log_error))


def _scale_axes(axes: Axes, curves: Sequence[Curve], target: Target) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_xscale("log")
    axes.set_yscale("log")
    # Gaussian curves span the whole range of epsilon; the others may blow up or level off.
    spanning = [curve for curve in curves if curve.name in (LOCAL_SCALE, "gaussian")]
    axes.set_xlim(min(curve.errors[0] for curve in spanning), max(curve.errors[-1] for curve in spanning))
    highest_floor = max(min(curve.epsilons) for curve in curves)
    axes.set_ylim(target.epsilon / SPAN, max(target.epsilon * SPAN, 1.5 * highest_floor))
    for axis, write in ((axes.xaxis, _percent), (axes.yaxis, _plain)):
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(FuncFormatter(write))
        axis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(f"root-mean-square error, relative to the answer{_where(target)}")
    axes.set_ylabel(f"ε at δ = {number(target.delta)}{_times(target)}")
    style.tidy(axes)


def _percent(value: float, _position: int) -> str:
    return f"{100 * value:,g} %"


def _plain(value: float, _position: int) -> str:
    return number(value)


def _where(target: Target) -> str:
    return "" if target.norm is None else f" of norm {number(target.norm)}"


def _times(target: Target) -> str:
    return "" if target.steps == 1 else f", {target.steps} releases"
