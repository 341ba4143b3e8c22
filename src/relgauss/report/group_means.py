"""The picture behind ``relgauss means``: estimates and their intervals on a log axis."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from relgauss.grouped import GroupedRelease
from relgauss.report import style
from relgauss.report.wording import in_picture, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_ROWS = 40

_ROOM = 1.15  # the axis goes this factor past the intervals
_NAME_LENGTH = 34


def plot_group_means(release: GroupedRelease, file: Path) -> None:
    """Draw the largest usable groups, the highest estimate on top, and say how many there are besides."""
    usable = np.flatnonzero(release.usable)
    largest = usable[np.argsort(-release.sizes[usable], kind="stable")][:MOST_ROWS]
    rows = largest[np.argsort(-release.estimate[largest], kind="stable")]
    figure = style.new_figure(8.4, 1.7 + 0.21 * max(len(rows), 4))
    axes = figure.add_subplot()
    _draw(axes, release, rows)
    figure.suptitle(_title(release), x=0.01, ha="left", fontsize=12, fontweight="bold")
    figure.supxlabel(_caption(release, len(rows), len(usable)), color=style.GREY, fontsize=8)
    style.save(figure, file)


def _draw(axes: Axes, release: GroupedRelease, rows: np.ndarray[tuple[int], np.dtype[np.intp]]) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    heights = range(len(rows))
    estimate, lower, upper = release.estimate[rows], release.lower[rows], release.upper[rows]
    axes.set_xscale("log")
    axes.hlines(heights, lower, upper, color=style.BLUE, linewidth=5, alpha=0.4)
    axes.plot(estimate, heights, "|", color=style.BLACK, markersize=7)  # a dot would cover a short interval
    axes.set_yticks(heights, [f"{_short(release.groups[row])} (n = {release.sizes[row]:,})" for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    if len(rows):
        axes.set_xlim(lower.min() / _ROOM, upper.max() * _ROOM)
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _position: f"{value:,.10g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(f"mean {in_picture(release.value)} (log scale)")
    style.tidy(axes)
    axes.tick_params(axis="y", length=0, labelsize=8)


def _short(group: object) -> str:
    text = str(group)
    return in_picture(text if len(text) <= _NAME_LENGTH else text[: _NAME_LENGTH - 1] + "…")


def _title(release: GroupedRelease) -> str:
    mark = "SIMULATED, not private: mean" if release.privacy.simulated else "Mean"
    value, by = in_picture(release.value), in_picture(release.by)
    return f"{mark} {value} by {by}, {100 * release.confidence:g} % intervals"


def _caption(release: GroupedRelease, shown: int, usable: int) -> str:
    which = "all" if shown == usable else f"the {shown} largest"
    small = len(release.groups) - usable
    privacy = f"ε = {number(release.privacy.epsilon())}, δ = {number(release.privacy.delta)}, {release.basis}"
    return f"{privacy}; {which} of {usable:,} usable groups, {small:,} not usable"
