"""The picture behind ``relgauss demo``: two releases of the same means beside the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from relgauss.report import style
from relgauss.report.wording import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

_STANDARD_ERRORS = 1.96  # on each side of a 95 % interval
_ROOM = 4.0  # the axis goes this factor past the smallest and the largest mean


@dataclass(frozen=True)
class ReleasedMean:
    """A released number, and its root-mean-square error at the true mean."""

    value: float
    rms_error: float


@dataclass(frozen=True)
class Group:
    """One group's true mean and its two releases."""

    name: str
    people: int
    mean: float
    absolute: ReleasedMean
    relative: ReleasedMean


@dataclass(frozen=True)
class _Look:
    """How one way of releasing is drawn: its place is beside the group's line."""

    name: str
    label: str
    colour: str
    marker: str
    offset: float


_ABSOLUTE = _Look("absolute", "one absolute bound", style.VERMILION, "s", -0.17)
_RELATIVE = _Look("relative", "relative bounds", style.BLUE, "o", 0.17)


def plot_released_means(groups: Sequence[Group], title: str, file: Path) -> None:
    """Draw every group on a line of its own, on a log axis, and write its typical errors at the right."""
    figure = style.new_figure(8.4, 5.0)
    axes, margin = figure.subplots(1, 2, sharey=True, width_ratios=(4.6, 1))
    _draw_groups(axes, groups)
    _write_typical_errors(margin, groups)
    figure.suptitle(title, x=0.01, ha="left", fontsize=12, fontweight="bold")
    handles = _legend_handles(with_arrow=any(_is_left_of(axes, group.absolute) for group in groups))
    figure.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False, fontsize=9)
    style.save(figure, file)


def _draw_groups(axes: Axes, groups: Sequence[Group]) -> None:
    from matplotlib.ticker import FuncFormatter

    means = [group.mean for group in groups]
    axes.set_xscale("log")
    axes.set_xlim(min(means) / _ROOM, max(means) * _ROOM)
    for row, group in enumerate(groups):
        axes.plot([group.mean] * 2, [row - 0.38, row + 0.38], color=style.BLACK, linewidth=2)
        _draw_release(axes, group.absolute, row, _ABSOLUTE)
        _draw_release(axes, group.relative, row, _RELATIVE)
    axes.set_yticks(range(len(groups)), [f"{group.name} (n = {group.people})" for group in groups])
    axes.set_ylim(len(groups) - 0.4, -0.6)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _position: f"{value:,.0f}"))
    axes.set_xlabel("mean pay (log scale)")
    style.tidy(axes)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)


def _draw_release(axes: Axes, released: ReleasedMean, row: int, look: _Look) -> None:
    """A marker with its 95 % interval; a value that has no place on the axis is an arrow at its left end."""
    height, (left, right) = row + look.offset, axes.get_xlim()
    reach = _STANDARD_ERRORS * released.rms_error
    low, high = (min(max(end, left), right) for end in (released.value - reach, released.value + reach))
    axes.plot([low, high], [height] * 2, color=look.colour, linewidth=1.6, alpha=0.6, zorder=3)
    axes.plot(
        max(released.value, left),
        height,
        "<" if _is_left_of(axes, released) else look.marker,
        color=look.colour,
        markersize=7,
        markeredgecolor="white",
        clip_on=False,
        zorder=4,
    )


def _is_left_of(axes: Axes, released: ReleasedMean) -> bool:
    """Whether a release is too small for the axis; a negative one always is."""
    return released.value <= axes.get_xlim()[0]


def _write_typical_errors(margin: Axes, groups: Sequence[Group]) -> None:
    """A column for each way of releasing: its root-mean-square error as a part of the mean."""
    margin.set_axis_off()
    margin.set_title("typical error", fontsize=10, pad=18)
    absolute = [group.absolute.rms_error / group.mean for group in groups]
    relative = [group.relative.rms_error / group.mean for group in groups]
    for x, shares, look in ((0.45, absolute, _ABSOLUTE), (1.0, relative, _RELATIVE)):
        margin.text(x, -0.6, look.name, ha="right", va="bottom", color=look.colour, fontsize=8.5)
        for row, share in enumerate(shares):
            margin.text(x, row, percent(share), ha="right", va="center", color=look.colour)


def _legend_handles(with_arrow: bool) -> list[Line2D]:
    from matplotlib.lines import Line2D

    def handle(label: str, colour: str, marker: str) -> Line2D:
        return Line2D([], [], color=colour, marker=marker, markersize=7, label=label)

    truth, arrow = handle("true mean", style.BLACK, "|"), handle("left of the axis", style.GREY, "<")
    truth.set(markersize=11, markeredgewidth=2, linestyle="none")
    arrow.set(linestyle="none")
    releases = [
        handle(f"{look.label}, 95 % interval", look.colour, look.marker) for look in (_ABSOLUTE, _RELATIVE)
    ]
    return [truth, *releases, *([arrow] if with_arrow else [])]
