"""Runs of methods on tasks, on file and in summary."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np

from benchmarks.regression.protocol import EPSILONS

OUTPUT = Path(__file__).parents[2] / "build" / "regression"


@dataclass(frozen=True)
class Run:
    """One fit. ``degraded`` is the reason for a constant prediction, empty if there is none."""

    method: str
    dataset: str
    count: int
    epsilon: float
    seed: int
    excess: float
    seconds: float
    degraded: str = ""


@dataclass(frozen=True)
class Cell:
    """All seeds of a method on a data set at an epsilon."""

    median: float
    least: float
    most: float
    seconds: float
    degraded: int
    seeds: int
    count: int


class Results:
    """Runs, by method, data set and epsilon."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self.runs = runs
        grouped: dict[tuple[str, str, float], list[Run]] = {}
        for run in runs:
            grouped.setdefault((run.method, run.dataset, run.epsilon), []).append(run)
        self.cells = {key: _cell(group) for key, group in grouped.items()}
        self.methods = list(dict.fromkeys(run.method for run in runs))
        self.datasets = list(dict.fromkeys(run.dataset for run in runs))

    def typical(self, method: str, epsilon: float) -> float | None:
        """The mean of medians over all data sets; None unless the method ran on all."""
        cells = [self.cells.get((method, dataset, epsilon)) for dataset in self.datasets]
        if not cells or any(cell is None for cell in cells):
            return None
        return float(np.mean([cell.median for cell in cells if cell is not None]))

    def write_summary(self, file: Path) -> None:
        """Medians and their means as JSON."""
        summary = {
            method: {
                f"{epsilon:g}": {
                    "mean": self.typical(method, epsilon),
                    **{
                        dataset: asdict(self.cells[method, dataset, epsilon])
                        for dataset in self.datasets
                        if (method, dataset, epsilon) in self.cells
                    },
                }
                for epsilon in EPSILONS
            }
            for method in self.methods
        }
        file.write_text(json.dumps(summary, indent=1))


def _cell(runs: list[Run]) -> Cell:
    excess = [run.excess for run in runs]
    return Cell(
        float(np.median(excess)),
        min(excess),
        max(excess),
        float(np.median([run.seconds for run in runs])),
        sum(bool(run.degraded) for run in runs),
        len(runs),
        runs[0].count,
    )


def write_runs(file: Path, runs: Iterable[Run]) -> None:
    """Write a CSV file with a line for each run."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, [field.name for field in fields(Run)])
        writer.writeheader()
        writer.writerows(asdict(run) for run in runs)


def read_runs(file: Path) -> list[Run]:
    """Read what ``write_runs`` wrote; nothing if there is no such file."""
    if not file.exists():
        return []
    with file.open(newline="") as stream:
        return [
            Run(
                row["method"],
                row["dataset"],
                int(row["count"]),
                float(row["epsilon"]),
                int(row["seed"]),
                float(row["excess"]),
                float(row["seconds"]),
                row["degraded"],
            )
            for row in csv.DictReader(stream)
        ]
