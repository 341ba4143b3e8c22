"""How many threads a pass over the records uses, and what keeps the answer from depending on it.

Threads take turns at parts of a pass that do not depend on their number, and the parts are added in order.
BLAS adds in another order when it has more threads, so inside a pass it has one. The bound on what a record
moves holds for every order: proofs/float-sums.md.
"""

from __future__ import annotations

import numbers
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from relgauss.errors import InvalidParameterError

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

Item = TypeVar("Item")
Result = TypeVar("Result")


def thread_count(n_jobs: int | None) -> int:
    """The threads that ``n_jobs`` asks for: -1 is every core, -2 all but one, as scikit-learn has it.

    None is as many as BLAS may use, which is every core, unless ``OPENBLAS_NUM_THREADS``, threadpoolctl or
    joblib, in its workers, says otherwise.
    """
    if n_jobs is None:
        return max((library.num_threads for library in _blas().lib_controllers), default=_cores())
    is_whole = isinstance(n_jobs, numbers.Integral) and not isinstance(n_jobs, bool)
    if not is_whole or n_jobs == 0:
        fix = "Pass the number of threads, -1 for every core, or None for as many as BLAS may use."
        raise InvalidParameterError("n_jobs", n_jobs, "a whole number other than 0, or None", fix)
    return int(n_jobs) if n_jobs > 0 else max(1, _cores() + 1 + int(n_jobs))


def in_threads(work: Callable[[Item], Result], items: Sequence[Item], threads: int) -> Iterator[Result]:
    """``work`` of each item, in order; NumPy warns of nothing in it, as that would tell of a record."""

    def quietly(item: Item) -> Result:
        with np.errstate(all="ignore"):
            return work(item)

    with one_blas_thread():
        if threads == 1 or len(items) == 1:
            yield from map(quietly, items)
            return
        with ThreadPoolExecutor(min(threads, len(items))) as pool:
            futures = [pool.submit(quietly, item) for item in items]
            try:
                for future in futures:
                    yield future.result()
            finally:
                pool.shutdown(cancel_futures=True)


_alone = Lock()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Give BLAS one thread, and its own number again in the thread that took it: others cannot raise it.

    Where two fits run at once, in threads of one process, the first that began decides for both.
    """
    if not _alone.acquire(blocking=False):
        yield
        return
    try:
        limits = _blas().limit(limits=1)
        try:
            yield
        finally:
            limits.restore_original_limits()
    finally:
        _alone.release()


@cache
def _blas() -> ThreadpoolController:
    """The BLAS libraries of this process: that of NumPy, which is imported here, is among them."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


def _cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
