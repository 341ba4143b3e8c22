"""What all commands share: rich text or plain JSON on stdout."""

from __future__ import annotations

import json
import math
import textwrap
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from relgauss.budget import PrivacyStatement
from relgauss.errors import MostlyNoiseWarning
from relgauss.report.wording import printable

_STATEMENT_INDENT = 14  # where the second column of a privacy statement begins
_TOGETHER = "\u00a0"  # a blank at which no line ends


class _Console(Console):
    """A console to which no text can send commands: names in tables and files may hold escape sequences.

    It tells of a closed pipe like of every other output that cannot be written.
    """

    def render_str(self, text: str, **options: Any) -> Text:
        """Text as rich shows it, without what would move the cursor or write from right to left."""
        return super().render_str(printable(text, kept="\n"), **options)

    def on_broken_pipe(self) -> None:
        """Let the error go on to where all errors end."""
        raise


console = _Console(highlight=False)


def print_json(value: Mapping[str, Any]) -> None:
    """Print plain JSON, which has no infinity: such a number becomes null."""
    typer.echo(json.dumps(_finite(value), indent=2, allow_nan=False))


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def print_pairs(pairs: Mapping[str, str]) -> None:
    """Print names and values in two columns."""
    width = max(len(name) for name in pairs)
    for name, value in pairs.items():
        print_line(f"  {name:<{width}}  {value}")


def new_table(*headers: str) -> Table:
    """A table with lines only where they help."""
    return Table(*headers, box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)


def print_line(text: str) -> None:
    """Print text as it is: a path or a line of code must not be broken."""
    console.print(text, markup=False, soft_wrap=True)


def print_hanging(text: str, indent: int) -> None:
    """Print a line; where it is too long for the terminal, it goes on below its second column."""
    kept = text.replace(" %", f"{_TOGETHER}%")  # no line begins with the sign of a number above it
    filled = textwrap.fill(kept, console.width, subsequent_indent=" " * indent, break_on_hyphens=False)
    print_line(filled.replace(_TOGETHER, " "))


def print_statement(statement: PrivacyStatement) -> None:
    """Print a privacy statement."""
    for line in statement.text().splitlines():
        print_hanging(line, _STATEMENT_INDENT if line.startswith(" ") else 0)


@contextmanager
def collect_notes() -> Iterator[list[str]]:
    """Collect warnings about a result that is mostly noise, to be printed with it."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", MostlyNoiseWarning)
        yield notes
    notes += [str(each.message) for each in caught]


@contextmanager
def working(what: str) -> Iterator[None]:
    """A sign of life on stderr while something takes long; nothing where stderr is no terminal.

    Not even an empty line: where that cannot be written, what a budget was spent on would be lost.
    """
    console = Console(stderr=True)
    with console.status(f"{what} …") if console.is_terminal else nullcontext():
        yield
