"""The bar that long commands show."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn


class Advance(Protocol):
    """To be told of work as it is done: how many parts, and what they are, if the bar is to say so."""

    def __call__(self, count: int, what: str | None = None) -> None: ...


@contextmanager
def progress(total: int, what: str = "") -> Iterator[Advance]:
    """A bar on stderr over so many parts, gone when the work is done; nothing where stderr is no terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=total)

        def advance(count: int, what: str | None = None) -> None:
            bar.update(task, advance=count, description=what)

        yield advance
