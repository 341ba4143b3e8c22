"""Peers' settings chosen on the private data: what no user may do, and the best a peer could hope for.

Nothing of the search is charged to the peer, and the choice is by the very excess that is reported.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import relgauss as rg
from benchmarks.regression.boosted import BoostedAdaSSP
from benchmarks.regression.protocol import DELTA, Model, Task

THRESHOLDS = (0.1, 0.3, 1.0, 3.0, 10.0)
STEP_SIZES = (0.03, 0.1, 0.3)
MOMENTA = (0.9, 0.97)
STEPS = (30, 100, 300, 1000, 3000)
AVERAGED_PARTS = (0.0, 0.5)
ROUNDS = (1, 3, 10, 30, 100)
RESIDUAL_BOUNDS = (0.1, 0.3, 1.0)
ROW_PARTS = (0.5, 1.0)  # of the row norm, which rows are clipped to
TRIALS, FINALISTS, FINAL_TRIALS = 2, 8, 10  # seeds of each setting; settings tried again, on other seeds
_BLOCK = 2**11  # rows at once: what a pass computes stays in the cache
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


def tune_descent(task: Task, epsilon: float) -> Descent:
    """The setting of least excess: all are tried, and the best of them tried again."""
    part = _part(task)
    grid = itertools.product(THRESHOLDS, STEP_SIZES, MOMENTA, STEPS, AVERAGED_PARTS)
    tried = _try_descents(part, task.count, epsilon, list(itertools.starmap(Descent, grid)), TRIALS, seed=0)
    finalists = sorted(tried, key=lambda setting: tried[setting])[:FINALISTS]
    return _best(_try_descents(part, task.count, epsilon, finalists, FINAL_TRIALS, seed=1))


def _part(task: Task) -> Task:
    if task.count <= _MOST_ROWS:
        return task
    kept = np.random.default_rng(0).choice(task.count, _MOST_ROWS, replace=False)
    return Task.of(task.name, task.features[kept], task.labels[kept])


def _try_descents(
    task: Task, count: int, epsilon: float, settings: list[Descent], trials: int, seed: int
) -> dict[Descent, float]:
    """The median excess of each setting; those that share their paths are run once, side by side."""
    rng, found = np.random.default_rng(seed), {}
    for steps in sorted({setting.steps for setting in settings}):
        alike = [setting for setting in settings if setting.steps == steps]
        paths = list(dict.fromkeys(replace(setting, averaged_part=0.0) for setting in alike))
        ends = _descend(task, count, rg.Budget(epsilon, DELTA).mu, paths, trials, rng)
        for setting in alike:
            points = ends[setting.averaged_part][paths.index(replace(setting, averaged_part=0.0))]
            models = [Model(point[:-1], float(point[-1])) for point in points.astype(float)]
            found[setting] = float(np.median([task.excess(model) for model in models]))
    return found


def _descend(
    task: Task, count: int, mu: float, paths: list[Descent], trials: int, rng: np.random.Generator
) -> dict[float, np.ndarray]:
    """ClippedGD on paths of one length, side by side: last points, and means of the second half."""
    rows = np.column_stack([task.features, np.ones(task.count)]).astype(np.float32)
    norms, labels = np.linalg.norm(rows, axis=1)[:, None], task.labels[:, None].astype(np.float32)
    threshold, step_size, momentum = (
        np.repeat([getattr(path, name) for path in paths], trials).astype(np.float32)
        for name in ("threshold", "step_size", "momentum")
    )
    steps = paths[0].steps
    noise_std = 2 * threshold * np.float32(np.sqrt(steps) / (count * mu))
    theta, velocity, total = np.zeros((3, rows.shape[1], len(threshold)), dtype=np.float32)
    for step in range(steps):
        pull = np.zeros_like(theta)
        for start in range(0, task.count, _BLOCK):
            part = slice(start, start + _BLOCK)
            residual = labels[part] - rows[part] @ theta
            residual *= threshold / np.maximum(norms[part] * np.abs(residual), threshold)
            pull += rows[part].T @ residual
        noise = noise_std * rng.standard_normal(theta.shape, dtype=np.float32)
        velocity = momentum * velocity + pull / task.count + noise
        theta = theta + step_size * velocity
        if step >= steps // 2:
            total += theta
    ends = {0.0: theta, 0.5: total / (steps - steps // 2)}
    return {part: points.T.reshape(len(paths), trials, -1) for part, points in ends.items()}


def tune_boosting(task: Task, epsilon: float) -> Boosting:
    """The setting of least excess, found likewise."""
    grid = itertools.product(ROUNDS, RESIDUAL_BOUNDS, ROW_PARTS)
    tried = _try_boostings(task, epsilon, list(itertools.starmap(Boosting, grid)), range(1000, 1000 + TRIALS))
    finalists = sorted(tried, key=lambda setting: tried[setting])[:FINALISTS]
    return _best(_try_boostings(task, epsilon, finalists, range(2000, 2000 + FINAL_TRIALS)))


def _try_boostings(
    task: Task, epsilon: float, settings: list[Boosting], seeds: range
) -> dict[Boosting, float]:
    """The median excess of each setting, on seeds that the comparison does not use."""
    return {
        setting: float(np.median([task.excess(boosted(task, epsilon, setting, seed)) for seed in seeds]))
        for setting in settings
    }


def _best(tried: dict[Any, float]) -> Any:
    return min(tried, key=lambda setting: tried[setting])


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
