"""One measurement, as ``process`` starts it: ``python -m benchmarks.scale.child CASE ...`` prints JSON."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

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
    if runs > 1:
        run()
    for _ in range(runs):
        start = time.perf_counter()
        passes = run()
        seconds.append(time.perf_counter() - start)
    return {"seconds": seconds, "passes": passes, "peak_bytes": _peak_bytes()}


def _peak_bytes() -> int:
    """The kernel's high-water mark: unlike getrusage's, it does not begin with that of the parent."""
    status = Path("/proc/self/status").read_text()
    (line,) = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return 1024 * int(line.split()[1])


CASES = {"fit_folder": fit_folder, "scan_folder": scan_folder, "fit_arrays": fit_arrays}

if __name__ == "__main__":
    print(json.dumps(CASES[sys.argv[1]](*sys.argv[2:])))
