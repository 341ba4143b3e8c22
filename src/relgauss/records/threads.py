"""How many threads a pass over the records uses, and what keeps the answer from depending on it.

Threads take turns at parts of a pass that do not depend on their number, and the parts are added in order.
BLAS adds in another order when it has more threads, so inside a fit it has one. The bound on what a record
moves holds for every order: proofs/float-sums.md.
"""

from __future__ import annotations

import numbers
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from threading import Lock, Thread
from time import get_clock_info, thread_time
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from relgauss.errors import InvalidParameterError

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

# Seconds of a part: threads that take turns at shorter ones wait for each other longer than they work.
_QUICK = 80e-6 if get_clock_info("thread_time").resolution < 1e-5 else 0.0

Item = TypeVar("Item")
Result = TypeVar("Result")


def thread_count(n_jobs: int | None) -> int:
    """The threads that ``n_jobs`` asks for: -1 is every core, -2 all but one, as scikit-learn has it. There
    are never more than cores, as they would only wait for each other.

    None is as many as BLAS may use, which is every core, unless ``OPENBLAS_NUM_THREADS``, threadpoolctl or
    joblib, in its workers, says otherwise.
    """
    if n_jobs is None:
        return max((library.num_threads for library in _blas().lib_controllers), default=_cores())
    is_whole = isinstance(n_jobs, numbers.Integral) and not isinstance(n_jobs, bool)
    if not is_whole or n_jobs == 0:
        fix = "Pass the number of threads, -1 for every core, or None for as many as BLAS may use."
        raise InvalidParameterError("n_jobs", n_jobs, "a whole number other than 0, or None", fix)
    return min(int(n_jobs), _cores()) if n_jobs > 0 else max(1, _cores() + 1 + int(n_jobs))


def in_threads(
    work: Callable[[Item], Result], items: Sequence[Item], threads: int, parts: int = 0
) -> Iterator[Result]:
    """``work`` of each item, in order; NumPy warns of nothing in it, as that would tell of a record.

    The calling thread works too, so that nothing waits to be woken but at the end. Where items are as many
    short ``parts`` each, so short that threads only hinder each other, it does all that is left by itself.
    """
    waiting, done, errors = deque(enumerate(items)), dict[int, Result](), list[BaseException]()

    def take_one() -> None:
        try:
            place, item = waiting.popleft()
        except IndexError:  # another thread took the last one
            return
        with np.errstate(all="ignore"):
            done[place] = work(item)

    def help_along() -> None:
        try:
            ended = thread_time()
            while waiting:
                begun = ended
                take_one()
                ended = thread_time()
                if ended - begun < _QUICK * parts:
                    break
        except BaseException as error:  # noqa: BLE001 - it is raised in the calling thread
            errors.append(error)
            waiting.clear()

    helpers = [Thread(target=help_along) for _ in range(min(threads, len(items)) - 1)]
    with one_blas_thread():
        try:
            for helper in helpers:
                helper.start()
            for place in range(len(items)):
                while waiting and place not in done:
                    take_one()
                if place not in done:
                    _join(helpers)
                if errors:
                    raise errors[0]
                yield done.pop(place)
        finally:
            waiting.clear()
            _join(helpers)


def _join(threads: Sequence[Thread]) -> None:
    """Wait for those that were started."""
    for thread in threads:
        if thread.ident is not None:
            thread.join()


class _Running:
    """How many passes and fits keep BLAS to one thread now, and the numbers of threads that it had before."""

    def __init__(self) -> None:
        self.lock, self.count, self.before = Lock(), 0, list[int]()


_running = _Running()


def _forget_others() -> None:
    """In a child of a fork no other thread runs: whatever one held or counted in the parent is over."""
    if _running.count:
        _set_blas_threads(_running.before)
    _running.lock, _running.count = Lock(), 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_others)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Give BLAS one thread until the last of all that ask for it, in whatever thread of this process, ends.

    So a fit has one all the time, though others begin and end beside it, and its last bits do not differ.
    """
    with _running.lock:
        if _running.count == 0:
            _running.before = [library.num_threads for library in _blas().lib_controllers]
            _set_blas_threads([1] * len(_running.before))
        _running.count += 1
    try:
        yield
    finally:
        with _running.lock:
            _running.count = max(_running.count - 1, 0)  # a child of a fork may have begun at none
            if _running.count == 0:
                _set_blas_threads(_running.before)


def _set_blas_threads(numbers: Sequence[int]) -> None:
    """From any thread: threadpoolctl's own way does nothing where another thread was the first to set it."""
    for library, number in zip(_blas().lib_controllers, numbers, strict=True):
        getattr(library, "_real_set_num_threads", library.set_num_threads)(number)


@cache
def _blas() -> ThreadpoolController:
    """The BLAS libraries of this process: that of NumPy, which is imported here, is among them."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


def _cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
