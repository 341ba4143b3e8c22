"""One thread, two and four over the same records: the time of each, and whether the results agree."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from rich.console import Console

from benchmarks.scale.made_data import arrays
from benchmarks.timing import interleaved, show
from relgauss.linear_model import PrivateRidge

COUNT, COLUMNS, THREADS, ROUNDS, LEAST = 1_000_000, 28, (1, 2, 4), 5, 1.6
console = Console(width=110)


def run() -> None:
    """A default fit with simulated noise, so that all results can be compared to the last bit."""
    features, labels = arrays(COUNT, COLUMNS)
    models = {count: PrivateRidge(random_state=0, n_jobs=count) for count in THREADS}
    cases = {f"threads: {count}": _fit(model, features, labels) for count, model in models.items()}
    timings = interleaved(cases, ROUNDS)
    show(f"{COUNT:,} × {COLUMNS} in memory, {ROUNDS} rounds", timings, "threads: 1")
    gain = timings["threads: 1"].least / timings["threads: 2"].least
    text = f"two threads are {gain:.2f} times as fast as one"
    console.print(f"{text}: {'meets' if gain >= LEAST else 'MISSES'} {LEAST:g}", highlight=False)
    results = {np.append(model.coef_, model.intercept_).tobytes() for model in models.values()}
    console.print(f"results of {THREADS} threads: {'equal' if len(results) == 1 else 'DIFFERENT'}")


def _fit(model: PrivateRidge, features: np.ndarray, labels: np.ndarray) -> Callable[[], object]:
    return lambda: model.fit(features, labels)
