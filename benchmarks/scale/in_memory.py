"""A million records of 50 features in memory, beside scikit-learn's Ridge and beside bare passes."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console
from sklearn.linear_model import Ridge

from benchmarks.scale.bare_passes import bare_pass, with_ones
from benchmarks.scale.made_data import arrays
from benchmarks.timing import interleaved, show
from relgauss.linear_model import PrivateRidge

COUNT, COLUMNS, ROUNDS = 1_000_000, 50, 5
SINGLE_PASS, LIMIT = ("public-iterate", "isometric", "relative"), 5.0
BOUNDS = {"feature_bounds": (-6.0, 6.0), "label_bounds": (-60.0, 60.0)}
_PEER = "scikit-learn, Ridge(solver='cholesky')"
_BARE = "one bare pass: X θ and s X"
console = Console(width=110)


def run() -> None:
    """Simulated noise: what is timed is the work on records.

    A fit also reads whitened rows for the first time: that takes a covariance, as Ridge does, and X W.
    """
    features, labels = arrays(COUNT, COLUMNS)
    models = {
        f"{mechanism}, {given}": PrivateRidge(mechanism=mechanism, random_state=0, **known)
        for given, known in (("bounds", BOUNDS), ("nothing given", {}))
        for mechanism in (*SINGLE_PASS, "clipped")
    }
    cases: dict[str, Callable[[], object]] = {_PEER: lambda: Ridge(solver="cholesky").fit(features, labels)}
    cases[_BARE] = bare_pass(with_ones(features))
    cases |= {name: _fit(model, features, labels) for name, model in models.items()}
    timings = interleaved(cases, ROUNDS)
    title = f"{COUNT:,} × {COLUMNS} in memory, one BLAS thread, {ROUNDS} rounds"
    show(title, timings, _PEER)
    for name, model in models.items():
        least, passes = timings[name].least, model.n_passes_
        ratio, bare = least / timings[_PEER].least, least / (passes * timings[_BARE].least)
        text = f"{name}: {passes} passes, {ratio:.2f} times Ridge, "
        if name.startswith("clipped"):
            text += f"{bare:.2f} times as many bare passes"
        else:
            text += f"{'within' if ratio <= LIMIT else 'ABOVE'} the limit {LIMIT:g}"
        console.print(text, highlight=False)


def _fit(model: PrivateRidge, features: object, labels: object) -> Callable[[], object]:
    return lambda: model.fit(features, labels)
