"""Time of a fit on ijcnn1, beside scikit-learn's Ridge on the same records."""

from __future__ import annotations

from collections.abc import Callable

from sklearn.linear_model import Ridge

from benchmarks.regression import datasets
from benchmarks.regression.protocol import DELTA, Task
from benchmarks.regression.tables import console
from benchmarks.timing import Timing, interleaved, show
from relgauss.linear_model import PrivateRidge

_PEER = "scikit-learn, Ridge(solver='cholesky')"
_LIMITS = {"clipped, bounds": 8.0, "clipped, nothing given": 12.0} | {
    f"{name}, bounds": 4.0 for name in ("public-iterate", "isometric", "relative")
}
_ROUNDS = 15


def run() -> None:
    """Simulated noise beside Ridge, with the limits; then secure noise beside simulated."""
    found = [task for task in datasets.tasks() if task.name == "ijcnn1"]
    if not found:
        console.print("Timing is left out: it needs ../shared/data/ijcnn1.npz.")
        return
    raw = found[0]
    bounded = raw.bounded()
    cases: dict[str, Callable[[], object]] = {
        _PEER: lambda: Ridge(solver="cholesky").fit(bounded.features, bounded.labels)
    }
    cases |= {name: _fit(name, raw, bounded, random_state=0) for name in _LIMITS}
    title = f"ijcnn1, {raw.count:,} × {raw.features.shape[1]}"
    timings = interleaved(cases, _ROUNDS)
    show(f"{title}: simulated noise, one BLAS thread, {_ROUNDS} rounds", timings, _PEER)
    for name, limit in _LIMITS.items():
        _judge(name, timings[name], timings[_PEER], limit)
    secure = {f"{name}, secure": _fit(name, raw, bounded, random_state=None) for name in _LIMITS}
    show(f"{title}: secure noise", interleaved({_PEER: cases[_PEER], **secure}, 7), _PEER)


def _fit(name: str, raw: Task, bounded: Task, random_state: int | None) -> Callable[[], object]:
    mechanism, given = name.split(", ")
    bounds = {"feature_bounds": (-1.0, 1.0), "label_bounds": (-1.0, 1.0)} if given == "bounds" else {}
    task = bounded if bounds else raw
    model = PrivateRidge(1.0, DELTA, mechanism=mechanism, random_state=random_state, **bounds)
    return lambda: model.fit(task.features, task.labels)


def _judge(name: str, ours: Timing, peer: Timing, limit: float) -> None:
    ratio, middle = ours.least / peer.least, ours.median / peer.median
    verdict = "within" if ratio <= limit else "ABOVE"
    console.print(
        f"{name}: {ratio:.2f} times Ridge by the least of each, {middle:.2f} by medians, "
        f"{ours.least / peer.most:.2f} to {ours.most / peer.least:.2f} in all: {verdict} the limit {limit:g}"
    )
