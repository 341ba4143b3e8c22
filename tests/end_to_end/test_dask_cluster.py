"""A fit on a real cluster: workers die, noise is drawn once, records stay where they are."""

import os
import pickle
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import dask
import distributed
import numpy as np
import pandas as pd
import pytest

from relgauss.errors import TableError
from relgauss.grouped import release_table
from relgauss.linear_model import PrivateRidge
from relgauss.mechanisms.base import Mechanism
from relgauss.records.dask_rows import DaskRows, Partial
from relgauss.records.read import Records, read_records

COUNT, PARTITIONS = 40_000, 8
RNG = np.random.default_rng(2)
FEATURES = RNG.normal(size=(COUNT, 3))
LABELS = FEATURES @ [1.0, -2.0, 3.0] + RNG.normal(size=COUNT)


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture
def draws(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The size of every answer that noise was drawn for, so far."""
    drawn: list[int] = []
    release = Mechanism.release

    def counted(self: Mechanism, value: Any, **options: Any) -> Any:
        drawn.append(np.size(value))
        return release(self, value, **options)

    monkeypatch.setattr(Mechanism, "release", counted)
    return drawn


def records() -> Records:
    import dask.array

    rows = COUNT // PARTITIONS
    features = dask.array.from_array(FEATURES, chunks=(rows, 3))
    return read_records(features, target=dask.array.from_array(LABELS, chunks=rows))


def fit(source: Records) -> PrivateRidge:
    return PrivateRidge(mechanism="public-iterate", random_state=4).fit(source)


def kill_a_worker_in_pass(number: int, client: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Kill a worker while it works on this pass; returns how many were killed, so that a test can tell."""
    total, passes, killed = DaskRows.total, [0], []

    def kill(pids: dict[str, int]) -> None:
        address = next(address for address, tasks in wait_for_work(client).items() if tasks)
        os.kill(pids[address], signal.SIGKILL)
        killed.append(address)

    def disturbed(self: DaskRows, part: Callable[..., Any]) -> Any:
        passes[0] += 1
        if passes[0] != number:
            return total(self, part)

        def slow(block: Any) -> Any:
            time.sleep(0.5)  # long enough to be killed in
            return part(block)

        killer = threading.Thread(target=kill, args=(client.run(os.getpid),))
        killer.start()
        try:
            return total(self, slow)
        finally:
            killer.join()

    monkeypatch.setattr(DaskRows, "total", disturbed)
    return lambda: len(killed)


def wait_for_work(client: Any) -> dict[str, Any]:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        processing = client.processing()
        if any(processing.values()):
            return processing
        time.sleep(0.02)
    pytest.fail("no worker had work")


def test_a_worker_killed_in_a_pass_changes_nothing(client: Any, draws: list[int], monkeypatch):
    source = records()
    undisturbed = fit(source)
    drawn = list(draws)
    draws.clear()
    killed = kill_a_worker_in_pass(5, client, monkeypatch)
    disturbed = fit(source)
    assert killed() == 1
    np.testing.assert_array_equal(disturbed.coef_, undisturbed.coef_)
    assert disturbed.privacy_ == undisturbed.privacy_
    assert draws == drawn  # the pass that was repeated drew its noise once


def test_records_that_workers_hold_stay_there(client: Any):
    """Nothing but the records refers to a persisted collection here."""
    import dask.array

    features = dask.array.from_array(FEATURES, chunks=(COUNT // PARTITIONS, 3)).persist()
    labels = dask.array.from_array(LABELS, chunks=COUNT // PARTITIONS).persist()
    source = read_records(features, target=labels)
    del features, labels
    np.testing.assert_array_equal(fit(source).coef_, fit(records()).coef_)


def test_every_charge_is_one_draw(client: Any, draws: list[int]):
    charges = fit(records()).privacy_.charges
    assert len(draws) == sum(charge.times for charge in charges if charge.stage != "left over")


def test_a_pass_that_fails_releases_nothing(client: Any, draws: list[int], monkeypatch):
    """Where the cluster gives up after the first death, the fit ends without a release of that pass."""
    source = records()
    allowed = client.run_on_scheduler(set_allowed_failures, value=0)
    killed = kill_a_worker_in_pass(3, client, monkeypatch)
    model = PrivateRidge(mechanism="public-iterate", random_state=4)
    try:
        with pytest.raises(distributed.KilledWorker):
            model.fit(source)
    finally:
        client.run_on_scheduler(set_allowed_failures, value=allowed)
        client.wait_for_workers(2)
    assert killed() == 1
    assert len(draws) == 2  # of the two passes before
    assert not hasattr(model, "privacy_")
    assert not hasattr(model, "coef_")


def set_allowed_failures(dask_scheduler: Any, value: int) -> int:
    before = dask_scheduler.allowed_failures
    dask_scheduler.allowed_failures = value
    return before


def test_only_sums_leave_the_workers(client: Any, monkeypatch):
    """What comes back is of one size, whatever the number of rows."""
    returned: list[Any] = []
    compute = dask.compute

    def spied(*collections: Any, **options: Any) -> Any:
        results = compute(*collections, **options)
        returned.append(results)
        return results

    monkeypatch.setattr(dask, "compute", spied)
    fit(records())
    checked, *passes = returned
    assert [type(each) for (each,) in passes] == [Partial] * len(passes)
    assert {each.rows for (each,) in passes} == {COUNT}
    for count, not_finite in checked:
        assert (count, not_finite.shape) == (COUNT // PARTITIONS, (4,))
    kept = FEATURES.nbytes // PARTITIONS  # what one partition holds
    assert max(len(pickle.dumps(each)) for each in returned) < kept / 4


def test_sums_of_a_partition_are_small_on_the_workers_too(client: Any):
    source = records()
    client.run_on_scheduler(note_sizes)
    fit(source)
    sizes = client.run_on_scheduler(noted_sizes)
    sums = [size for key, size in sizes if key.startswith(("_partial_sum", "_add"))]
    chunks = [size for key, size in sizes if key.startswith("_from_arrays")]
    assert len(sums) >= 2 * PARTITIONS - 1
    assert max(sums) < min(chunks) / 4


def note_sizes(dask_scheduler: Any) -> None:
    from distributed.diagnostics.plugin import SchedulerPlugin

    class Sizes(SchedulerPlugin):
        name = "sizes"
        noted: list[Any] = []  # noqa: RUF012 - one plugin, for one test

        def transition(self, key: Any, start: str, finish: str, *arguments: Any, **options: Any) -> None:
            if finish == "memory" and "nbytes" in options:
                self.noted.append((str(key), options["nbytes"]))

    dask_scheduler.add_plugin(Sizes())


def noted_sizes(dask_scheduler: Any) -> list[tuple[str, int]]:
    noted: list[tuple[str, int]] = dask_scheduler.plugins["sizes"].noted
    dask_scheduler.remove_plugin(name="sizes")
    return noted


def test_text_hidden_in_a_column_of_numbers_is_neither_logged_nor_quoted(client: Any, draws: list[int]):
    """A frame's types are what it claims; a partition can hold anything."""
    import dask.dataframe

    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "y": [1.0, 2.0, 3.0, 4.0]})

    def spoilt(part: pd.DataFrame) -> pd.DataFrame:
        return part.assign(a=["Mallory"] * len(part)) if part["y"].max() > 3 else part

    claimed = dask.dataframe.from_pandas(frame, npartitions=2).map_partitions(spoilt, meta=frame)
    with pytest.raises(TableError, match="column 'a'") as caught:
        read_records(claimed, target="y")
    logged = str([client.get_worker_logs(), client.get_scheduler_logs()])
    assert "Mallory" not in str(caught.value)
    assert "Mallory" not in logged
    assert "Compute Failed" not in logged
    assert draws == []


@pytest.mark.slow
def test_a_table_of_persons_is_the_same_as_from_a_frame(client: Any, draws: list[int]):
    """Rows of a person meet on one worker; noise is drawn here, once for every stage."""
    import dask.dataframe

    rng = np.random.default_rng(3)
    who = np.repeat(np.arange(400), rng.integers(1, 6, 400))
    people = pd.DataFrame(
        {"who": who, "job": rng.choice(["a", "b"], who.size), "pay": rng.lognormal(9, 0.2, who.size)}
    )
    options = {"by": "job", "values": {"pay": ["mean"]}, "person": "who", "groups": "private"}
    options |= {"value_range": (1e2, 1e6), "signs": "positive", "epsilon": 5.0, "delta": 1e-6}
    here = release_table(people, rng=np.random.default_rng(4), **options)
    drawn_here = list(draws)
    draws.clear()
    frame = dask.dataframe.from_pandas(people.sample(frac=1, random_state=5), npartitions=4, sort=False)
    there = release_table(frame, rng=np.random.default_rng(4), **options)
    assert draws == drawn_here
    assert len(here) == 2
    pd.testing.assert_frame_equal(there.to_pandas(), here.to_pandas())
