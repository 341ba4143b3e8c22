"""The picture behind ``relgauss audit``: the claimed privacy curve and what the audit rules out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from relgauss.audit.report import AuditReport
from relgauss.report import style
from relgauss.report.wording import number
from relgauss.rounding import round_down, round_up

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROOM = 2.0  # the axes go this factor past what they show


def plot_audit_curve(report: AuditReport, name: str, file: Path) -> None:
    """Draw delta against epsilon: the claim, the lower bound, and what lies below it, which is ruled out."""
    figure = style.new_figure(7.2, 4.8)
    axes = figure.add_subplot()
    floor = _floor(report)
    _draw_bound(axes, report, floor)
    axes.plot(
        report.curve.epsilon,
        report.curve.delta_claimed,
        color=style.BLACK,
        linewidth=2.0,
        label=f"claimed: {name}",
    )
    _mark_headline(axes, report)
    _scale_axes(axes, report, floor)
    figure.legend(loc="outside upper left", ncols=4, frameon=False, fontsize=9, handlelength=1.8)
    figure.supxlabel(_caption(report), color=style.GREY, fontsize=8)
    style.save(figure, file)


def _draw_bound(axes: Axes, report: AuditReport, floor: float) -> None:
    """The bound and the band below it; where it passes the claim, the excess in another colour."""
    curve = report.curve
    shown = np.maximum(curve.delta_lower, floor)
    confidence = f"{100 * report.confidence:.10g} %"
    axes.fill_between(
        curve.epsilon,
        floor,
        shown,
        color=style.BLUE,
        alpha=0.14,
        linewidth=0,
        label=f"ruled out at {confidence}",
    )
    found = curve.delta_lower > floor
    axes.plot(
        curve.epsilon[found],
        curve.delta_lower[found],
        color=style.BLUE,
        linewidth=2.0,
        label="found at least",
    )
    if report.verdict == "convicted":
        axes.fill_between(
            curve.epsilon,
            np.maximum(curve.delta_claimed, floor),
            shown,
            where=list(curve.delta_lower > curve.delta_claimed),
            color=style.VERMILION,
            alpha=0.35,
            linewidth=0,
            label="more than claimed",
        )


def _mark_headline(axes: Axes, report: AuditReport) -> None:
    """Both epsilons at the delta of the verdict, joined by a line."""
    axes.plot(
        [report.epsilon_lower, report.epsilon_claimed], [report.delta] * 2, color=style.GREY, linewidth=1
    )
    for epsilon, colour in ((report.epsilon_claimed, style.BLACK), (report.epsilon_lower, style.BLUE)):
        axes.plot(epsilon, report.delta, "o", color=colour, markersize=7, markeredgecolor="white", zorder=3)
    found = f"found ε ≥ {round_down(report.epsilon_lower, digits=3)}"
    claimed = f"claimed ε = {round_up(report.epsilon_claimed, digits=3)}"
    axes.annotate(
        f"δ = {number(report.delta)}\n{found}\n{claimed}",
        (max(report.epsilon_lower, report.epsilon_claimed), report.delta),
        xytext=(10, 6),
        textcoords="offset points",
        fontsize=9,
        va="bottom",
    )


def _scale_axes(axes: Axes, report: AuditReport, floor: float) -> None:
    axes.set_yscale("log")
    axes.set_ylim(floor, 1.0)
    drawn = (report.curve.delta_claimed > floor) | (report.curve.delta_lower > floor)
    axes.set_xlim(0.0, float(report.curve.epsilon[drawn].max(initial=0.0)) or report.curve.epsilon[-1])
    axes.set_xlabel("ε")
    axes.set_ylabel("δ")
    style.tidy(axes)


def _floor(report: AuditReport) -> float:
    """The least delta drawn: a little below the least that the samples found."""
    found = report.curve.delta_lower[report.curve.delta_lower > 0]
    least = max(float(found.min()), 10 / report.samples) if found.size else 10 / report.samples
    return least / _ROOM


def _caption(report: AuditReport) -> str:
    noise = "SIMULATED noise" if report.simulated else "noise as released"
    return f"{report.verdict.capitalize()}; {report.samples:,} outputs on neighbouring answers, {noise}"
