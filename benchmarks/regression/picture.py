"""The comparison as a picture."""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes

from benchmarks.regression.methods import CLIPPED, NOTHING, OURS, TUNED
from benchmarks.regression.protocol import EPSILONS
from benchmarks.regression.results import Results
from relgauss.report.style import (
    BLACK,
    BLUE,
    GREY,
    PURPLE,
    SKY,
    new_figure,
    save,
    tidy,
)

_Look = tuple[str, str, str]  # colour, marker, line
_OURS: dict[str, _Look] = {NOTHING: (BLUE, "o", "-"), OURS: (SKY, "s", "-")}
_PEER: _Look = (PURPLE, "P", "-")
_TUNED_PEER: _Look = (BLACK, "d", ":")
_TOP = 3.0  # an excess above this is off the picture: three times worse than the mean
_LINEAR = 0.01  # excesses below this, and those below zero, on a linear scale


def looks(results: Results) -> dict[str, _Look]:
    """Ours, with nothing given and with bounds; the best private peer, and the best that was tuned."""
    ours = (OURS, NOTHING, CLIPPED)
    peers = [method for method in results.methods if not method.startswith(ours)]
    chosen: dict[str, _Look] = dict(_OURS)
    for is_tuned, look in ((False, _PEER), (True, _TUNED_PEER)):
        kind = [method for method in peers if method.endswith(TUNED) == is_tuned]
        if kind:
            chosen[min(kind, key=lambda method: _mean(results, method))] = look
    return chosen


def _mean(results: Results, method: str) -> float:
    """Over all epsilons, of excesses up to what the picture shows; the worst where it did not run."""
    found = [results.typical(method, epsilon) for epsilon in EPSILONS]
    return sum(_TOP if value is None else min(value, _TOP) for value in found)


def draw(results: Results, file: Path) -> None:
    """The mean in one panel, each data set in another; the legend is that of the last."""
    drawn = looks(results)
    figure = new_figure(13, 7.6)
    panels = figure.subplots(2, 3, sharex=True, sharey=True).ravel()
    every = {method: [results.typical(method, epsilon) for epsilon in EPSILONS] for method in drawn}
    typical = {m: row for m, row in every.items() if any(value and value < _TOP for value in row)}
    # One that did not run on all data sets has no mean, and is shown where it ran.
    shown = [m for m in drawn if m in typical or None in every[m]]
    lowest = min(results.cells[m, d, e].median for m, d, e in results.cells if m in shown)
    _panel(panels[0], "mean", typical, drawn)
    for axes, dataset in zip(panels[1:], results.datasets, strict=False):
        cells = {m: [results.cells.get((m, dataset, e)) for e in EPSILONS] for m in shown}
        medians = {m: [cell and cell.median for cell in row] for m, row in cells.items()}
        counts = [cell.count for row in cells.values() for cell in row if cell]
        _panel(axes, f"{dataset}, n = {counts[0]:,}", medians, drawn)
    for axes in panels[1 + len(results.datasets) :]:
        axes.set_visible(False)
    for axes in panels[::3]:
        axes.set_ylabel("normalised excess")
    for axes in panels[3:]:
        axes.set_xlabel("epsilon (delta = 1e-6)")
    panels[0].set_ylim(min(1.2 * lowest, -_LINEAR), _TOP)
    handles, labels = panels[-1].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    figure.suptitle("Private linear regression: excess error, 1 is the mean, 0 least squares, less is better")
    save(figure, file)


def _panel(axes: Axes, title: str, lines: dict[str, list[float | None]], drawn: dict[str, _Look]) -> None:
    axes.set_xscale("log")
    axes.set_yscale("symlog", linthresh=_LINEAR)
    axes.axhline(0, color=GREY, linewidth=1)
    axes.set_title(title, loc="left")
    axes.axhline(1, color=GREY, linewidth=1)
    for method, values in lines.items():
        colour, marker, line = drawn[method]
        points = [(e, v) for e, v in zip(EPSILONS, values, strict=True) if v is not None]
        ours = method == NOTHING
        axes.plot(
            *zip(*points, strict=True) if points else ([], []),
            color=colour,
            marker=marker,
            linestyle=line,
            linewidth=2.4 if ours else 1.2,
            markersize=6 if ours else 4.5,
            zorder=3 if ours else 2,
            label=method,
        )
    axes.set_xticks(EPSILONS, [f"{epsilon:g}" for epsilon in EPSILONS])
    axes.minorticks_off()
    tidy(axes)
