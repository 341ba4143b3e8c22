"""One thread, two and four over the same records: the time of each, and whether the results agree."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from rich.console import Console
from threadpoolctl import threadpool_limits

from benchmarks.scale.bare_passes import Pass, bare_pass, with_ones
from benchmarks.scale.made_data import arrays
from benchmarks.timing import interleaved, show
from relgauss.linear_model import PrivateRidge

COLUMNS, THREADS, LEAST = 28, (1, 2, 4), 1.6
COUNT, ROUNDS = 1_000_000, 5
LARGE, LARGE_ROUNDS = 20_000_000, 2  # 10 GB, of which half is a fit's own copy
console = Console(width=110)


def run() -> None:
    """A default fit with simulated noise, so that all results can be compared to the last bit."""
    run_fits(COUNT, ROUNDS, THREADS)
    features, _ = arrays(COUNT, COLUMNS)
    halves = [bare_pass(half) for half in np.array_split(with_ones(features), 2)]
    bare = interleaved({str(count): _in_threads(halves, count) for count in (1, 2)}, ROUNDS)
    text = "bare passes X θ and s X, which only read and multiply, gain"
    console.print(f"{text} {bare['1'].least / bare['2'].least:.2f} times on this machine", highlight=False)
    run_fits(LARGE, LARGE_ROUNDS, THREADS[:2])


def run_fits(rows: int, rounds: int, threads: tuple[int, ...]) -> None:
    """Fits to as many rows with so many threads each."""
    features, labels = arrays(rows, COLUMNS)
    models = {count: PrivateRidge(random_state=0, n_jobs=count) for count in threads}
    cases = {f"threads: {count}": _fit(model, features, labels) for count, model in models.items()}
    timings = interleaved(cases, rounds)
    show(f"{rows:,} × {COLUMNS} in memory, {rounds} rounds", timings, "threads: 1")
    gain = timings["threads: 1"].least / timings["threads: 2"].least
    text = f"two threads are {gain:.2f} times as fast as one"
    console.print(f"{text}: {'meets' if gain >= LEAST else 'MISSES'} {LEAST:g}", highlight=False)
    results = {np.append(model.coef_, model.intercept_).tobytes() for model in models.values()}
    console.print(f"results of {threads} threads: {'equal' if len(results) == 1 else 'DIFFERENT'}")


def _in_threads(passes: list[Pass], count: int) -> Pass:
    """Passes over parts of the rows, in so many threads, with one BLAS thread each."""

    def once() -> object:
        with threadpool_limits(1), ThreadPoolExecutor(count) as pool:
            return list(pool.map(lambda each: each(), passes))

    return once


def _fit(model: PrivateRidge, features: np.ndarray, labels: np.ndarray) -> Callable[[], object]:
    return lambda: model.fit(features, labels)
