"""The picture behind ``relgauss means``: estimates and their intervals."""

from __future__ import annotations

from pathlib import Path

from relgauss.grouped import GroupedRelease
from relgauss.report import style
from relgauss.report.bars import Bars, chosen_rows, draw_bars, figure_height, wrapped
from relgauss.report.wording import in_picture, number


def plot_group_means(release: GroupedRelease, file: Path) -> None:
    """Draw the largest groups, the highest estimate on top, and say how many there are besides."""
    bars = _bars(release)
    figure = style.new_figure(8.4, figure_height(bars.names))
    axes = figure.add_subplot()
    draw_bars(axes, bars)
    axes.set_xlabel(f"mean {in_picture(release.value)}")
    figure.suptitle(_title(release), x=0.01, ha="left", fontsize=12, fontweight="bold")
    figure.supxlabel(_caption(release, bars), color=style.GREY, fontsize=8)
    style.save(figure, file)


def _bars(release: GroupedRelease) -> Bars:
    estimate, lower, upper, sizes = release.shown, release.lower, release.upper, release.sizes
    rows, usable = chosen_rows(estimate, lower, upper, release.usable, sizes)
    names = [wrapped(f"{release.groups[row]} (n = {sizes[row]:,})") for row in rows]
    return Bars(names, estimate[rows], lower[rows], upper[rows], usable)


def _title(release: GroupedRelease) -> str:
    mark = "SIMULATED, not private: mean" if release.privacy.simulated else "Mean"
    value, by = in_picture(release.value), in_picture(release.by)
    return f"{mark} {value} by {by}, {100 * release.confidence:g} % intervals"


def _caption(release: GroupedRelease, bars: Bars) -> str:
    privacy = f"ε = {number(release.privacy.epsilon())}, δ = {number(release.privacy.delta)}, {release.basis}"
    return f"{privacy}; {bars.legend(len(release.groups))}"
