"""Half a million records of 50 features in memory, beside scikit-learn's Ridge with as many threads."""

from __future__ import annotations

import os
from collections.abc import Callable

from rich.console import Console
from sklearn.linear_model import Ridge
from threadpoolctl import threadpool_limits

from benchmarks.scale.bare_passes import bare_pass, with_ones
from benchmarks.scale.made_data import arrays
from benchmarks.timing import interleaved, show
from relgauss.linear_model import PrivateRidge

COUNT, COLUMNS, ROUNDS = 500_000, 50, 5
BOUNDS = {"feature_bounds": (-6.0, 6.0), "label_bounds": (-60.0, 60.0)}
# How many times the time of Ridge a fit may take, by mechanism and what is given.
LIMITS = {
    ("public-iterate", "nothing given"): 4.0,
    ("clipped", "nothing given"): 6.0,
    ("public-iterate", "bounds"): 2.5,
    ("clipped", "bounds"): 3.5,
}
_PEER = "scikit-learn, Ridge(solver='cholesky')"
_BARE = "one bare pass: X θ and s X"
console = Console(width=110)


def run() -> None:
    """Simulated noise: what is timed is the work on records. Once with one thread, once with every core."""
    features, labels = arrays(COUNT, COLUMNS)
    for threads in sorted({1, os.cpu_count() or 1}):
        models = {
            f"{mechanism}, {given}": PrivateRidge(
                mechanism=mechanism, random_state=0, n_jobs=threads, **(BOUNDS if given == "bounds" else {})
            )
            for mechanism, given in LIMITS
        }
        cases: dict[str, Callable[[], object]] = {
            _PEER: lambda: Ridge(solver="cholesky").fit(features, labels),
            _BARE: bare_pass(with_ones(features)),
        }
        cases |= {name: _fit(model, features, labels) for name, model in models.items()}
        with threadpool_limits(threads, user_api="blas"):
            timings = interleaved(cases, ROUNDS)
        show(f"{COUNT:,} × {COLUMNS} in memory, threads: {threads}, {ROUNDS} rounds", timings, _PEER)
        for (name, model), limit in zip(models.items(), LIMITS.values(), strict=True):
            ratio = timings[name].least / timings[_PEER].least
            text = f"{name}: {model.n_passes_} passes, {ratio:.2f} times Ridge"
            console.print(f"{text}: {'within' if ratio <= limit else 'ABOVE'} {limit:g}", highlight=False)


def _fit(model: PrivateRidge, features: object, labels: object) -> Callable[[], object]:
    return lambda: model.fit(features, labels)
