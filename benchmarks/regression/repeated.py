"""How often a fit is marked ``Fitted``, and how often such a one is worse than a constant: many seeds."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table

from benchmarks.regression import datasets, kept_aside
from benchmarks.regression.protocol import CONSTANT, DELTA, EPSILONS, Model, Task
from benchmarks.regression.results import OUTPUT
from benchmarks.regression.tables import console
from relgauss.linear_model import Fitted, PrivateLogisticRegression, PrivateRidge
from tests.statistical.wild_tables import wild_tables

FILE = OUTPUT / "repeated.csv"
_BOUNDS = {"feature_bounds": (-1.0, 1.0), "label_bounds": (-1.0, 1.0)}
_FEW = 3_000  # rows of the small tables
Fit = Callable[[float, int], tuple[float, bool]]  # epsilon, seed -> error, whether it was fitted


class Case(NamedTuple):
    """A family of tables, the name of one, its epsilons, and how a fit of it is judged."""

    family: str
    name: str
    epsilons: tuple[float, ...]
    fit: Fit


def cases() -> Iterator[Case]:
    """Excess over least squares; of wild tables the error over the mean's, labels clipped to their range; of
    classifiers the log-loss over the constant's.
    """
    for family, tasks in (("five", datasets.tasks), ("kept aside", kept_aside.tasks)):
        for task in tasks():
            yield Case(f"{family}, nothing given", task.name, EPSILONS, _excess(task))
            yield Case(f"{family}, bounds", task.name, EPSILONS, _excess(task.bounded(), **_BOUNDS))
            if family == "five" and task.name in ("protein", "elevators", "bike"):
                rows = np.random.default_rng(0).permutation(task.count)[:_FEW]
                small = Task.of(task.name, task.features[rows], task.labels[rows])
                yield Case(f"{_FEW:,} rows", task.name, (1.0,), _excess(small))
    for name, table in wild_tables().items():
        yield Case("wild", name, (0.1, 1.0), _relative(*table))
        yield Case("wild classes", name, (0.1, 1.0), _log_loss(*table))


def _fitted(model: Any, features: np.ndarray, labels: np.ndarray) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the outcome says it, and noise is simulated on purpose
        return isinstance(model.fit(features, labels).outcome_, Fitted)


def _excess(task: Task, **options: Any) -> Fit:
    def fit(epsilon: float, seed: int) -> tuple[float, bool]:
        model = PrivateRidge(epsilon, DELTA, random_state=seed, **options)
        fitted = _fitted(model, task.features, task.labels)
        line = Model(model.coef_, model.intercept_, model.feature_range_, model.prediction_range_)
        return task.excess(line), fitted

    return fit


def _relative(features: np.ndarray, labels: np.ndarray) -> Fit:
    def fit(epsilon: float, seed: int) -> tuple[float, bool]:
        model = PrivateRidge(epsilon, DELTA, random_state=seed)
        fitted = _fitted(model, features, labels)
        seen = labels.clip(*model.label_range_)
        return float(np.mean((model.predict(features) - seen) ** 2) / seen.var()), fitted

    return fit


def _log_loss(features: np.ndarray, labels: np.ndarray) -> Fit:
    classes = (labels > np.quantile(labels, 0.7)).astype(int)
    share = classes.mean()
    constant = -share * np.log(share) - (1 - share) * np.log(1 - share)

    def fit(epsilon: float, seed: int) -> tuple[float, bool]:
        model = PrivateLogisticRegression(epsilon, DELTA, classes=[0, 1], random_state=seed)
        fitted = _fitted(model, features, classes)
        chances = model.predict_proba(features)[np.arange(len(classes)), classes]
        return float(-np.log(chances).mean() / constant), fitted

    return fit


def run(seeds: int, only: str = "") -> None:
    """Run what is not on file of the cases whose family and name hold ``only``, and show all."""
    done = _read(FILE)
    FILE.parent.mkdir(parents=True, exist_ok=True)
    with FILE.open("a", newline="") as stream:
        writer = csv.writer(stream)
        for case in cases():
            if only not in f"{case.family}: {case.name}":
                continue
            for epsilon in case.epsilons:
                key = case.family, case.name, f"{epsilon:g}"
                for seed in range(seeds):
                    if seed not in done.get(key, {}):
                        error, fitted = case.fit(epsilon, seed)
                        writer.writerow([*key, seed, f"{error:.6g}", int(fitted)])
                stream.flush()
    show()


def _read(file: Path) -> dict[tuple[str, str, str], dict[int, tuple[float, bool]]]:
    found: dict[tuple[str, str, str], dict[int, tuple[float, bool]]] = {}
    if file.exists():
        with file.open(newline="") as stream:
            for family, name, epsilon, seed, error, fitted in csv.reader(stream):
                found.setdefault((family, name, epsilon), {})[int(seed)] = float(error), fitted == "1"
    return found


def show() -> None:
    """All that is on file, a table for each family."""
    found = _read(FILE)
    for family in dict.fromkeys(key[0] for key in found):
        title = f"{family}: median error, part fitted, fitted and above {CONSTANT} of so many seeds"
        table = Table(title=title)
        for header in ("table", "epsilon", "median", "fitted", "worse than a constant"):
            table.add_column(header, justify="left" if header == "table" else "right")
        for key, runs in found.items():
            if key[0] == family:
                errors, fitted = (np.array(each) for each in zip(*runs.values(), strict=True))
                bad = int(np.sum((errors > CONSTANT) & fitted))
                of = f"{bad} of {len(runs)}"
                table.add_row(key[1], key[2], f"{np.median(errors):.4f}", f"{np.mean(fitted):.1%}", of)
        console.print(table)
