"""Threads: as many as were asked for, results in order, and BLAS as it was."""

import os
import threading
import time
import warnings

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

from relgauss.errors import InvalidParameterError
from relgauss.records import blocks, threads
from relgauss.records.blocks import LEAST_ROWS, ArrayRows, Block
from relgauss.records.threads import in_threads, one_blas_thread, thread_count


def blas_threads() -> list[int]:
    return [library.num_threads for library in ThreadpoolController().select(user_api="blas").lib_controllers]


@pytest.mark.parametrize(("n_jobs", "expected"), [(1, 1), (3, 3), (9, 8), (-1, 8), (-2, 7), (-100, 1)])
def test_n_jobs_counts_as_in_scikit_learn(n_jobs: int, expected: int, monkeypatch):
    monkeypatch.setattr(threads, "_cores", lambda: 8)
    assert thread_count(n_jobs) == expected


@pytest.mark.parametrize("limit", [1, 2])
def test_none_is_as_many_as_blas_may_use(limit: int):
    with threadpool_limits(limit, user_api="blas"):
        assert thread_count(None) == max(blas_threads())


@pytest.mark.parametrize("n_jobs", [0, 1.5, "2", True])
def test_what_is_no_number_of_threads(n_jobs):
    with pytest.raises(InvalidParameterError, match="n_jobs"):
        thread_count(n_jobs)


@pytest.mark.parametrize("count", [1, 2, 4])
def test_results_come_in_order(count: int):
    def work(number: int) -> int:
        time.sleep(0.001 * (5 - number % 5))
        return number

    assert list(in_threads(work, range(20), count)) == list(range(20))


def test_an_error_ends_the_rest():
    done = []

    def work(number: int) -> None:
        if number == 0:
            raise ZeroDivisionError
        time.sleep(0.01)
        done.append(number)

    with pytest.raises(ZeroDivisionError):
        list(in_threads(work, range(100), 2))
    assert len(done) < 90


@pytest.mark.parametrize(("parts", "shared"), [(0, True), (1, False), (10**6, False)])
def test_short_parts_are_left_to_the_calling_thread(parts: int, shared: bool):
    """A part that sleeps takes none of the processor's time; without parts it counts as long."""
    by_others = []

    def work(number: int) -> int:
        time.sleep(0.002)
        if threading.current_thread() is not threading.main_thread():
            by_others.append(number)
        return number

    assert list(in_threads(work, range(20), 2, parts)) == list(range(20))
    assert len(by_others) >= 3 if shared else len(by_others) <= 1


@pytest.mark.parametrize("count", [1, 2])
def test_threads_do_not_warn_of_records(count: int):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with np.errstate(all="raise"):
            list(in_threads(lambda number: np.float64(number) / np.zeros(1), range(4), count))


def test_blas_has_one_thread_until_the_last_that_asks_for_it_ends_and_its_own_number_afterwards():
    with threadpool_limits(2, user_api="blas"):
        _two_that_overlap()


def _two_that_overlap() -> None:
    before = blas_threads()
    assert max(before) == 2
    inside, leave = threading.Event(), threading.Event()

    def other() -> None:
        with one_blas_thread():
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    with one_blas_thread():
        assert set(blas_threads()) <= {1}
        thread.start()
        assert inside.wait(10)
        assert set(blas_threads()) <= {1}
    assert set(blas_threads()) <= {1}  # the first to begin has ended, the other runs on
    leave.set()
    thread.join()
    assert blas_threads() == before
    with pytest.raises(ZeroDivisionError), one_blas_thread():
        raise ZeroDivisionError
    assert blas_threads() == before


def sums(threads: int) -> bytes:
    rng, count = np.random.default_rng(0), 70 * LEAST_ROWS + 5
    rows = ArrayRows(rng.normal(size=(count, 2)), rng.normal(size=count), threads)
    changed = rows.changed(lambda block: (np.exp(block.features), block.labels), 2)

    def part(block: Block) -> np.ndarray:
        return np.append(block.features.T @ block.features, block.norms.sum())

    return b"".join(each.total(part).tobytes() for each in (rows, changed, changed))


def test_sums_are_the_same_to_the_last_bit_with_any_number_of_threads(monkeypatch):
    monkeypatch.setattr(threads, "_cores", lambda: 4)
    monkeypatch.setattr(blocks, "MOST_ROWS", LEAST_ROWS)  # of few columns too, so that there are many blocks
    assert len({sums(count) for count in (1, 2, 4)}) == 1


def test_a_child_of_a_fork_does_not_wait_for_threads_of_its_parent():
    """Forked inside a fit, it counts none as running, and passes of its own begin and end."""
    with one_blas_thread():
        child = os.fork()
        if child == 0:
            with one_blas_thread():
                pass
            os._exit(threads._running.count)
        assert os.waitpid(child, 0)[1] == 0
