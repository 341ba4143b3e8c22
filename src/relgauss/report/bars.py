"""Estimates and their intervals as bars, for pictures of released tables.

Usable groups come first, the others below a line and paler. The axis follows the usable ones: an interval
that is far wider is cut, with an arrow at its end, so that it does not squash the rest.
"""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.report import style
from relgauss.report.wording import in_picture, printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_USABLE, MOST_OTHERS = 40, 10

_NAME_WIDTH = 34
_LOG_FROM = 20.0  # the ratio of estimates from which a logarithmic axis shows them better


@dataclass(frozen=True, eq=False)
class Bars:
    """What is drawn, from top to bottom; ``usable`` come first. Where no estimate is shown it is NaN."""

    names: list[str]
    estimate: FloatArray
    lower: FloatArray
    upper: FloatArray
    usable: int

    def legend(self, groups: int) -> str:
        """What the picture shows of so many groups."""
        apart = len(self.names) - self.usable
        below = f"; below the line: of little use ({apart:,})" if apart else ""
        if not self.usable:
            below = "; all of little use" if self.names else ""
        more = f"; {groups - len(self.names):,} more groups" if groups > len(self.names) else ""
        return f"bars are intervals, an arrow goes on{below}{more}"


def chosen_rows(
    estimate: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    usable: NDArray[np.bool_],
    sizes: NDArray[np.int64],
) -> tuple[list[int], int]:
    """The largest usable groups, the highest estimate on top, then some others; and how many are usable.

    What has no interval is left out; what has no estimate (NaN) comes last of its part, the largest first.
    """
    known = np.isfinite(lower) & np.isfinite(upper)
    parts: list[list[int]] = []
    for chosen, most in ((usable & known, MOST_USABLE), (~usable & known, MOST_OTHERS)):
        rows = np.flatnonzero(chosen)
        largest = rows[np.argsort(-sizes[rows], kind="stable")][:most]
        parts.append(largest[np.argsort(-estimate[largest], kind="stable")].tolist())
    return [*parts[0], *parts[1]], len(parts[0])


def wrapped(name: str) -> str:
    """A name in lines that are not too long, three at most."""
    lines = textwrap.wrap(printable(name), _NAME_WIDTH, max_lines=3, placeholder=" …")
    return "\n".join(in_picture(line) for line in lines)


def figure_height(names: list[str]) -> float:
    """In inches, by the lines that the names take."""
    return 1.9 + 0.2 * max(sum(name.count("\n") + 1 for name in names), 4)


def draw_bars(axes: Axes, bars: Bars) -> None:
    """Intervals as bars, estimates as marks, on an axis that has ticks at every range."""
    heights = np.arange(len(bars.names))
    left, right, is_log = axis_of(bars)
    if is_log:
        axes.set_xscale("log")
    axes.set_xlim(left, right)
    colours = np.where(heights < bars.usable, style.BLUE, style.GREY)
    axes.hlines(
        heights,
        np.clip(bars.lower, left, right),
        np.clip(bars.upper, left, right),
        color=colours,
        linewidth=5,
        alpha=0.4,
    )
    inside = (bars.estimate >= left) & (bars.estimate <= right)
    axes.plot(bars.estimate[inside], heights[inside], "|", color=style.BLACK, markersize=7)
    for marker, end, beyond in (("<", left, bars.lower < left), (">", right, bars.upper > right)):
        cut = np.flatnonzero(beyond)
        axes.plot(np.full(len(cut), end), heights[cut], marker, color=style.GREY, markersize=5, clip_on=False)
    if 0 < bars.usable < len(bars.names):
        axes.axhline(bars.usable - 0.5, color=style.GREY, linewidth=0.8, linestyle=":")
    axes.set_yticks(heights, bars.names)
    axes.set_ylim(len(bars.names) - 0.4, -0.6)
    _ticks(axes, is_log)
    style.tidy(axes)
    axes.tick_params(axis="y", length=0, labelsize=8)


def axis_of(bars: Bars) -> tuple[float, float, bool]:
    """The ends of the axis, and whether it is logarithmic.

    All estimates of usable groups lie on it. An interval reaches past its estimate by no more than all
    estimates lie apart, or twice the usual interval, whichever is more; what is wider is cut.
    """
    chosen = slice(0, bars.usable or len(bars.names))
    estimate, lower, upper = (np.array(part[chosen]) for part in (bars.estimate, bars.lower, bars.upper))
    estimate = np.where(np.isnan(estimate), (lower + upper) / 2, estimate)
    if not len(estimate):
        return 0.0, 1.0, False
    is_log = bool(estimate.min() > 0 and lower.max() > 0 and estimate.max() > _LOG_FROM * estimate.min())
    if is_log:
        lower = np.maximum(lower, 0.1 * estimate.min())
        estimate, lower, upper = np.log(estimate), np.log(np.minimum(lower, estimate)), np.log(upper)
    reach = max(float(np.ptp(estimate)), 2 * float(np.median(upper - lower)))
    low, high = np.maximum(lower, estimate - reach).min(), np.minimum(upper, estimate + reach).max()
    room = 0.04 * (high - low) or 0.05 * abs(high) or 1.0
    ends = float(low - room), float(high + room)
    return (math.exp(ends[0]), math.exp(ends[1]), True) if is_log else (*ends, False)


def _ticks(axes: Axes, is_log: bool) -> None:
    """Numbers on the axis at every range: on a short logarithmic one as on one of many decades."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

    left, right = axes.get_xlim()
    if is_log and right / left >= 10:
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if right / left < 1000 else (1,), numticks=9))
    else:
        axes.xaxis.set_major_locator(MaxNLocator(6))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _position: f"{value:,.10g}"))
