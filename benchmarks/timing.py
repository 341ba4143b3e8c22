"""Timings that survive a noisy machine: interleaved, warmed up, the minimum of many, with the spread."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Timing:
    """Seconds of one case over all rounds."""

    least: float
    median: float
    most: float


def interleaved(cases: Mapping[str, Callable[[], object]], rounds: int = 11) -> dict[str, Timing]:
    """Run all cases in turn, round by round, after one round that does not count."""
    seconds: dict[str, list[float]] = {name: [] for name in cases}
    for turn in range(rounds + 1):
        for name, case in cases.items():
            start = time.perf_counter()
            case()
            if turn > 0:
                seconds[name].append(time.perf_counter() - start)
    return {name: _timing(sorted(values)) for name, values in seconds.items()}


def _timing(ordered: list[float]) -> Timing:
    return Timing(ordered[0], ordered[len(ordered) // 2], ordered[-1])


def show(title: str, timings: Mapping[str, Timing], against: str) -> None:
    """Print the timings as ratios to one of the cases."""
    table = Table(title=title)
    for column in ("case", "least", "median", "most", f"ratio to {against}"):
        table.add_column(column, justify="left" if column == "case" else "right")
    base = timings[against].least
    for name, timing in timings.items():
        times = [f"{1e3 * value:.2f} ms" for value in (timing.least, timing.median, timing.most)]
        table.add_row(name, *times, f"{timing.least / base:.3g}")
    Console(width=110).print(table)
