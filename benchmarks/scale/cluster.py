"""Dask: two workers of one thread each beside one."""

from __future__ import annotations

from contextlib import ExitStack

import dask
import dask.array
from distributed import Client, LocalCluster
from rich.console import Console

from benchmarks.timing import interleaved, show
from relgauss.linear_model import PrivateRidge
from relgauss.records.read import Records, read_records

COUNT, COLUMNS, PARTITIONS, ROUNDS = 1_200_000, 50, 8, 5
LEAST_SPEEDUP = 1.4


def run() -> None:
    """Records are held by the workers, so that a fit computes and does not wait for a disk."""
    with ExitStack() as stack:
        cases = {}
        for workers in (1, 2):
            cluster = stack.enter_context(
                LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0")
            )
            client = stack.enter_context(Client(cluster, set_as_default=False))
            records = _records(client)
            name = f"{workers} worker{'s' * (workers > 1)}"
            cases[name] = lambda client=client, records=records: _fit(client, records)
        timings = interleaved(cases, ROUNDS)
    title = f"{COUNT:,} × {COLUMNS} on Dask, {PARTITIONS} partitions, 1 thread a worker, {ROUNDS} rounds"
    show(title, timings, "1 worker")
    speedup = timings["1 worker"].least / timings["2 workers"].least
    verdict = "meets" if speedup >= LEAST_SPEEDUP else "MISSES"
    Console(width=110).print(
        f"two workers are {speedup:.2f} times as fast: {verdict} {LEAST_SPEEDUP:g}", highlight=False
    )


def _records(client: Client) -> Records:
    rng = dask.array.random.default_rng(0)
    chunk = COUNT // PARTITIONS
    features = client.persist(rng.standard_normal((COUNT, COLUMNS), chunks=(chunk, COLUMNS)))
    labels = client.persist(features.sum(axis=1) + rng.standard_normal(COUNT, chunks=chunk))
    with dask.config.set(scheduler=client.get):
        return read_records(features, target=labels)


def _fit(client: Client, records: Records) -> None:
    with dask.config.set(scheduler=client.get):
        PrivateRidge(mechanism="public-iterate", random_state=0).fit(records)
