"""Methods × data sets × epsilon: run, keep, show."""

from __future__ import annotations

import time

from benchmarks.regression import datasets, picture, tables
from benchmarks.regression.methods import Method, methods
from benchmarks.regression.protocol import EPSILONS, Task
from benchmarks.regression.results import OUTPUT, Results, Run, read_runs, write_runs
from benchmarks.regression.tuned import Tuned

PEER_FILES = "peers-*.csv"


def run(seeds: int, only: str = "") -> None:
    """The whole grid; outside peers join from the files that ``benchmarks.regression.peers`` wrote.

    With ``only`` the methods whose names begin so run anew, beside what is on file of the others.
    """
    OUTPUT.mkdir(parents=True, exist_ok=True)
    for name in datasets.missing():
        tables.console.print(f"{name} is left out: it needs ../shared/data/{datasets.SOURCES[name][0]}.")
    tuned = Tuned(OUTPUT / "tuned.json")
    if tuned.reused:
        tables.console.print(
            "Tuned settings are those of an earlier run: delete build/regression to tune anew."
        )
    every = [method for method in methods(tuned) if method.name.startswith(only)]
    runs = [run for run in read_runs(OUTPUT / "results.csv") if not run.method.startswith(only)]
    for task in datasets.tasks():
        bounded = task.bounded()
        for method in every:
            runs += _runs(method, bounded if method.bounded else task, seeds)
            tables.console.print(f"[dim]{task.name}: {method.name}")
        write_runs(OUTPUT / "results.csv", runs)
    show()


def _runs(method: Method, task: Task, seeds: int) -> list[Run]:
    runs = []
    for epsilon in EPSILONS:
        method.fit(task, epsilon, 0)  # tuning and warming up are no part of the time
        for seed in range(seeds):
            start = time.perf_counter()
            model, degraded = method.fit(task, epsilon, seed)
            seconds = time.perf_counter() - start
            excess = task.excess(model)
            runs.append(Run(method.name, task.name, task.count, epsilon, seed, excess, seconds, degraded))
    return runs


def show() -> None:
    """Tables, summary and picture of all runs on file."""
    runs = read_runs(OUTPUT / "results.csv")
    for file in sorted(OUTPUT.glob(PEER_FILES)):
        runs += read_runs(file)
    if not runs:
        return
    results = Results(runs)
    tables.show(results)
    results.write_summary(OUTPUT / "summary.json")
    picture.draw(results, OUTPUT / "regression.png")
    tables.console.print("Written: results.csv, summary.json and regression.png in build/regression.")
