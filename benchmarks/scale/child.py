"""One measurement, as ``process`` starts it: ``python -m benchmarks.scale.child CASE ...`` prints JSON."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

import numpy as np


def fit_folder(folder: str, mechanism: str, runs: str) -> dict[str, object]:
    """Fit to a folder, from opening it to the model, with simulated noise."""
    from relgauss.linear_model import PrivateRidge
    from relgauss.records.table_records import TableRecords

    def fit() -> int:
        with TableRecords(folder, target="y") as records:
            return int(PrivateRidge(mechanism=mechanism, random_state=0).fit(records).n_passes_)

    return _timed(fit, int(runs))


def scan_folder(folder: str, passes: str, runs: str) -> dict[str, object]:
    """A bare scan: read all features, and multiply each chunk by itself."""
    import duckdb

    from relgauss.records.table_records import _CHUNK_ROWS

    def scan() -> int:
        with duckdb.connect() as connection:
            connection.execute("SET enable_progress_bar = false")  # it would write to stdout
            for _ in range(int(passes)):
                relation = connection.sql(f"SELECT * EXCLUDE y FROM read_parquet('{folder}/*.parquet')")
                total: object = 0
                for batch in relation.to_arrow_reader(_CHUNK_ROWS):
                    chunk = np.column_stack([column.to_numpy() for column in batch.columns])
                    chunk = chunk.astype(np.float64)
                    total = total + chunk.T @ chunk
        return int(passes)

    return _timed(scan, int(runs))


def decode_and_ridge(folder: str, runs: str) -> dict[str, object]:
    """The peer: read all columns into one matrix, and fit Ridge to it in memory."""
    import duckdb
    from sklearn.linear_model import Ridge

    def fit() -> int:
        with duckdb.connect() as connection:
            connection.execute("SET enable_progress_bar = false")  # it would write to stdout
            table = connection.sql(f"SELECT * FROM read_parquet('{folder}/*.parquet')").fetchnumpy()
        labels = table.pop("y").astype(np.float64)
        features = np.column_stack([column.astype(np.float64) for column in table.values()])
        Ridge(solver="cholesky").fit(features, labels)
        return 1

    return _timed(fit, int(runs))


def fit_arrays(count: str, columns: str, mechanism: str, runs: str) -> dict[str, object]:
    """Fit to arrays; the peak holds them too."""
    from benchmarks.scale.made_data import arrays
    from relgauss.linear_model import PrivateRidge

    features, labels = arrays(int(count), int(columns))
    model = PrivateRidge(mechanism=mechanism, random_state=0)
    return _timed(lambda: int(model.fit(features, labels).n_passes_), int(runs))


def _timed(run: Callable[[], int], runs: int) -> dict[str, object]:
    """Seconds of each run; where there are several, after one that does not count."""
    seconds, passes = [], 0
    own, ends = [0], Event()
    watch = Thread(target=_watch, args=(own, ends))
    watch.start()
    try:
        if runs > 1:
            run()
        for _ in range(runs):
            start = time.perf_counter()
            passes = run()
            seconds.append(time.perf_counter() - start)
    finally:
        ends.set()
        watch.join()
    return {"seconds": seconds, "passes": passes, "peak_bytes": _bytes("VmHWM"), "own_bytes": own[0]}


def _watch(most: list[int], ends: Event) -> None:
    """Keep the most memory of its own that this process has, of which the kernel keeps no high-water mark."""
    while not ends.wait(0.05):
        most[0] = max(most[0], _bytes("RssAnon"))


def _bytes(name: str) -> int:
    """As the kernel counts it: unlike getrusage's, its high-water mark does not begin with the parent's."""
    status = Path("/proc/self/status").read_text()
    (line,) = [line for line in status.splitlines() if line.startswith(f"{name}:")]
    return 1024 * int(line.split()[1])


CASES = {
    "fit_folder": fit_folder,
    "scan_folder": scan_folder,
    "decode_and_ridge": decode_and_ridge,
    "fit_arrays": fit_arrays,
}

if __name__ == "__main__":
    print(json.dumps(CASES[sys.argv[1]](*sys.argv[2:])))
