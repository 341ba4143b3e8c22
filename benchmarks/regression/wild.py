"""Columns that no default fits: what each kind of wildness costs, with nothing given."""

from __future__ import annotations

import numpy as np
from rich.table import Table

from benchmarks.regression.methods import NOTHING, methods
from benchmarks.regression.protocol import EPSILONS, Task
from benchmarks.regression.results import OUTPUT
from benchmarks.regression.tables import console
from benchmarks.regression.tuned import Tuned

_ROWS, _COLUMNS = 50_000, 8
_PLAIN = "plain: standard normal columns"


def wild_tasks() -> list[Task]:
    """The same linear model over columns of ever wilder kinds."""
    rng = np.random.default_rng(0)
    plain = rng.standard_normal((_ROWS, _COLUMNS)) @ (np.eye(_COLUMNS) + 0.3)
    heavy = plain.copy()
    heavy[:, 2] = rng.standard_t(2.5, _ROWS)
    heavy[:, 3] = np.exp(1.5 * rng.standard_normal(_ROWS))
    noise = rng.standard_normal(_ROWS)

    def task(name: str, columns: np.ndarray, scale: np.ndarray | float, shift: np.ndarray | float) -> Task:
        spread = columns.std(axis=0)
        signal = (columns / np.where(spread > 0, spread, 1)) @ np.linspace(1, 2, columns.shape[1])
        labels = signal + signal.std() * noise
        return Task.of(name, columns * scale + shift, labels)

    scales = np.array([1e9, 1e-9, 1.0, 1e3, 1.0, 1e-4, 1e6, 1.0])
    far = np.array([0.0, 0.0, 1e4, 0.0, -1e6, 0.0, 0.0, 1e3])
    constant = np.column_stack([heavy[:, :-1], np.full(_ROWS, 7.0)])
    together = task("all together", constant, scales, scales * far)
    return [
        task(_PLAIN, plain, 1.0, 0.0),
        task("columns of 1e9 and 1e-9", plain, scales, 0.0),
        task("means far from zero", plain, 1.0, far),
        task("heavy tails: t of 2.5, log-normal", heavy, 1.0, 0.0),
        task("a constant column", np.column_stack([plain[:, :-1], np.full(_ROWS, 7.0)]), 1.0, 0.0),
        together,
        Task.of("all, and the label × 1e8 + 1e10", together.features, 1e8 * together.labels + 1e10),
    ]


def run(seeds: int) -> None:
    """Print the table."""
    (method,) = (each for each in methods(Tuned(OUTPUT / "tuned.json")) if each.name == NOTHING)
    table = Table(
        title=f"{NOTHING}: {_ROWS:,} rows, {_COLUMNS} columns, median excess (most) of {seeds} seeds"
    )
    table.add_column("data")
    for epsilon in EPSILONS:
        table.add_column(f"epsilon {epsilon:g}", justify="right")
    for task in wild_tasks():
        cells = []
        for epsilon in EPSILONS:
            excess = [task.excess(method.fit(task, epsilon, seed)[0]) for seed in range(seeds)]
            cells.append(f"{np.median(excess):.5f} ({max(excess):.5f})")
        table.add_row(task.name, *cells)
    console.print(table)
