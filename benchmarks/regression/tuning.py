"""Peers' settings chosen on the private data: what no user may do, and the best a peer could hope for.

Nothing of the search is charged to the peer, and the choice is by the very excess that is reported.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

import relgauss as rg
from benchmarks.regression.boosted import BoostedAdaSSP
from benchmarks.regression.protocol import DELTA, Model, Task

THRESHOLDS = (0.1, 0.3, 1.0, 3.0, 10.0)
STEP_SIZES = (0.1, 0.3)
MOMENTA = (0.9, 0.97)
STEPS = (30, 100, 300, 1000)  # with momentum, as far as 30,000 plain ones
ROUNDS = (1, 3, 10, 30, 100)
RESIDUAL_BOUNDS = (0.1, 0.3, 1.0)
ROW_PARTS = (0.5, 1.0)  # of the row norm, beyond which rows are shortened
TRIALS = 2  # seeds of each setting
_MOST_ROWS = 10_000  # descent is tried on a part of a larger table, with the noise of the whole


@dataclass(frozen=True)
class Descent:
    """A setting of ClippedGD."""

    threshold: float
    step_size: float
    momentum: float
    steps: int
    averaged_part: float


@dataclass(frozen=True)
class Boosting:
    """A setting of Boosted AdaSSP."""

    rounds: int
    residual_bound: float
    row_part: float


def tune_descent(task: Task, epsilons: tuple[float, ...]) -> dict[float, dict[Descent, float]]:
    """The excess of every setting at every epsilon."""
    found: dict[float, dict[Descent, float]] = {epsilon: {} for epsilon in epsilons}
    part = _part(task)
    grid = list(itertools.product(epsilons, THRESHOLDS, STEP_SIZES, MOMENTA))
    for steps in STEPS:
        for averaged, models in _descents(part, task.count, grid, steps).items():
            for (epsilon, threshold, step_size, momentum), trials in zip(grid, models, strict=True):
                setting = Descent(threshold, step_size, momentum, steps, averaged)
                found[epsilon][setting] = float(np.median([part.excess(model) for model in trials]))
    return found


def _part(task: Task) -> Task:
    if task.count <= _MOST_ROWS:
        return task
    kept = np.random.default_rng(0).choice(task.count, _MOST_ROWS, replace=False)
    return Task.of(task.name, task.features[kept], task.labels[kept])


def _descents(
    task: Task, count: int, grid: list[tuple[float, float, float, float]], steps: int
) -> dict[float, list[list[Model]]]:
    """ClippedGD for all settings side by side: the last points, and the means of the second half."""
    rng = np.random.default_rng(0)
    rows = np.column_stack([task.features, np.ones(task.count)]).astype(np.float32)
    norms, labels = np.linalg.norm(rows, axis=1)[:, None], task.labels[:, None].astype(np.float32)
    mu, threshold, step_size, momentum = (
        np.repeat(column, TRIALS).astype(np.float32)
        for column in zip(*((rg.Budget(epsilon, DELTA).mu, *rest) for epsilon, *rest in grid), strict=True)
    )
    noise_std = 2 * threshold * np.sqrt(steps) / (count * mu)
    theta = np.zeros((rows.shape[1], len(mu)), dtype=np.float32)
    velocity, total = np.zeros_like(theta), np.zeros_like(theta)
    for step in range(steps):
        pull = np.zeros_like(theta)
        for block in range(0, task.count, 4096):
            part = slice(block, block + 4096)
            residual = labels[part] - rows[part] @ theta
            residual *= threshold / np.maximum(norms[part] * np.abs(residual), threshold)
            pull += rows[part].T @ residual
        noise = noise_std * rng.standard_normal(theta.shape, dtype=np.float32)
        velocity = momentum * velocity + pull / task.count + noise
        theta = theta + step_size * velocity
        if step >= steps // 2:
            total += theta
    ends = {0.0: theta, 0.5: total / (steps - steps // 2)}
    return {
        part: [
            [Model(column[:-1].astype(float), float(column[-1])) for column in columns]
            for columns in np.split(points.T, len(grid))
        ]
        for part, points in ends.items()
    }


def tune_boosting(task: Task, epsilon: float) -> dict[Boosting, float]:
    """The excess of every setting."""
    found = {}
    for setting in itertools.starmap(Boosting, itertools.product(ROUNDS, RESIDUAL_BOUNDS, ROW_PARTS)):
        excesses = []
        for seed in range(TRIALS):
            model = boosted(task, epsilon, setting, seed)
            excesses.append(task.excess(model))
        found[setting] = float(np.median(excesses))
    return found


def boosted(task: Task, epsilon: float, setting: Boosting, seed: int) -> Model:
    """Boosted AdaSSP at a setting."""
    fitted = BoostedAdaSSP(
        epsilon,
        DELTA,
        rounds=setting.rounds,
        residual_bound=setting.residual_bound,
        row_norm=setting.row_part * task.row_norm,
        random_state=seed,
    ).fit(task.features, task.labels)
    return Model(fitted.coef_, fitted.intercept_)
