"""How time and memory grow with the number of records and of features, as a picture."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from matplotlib.figure import Figure
from rich.console import Console

from benchmarks.scale.made_data import parquet_folder
from benchmarks.scale.process import GIB, Measured, measure

PICTURE = Path(__file__).parents[2] / "docs" / "images" / "scale.png"
COUNTS, COLUMNS_FIXED = (100_000, 300_000, 1_000_000, 2_000_000), 28
COLUMNS, COUNT_FIXED = (5, 10, 20, 50, 100), 300_000
MECHANISMS, RUNS = ("clipped", "public-iterate"), 5
_COLOURS = {"clipped": "#0072b2", "public-iterate": "#d55e00"}
_STYLES = {"arrays": "-", "Parquet": "--"}

Points = dict[tuple[str, str], list[Measured]]


def run() -> None:
    """Measure, print and draw."""
    by_count = _measure([(count, COLUMNS_FIXED) for count in COUNTS])
    by_columns = _measure([(COUNT_FIXED, columns) for columns in COLUMNS])
    _print("records", COUNTS, by_count)
    _print("features", COLUMNS, by_columns)
    figure = Figure(figsize=(10, 7), layout="constrained")
    axes = figure.subplots(2, 2, sharex="col")
    _draw(axes[:, 0], COUNTS, by_count, f"records, each of {COLUMNS_FIXED} features")
    _draw(axes[:, 1], COLUMNS, by_columns, f"features, {COUNT_FIXED:,} records")
    axes[0, 0].legend(frameon=False)
    figure.savefig(PICTURE, dpi=110)
    Console().print(f"Picture: {PICTURE.relative_to(PICTURE.parents[2])}")


def _measure(shapes: list[tuple[int, int]]) -> Points:
    points: Points = {(mechanism, source): [] for mechanism in MECHANISMS for source in _STYLES}
    for count, columns in shapes:
        with tempfile.TemporaryDirectory() as name:
            folder = parquet_folder(Path(name), count, columns)
            for mechanism in MECHANISMS:
                points[mechanism, "arrays"].append(measure("fit_arrays", count, columns, mechanism, RUNS))
                points[mechanism, "Parquet"].append(measure("fit_folder", folder, mechanism, RUNS))
    return points


def _seconds(measured: Measured) -> float:
    return min(measured.seconds)


def _gib(measured: Measured) -> float:
    return measured.peak_bytes / GIB


def _print(what: str, sizes: tuple[int, ...], points: Points) -> None:
    console = Console(width=110)
    for (mechanism, source), found in points.items():
        figures = "; ".join(
            f"{size:,}: {_seconds(each):.2f} s (to {max(each.seconds):.2f}), {_gib(each):.2f} GiB"
            for size, each in zip(sizes, found, strict=True)
        )
        console.print(f"{mechanism}, {source}, by {what}: {figures}", highlight=False)


def _draw(axes: object, sizes: tuple[int, ...], points: Points, label: str) -> None:
    rows: tuple[tuple[str, str, Callable[[Measured], float]], ...] = (
        ("seconds of a fit", "log", _seconds),
        ("peak memory of the process, GiB", "linear", _gib),
    )
    for axis, (title, scale, value) in zip(axes, rows, strict=True):
        for (mechanism, source), found in points.items():
            axis.plot(
                sizes,
                [value(each) for each in found],
                _STYLES[source],
                marker="o",
                color=_COLOURS[mechanism],
                label=f"{mechanism}, {source}",
            )
        axis.set(xscale="log", yscale=scale, ylabel=title)
        axis.xaxis.set_major_formatter("{x:,.0f}")
        axis.yaxis.set_major_formatter("{x:g}")
        axis.grid(alpha=0.3)
    axes[-1].set_ylim(bottom=0)
    axes[-1].set_xlabel(label)
