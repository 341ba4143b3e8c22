"""The five data sets of the comparison, read from ../shared/data and never committed."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.regression.protocol import Task

DATA = Path(__file__).parents[3] / "shared" / "data"


def _archive(file: Path) -> tuple[np.ndarray, np.ndarray]:
    with np.load(file) as arrays:
        return arrays["X"].astype(np.float64), arrays["y"].astype(np.float64)


def _target_last(file: Path) -> tuple[np.ndarray, np.ndarray]:
    with gzip.open(file, "rt") as lines:
        table = np.loadtxt(lines, delimiter=",")
    return table[:, :-1], table[:, -1]


def _named_label(file: Path) -> tuple[np.ndarray, np.ndarray]:
    with gzip.open(file, "rt") as lines:
        column = lines.readline().strip().lower().split(",").index("label")
        table = np.loadtxt(lines, delimiter=",")
    return np.delete(table, column, axis=1), table[:, column]


SOURCES: dict[str, tuple[str, Callable[[Path], tuple[np.ndarray, np.ndarray]]]] = {
    "ijcnn1": ("ijcnn1.npz", _archive),
    "protein": ("protein.csv.gz", _target_last),
    "bike": ("bike.csv.gz", _target_last),
    "elevators": ("elevators.csv.gz", _target_last),
    "higgs": ("higgs_10984.csv.gz", _named_label),
}


def missing() -> list[str]:
    """The data sets whose file is not at hand."""
    return [name for name, (file, _) in SOURCES.items() if not (DATA / file).exists()]


def tasks() -> Iterator[Task]:
    """Every data set that is at hand, as it lies in its file."""
    for name, (file, read) in SOURCES.items():
        if (DATA / file).exists():
            yield Task.of(name, *read(DATA / file))
