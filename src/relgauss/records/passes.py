"""Rows that count how often they are read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from numpy.typing import NDArray

from relgauss.records.blocks import Block, Change, Relabel, Rows


@dataclass
class Passes:
    """The number of passes so far; ``tell``, if there is one, is told of each."""

    made: int = 0
    tell: Callable[[int], None] | None = None


@dataclass(frozen=True, eq=False)
class CountedRows(Rows):
    """Other rows; every sum over them, and over what they change into, counts as one pass."""

    rows: Rows
    passes: Passes = field(default_factory=Passes)

    @property
    def count(self) -> int:  # type: ignore[override]
        """The number of rows."""
        return self.rows.count

    @property
    def columns(self) -> int:  # type: ignore[override]
        """The number of features."""
        return self.rows.columns

    @property
    def most_blocks(self) -> int:
        """At most so many blocks, as in the rows that are counted."""
        return self.rows.most_blocks

    def total(self, part: Callable[[Block], NDArray[Any]]) -> NDArray[Any]:
        """The sum over all rows, counted as one more pass."""
        self.passes.made += 1
        total = self.rows.total(part)
        if self.passes.tell is not None:
            self.passes.tell(self.passes.made)
        return total

    def changed(self, change: Change, columns: int) -> CountedRows:
        """The changed rows, whose passes are counted together with these."""
        return replace(self, rows=self.rows.changed(change, columns))

    def relabelled(self, labels_of: Relabel) -> CountedRows:
        """The same rows with other labels."""
        return replace(self, rows=self.rows.relabelled(labels_of))
