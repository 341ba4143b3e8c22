"""The picture behind ``relgauss table``: the first statistic of each group with its interval."""

from __future__ import annotations

import textwrap
from pathlib import Path

from relgauss.grouped import TableRelease
from relgauss.grouped.group_counts import GroupCounts
from relgauss.report import style
from relgauss.report.bars import Bars, chosen_rows, draw_bars, figure_height, wrapped
from relgauss.report.wording import in_picture, number


def plot_table(release: TableRelease, file: Path) -> None:
    """Draw the largest groups, the highest estimate on top, and say how many there are besides."""
    value, statistic = next((value, asked[0]) for value, asked in release.values.items())
    bars = _bars(release, value, statistic)
    figure = style.new_figure(8.4, figure_height(bars.names))
    axes = figure.add_subplot()
    draw_bars(axes, bars)
    axes.set_xlabel(in_picture(f"{statistic} of {value}"))
    mark = "SIMULATED, not private: " if release.privacy.simulated else ""
    title = f"{mark}{value} by {', '.join(release.by)}: {statistic}, {100 * release.confidence:g} % intervals"
    figure.suptitle(in_picture(textwrap.fill(title, 80)), x=0.01, ha="left", fontsize=12, fontweight="bold")
    figure.supxlabel(_caption(release, bars), color=style.GREY, fontsize=8)
    style.save(figure, file)


def _bars(release: TableRelease, value: str, statistic: str) -> Bars:
    found, sizes = release.columns[value].statistics[statistic], release.counts.rows
    rows, usable = chosen_rows(found.shown, found.lower, found.upper, found.usable, sizes)
    names = [
        wrapped(f"{', '.join(str(column[row]) for column in release.keys)} ({_size(release.counts, row)})")
        for row in rows
    ]
    return Bars(names, found.shown[rows], found.lower[rows], found.upper[rows], usable)


def _size(counts: GroupCounts, row: int) -> str:
    """The rows of a group, as far as they are known; the title says it if they are simulated."""
    if not counts.usable[row]:
        return f"{float(counts.lower[row]):,.0f} to {float(counts.upper[row]):,.0f}"
    return f"{'about ' if counts.is_noisy else ''}{int(counts.rows[row]):,}"


def _caption(release: TableRelease, bars: Bars) -> str:
    privacy = f"ε = {number(release.privacy.epsilon())}, δ = {number(release.privacy.delta)}"
    return f"{privacy}; {bars.legend(len(release))}"
