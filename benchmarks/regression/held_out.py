"""Test R² on a fifth of the rows, kept apart: the private fit beside scikit-learn's regressions."""

from __future__ import annotations

import numpy as np
from rich.table import Table
from sklearn.linear_model import HuberRegressor, LinearRegression
from sklearn.metrics import r2_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.regression import datasets
from benchmarks.regression.methods import NOTHING, methods
from benchmarks.regression.protocol import EPSILONS, Task
from benchmarks.regression.results import OUTPUT
from benchmarks.regression.tables import console
from benchmarks.regression.tuned import Tuned

_PEERS = {"LinearRegression": LinearRegression, "HuberRegressor": lambda: HuberRegressor(max_iter=500)}


def run(seeds: int) -> None:
    """Print the table: one split of each data set, the median over seeds of the noise."""
    (private,) = (each for each in methods(Tuned(OUTPUT / "tuned.json")) if each.name == NOTHING)
    table = Table(title=f"Test R², 20 % of the rows held out, {NOTHING}: median of {seeds} seeds")
    table.add_column("data set")
    for name in (*(f"epsilon {epsilon:g}" for epsilon in EPSILONS), *_PEERS):
        table.add_column(name, justify="right")
    for task in datasets.tasks():
        order = np.random.default_rng(0).permutation(task.count)
        held, kept = order[: task.count // 5], order[task.count // 5 :]
        features, labels = task.features[held], task.labels[held]
        part = Task.of(task.name, task.features[kept], task.labels[kept])
        cells = []
        for epsilon in EPSILONS:
            models = [private.fit(part, epsilon, seed)[0] for seed in range(seeds)]
            cells.append(float(np.median([r2_score(labels, each.predict(features)) for each in models])))
        for peer in _PEERS.values():
            fitted = make_pipeline(StandardScaler(), peer()).fit(part.features, part.labels)
            cells.append(float(r2_score(labels, fitted.predict(features))))
        table.add_row(task.name, *(f"{value:.4f}" if value > -10 else f"{value:.0f}" for value in cells))
    console.print(table)
