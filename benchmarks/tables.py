"""Whole tables: the time beside DuckDB's own averages and quantiles, and the memory of a million groups.

Both are made by a recipe, written to Parquet in a folder that is removed, and read from there by a process of
its own.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np

ROWS = 10_000_000
ASKED = ["mean", "median", "q25", "q75"]
COLUMNS = ("pay", "bonus", "gain")


def run() -> None:
    """Print the two figures."""
    with tempfile.TemporaryDirectory(prefix="relgauss-") as folder:
        file = Path(folder) / "rows.parquet"
        _in_process(_write, file, 1_000)
        plain = _in_process(_duckdb, file)[0]
        ours, memory = _in_process(_release, file, list(COLUMNS), 1.0)
        print(
            "Tables: 10,000,000 rows, 1,000 groups, 3 columns with mean, median and quartiles, from Parquet"
        )
        print(f"  DuckDB's avg and quantile_cont  {plain:6.1f} s")
        print(
            f"  release_table, secure noise     {ours:6.1f} s   {ours / plain:.1f} times   {memory:.2f} GiB"
        )
        _in_process(_write, file, 1_000_000)
        ours, memory = _in_process(_release, file, ["pay"], 0.3)
        print(f"  a million groups of ten rows    {ours:6.1f} s   at epsilon 0.3   {memory:.2f} GiB")
        ours, memory = _in_process(_release_means, file, 0.3)
        print(f"  the same by release_means       {ours:6.1f} s   at epsilon 0.3   {memory:.2f} GiB")


def _in_process(work: Callable[..., Any], *arguments: Any) -> Any:
    """Do it in a new process: the peak of memory is its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, arguments)


def _write(file: Path, groups: int) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    rng = np.random.default_rng(0)
    job = pa.array(rng.integers(0, groups, ROWS).astype(np.int32))
    pay, gain = np.exp(rng.normal(10, 0.5, ROWS)), rng.normal(0, 1_000, ROWS)
    bonus = np.where(rng.random(ROWS) < 0.6, 0.0, np.exp(rng.normal(7, 1, ROWS)))
    parquet.write_table(pa.table({"job": job, "pay": pay, "bonus": bonus, "gain": gain}), file)


def _duckdb(file: Path) -> tuple[float, float]:
    import duckdb

    parts = (f"avg({c}), quantile_cont({c}, [0.25, 0.5, 0.75])" for c in COLUMNS)
    duckdb.sql("SET enable_progress_bar = false")
    start = time.perf_counter()
    duckdb.sql(f"SELECT job, {', '.join(parts)} FROM '{file}' GROUP BY job").fetchall()
    return time.perf_counter() - start, _peak()


def _release(file: Path, columns: list[str], epsilon: float) -> tuple[float, float]:
    from relgauss.grouped import release_table

    asked = ASKED if len(columns) > 1 else ["mean"]
    with every_core():
        start = time.perf_counter()
        release_table(
            file,
            by="job",
            values=dict.fromkeys(columns, asked),
            epsilon=epsilon,
            delta=1e-6,
            value_range=(1.0, 1e8),
            signs="both" if len(columns) > 1 else "positive",
        )
        return time.perf_counter() - start, _peak()


def _release_means(file: Path, epsilon: float) -> tuple[float, float]:
    from relgauss.grouped import release_means

    with every_core():
        start = time.perf_counter()
        release_means(file, by="job", value="pay", epsilon=epsilon, delta=1e-6, value_range=(1.0, 1e8))
        return time.perf_counter() - start, _peak()


def every_core() -> AbstractContextManager[object]:
    """As many threads as DuckDB has, and as any process has unless it is told otherwise; then as before."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(len(os.sched_getaffinity(0)))


def _peak() -> float:
    """The most memory that this process ever held, in GiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
