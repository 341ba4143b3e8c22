"""Parts of work that are done one after the other, in whatever order threads come to them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Condition


class Turns:
    """Items by their places, from 0 on; each has one turn, after those of all before it."""

    def __init__(self) -> None:
        self._changed, self._next = Condition(), 0

    @contextmanager
    def of(self, place: int) -> Iterator[AbstractContextManager[None]]:
        """The item's turn, to be entered within; at the end it is over, also if the item failed before it."""
        try:
            yield self._turn(place)
        finally:
            self._over(place)

    @contextmanager
    def _turn(self, place: int) -> Iterator[None]:
        with self._changed:
            self._changed.wait_for(lambda: self._next >= place)
        yield
        self._over(place)

    def _over(self, place: int) -> None:
        with self._changed:
            self._next = max(self._next, place + 1)
            self._changed.notify_all()
