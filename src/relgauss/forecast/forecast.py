"""What all forecasts have in common: a budget that can be changed, and a view in a notebook."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any, Self

from relgauss.budget import Budget
from relgauss.grouped.html import plain_table

_SHOWN = 30  # rows in a notebook


@dataclass(frozen=True, eq=False, kw_only=True)
class Forecast(ABC):
    """What to expect of a release, and what would change it.

    Attributes
    ----------
    budget
        Epsilon and delta of the whole release.
    """

    budget: Budget

    def at(self, epsilon: float, delta: float | None = None) -> Self:
        """The same release at another budget.

        Parameters
        ----------
        epsilon
            The other epsilon.
        delta
            The other delta; None for the same.
        """
        return replace(self, budget=Budget(epsilon, self.budget.delta if delta is None else delta))

    @abstractmethod
    def with_data(self, factor: float) -> Self:
        """The same release with so many times as many rows.

        Parameters
        ----------
        factor
            2 for twice as many.
        """

    @property
    @abstractmethod
    def degraded(self) -> str | None:
        """Why the release will be of little use, and what would help; None if it will be of use."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The forecast as plain values."""

    @abstractmethod
    def view(self) -> tuple[str, Mapping[str, Sequence[Any]]]:
        """What a notebook shows: a line on what was stated, and columns of a table, the first one of keys."""

    def _repr_html_(self) -> str:
        """The forecast as a notebook shows it."""
        stated, columns = self.view()
        why = "" if self.degraded is None else f"<p><b>Degraded:</b> {escape(self.degraded)}</p>"
        return (
            f"<p><b>Forecast</b> at epsilon {self.budget.epsilon:g}, delta {self.budget.delta:g}: "
            f"{escape(stated)}.</p>{why}{plain_table(columns, most_rows=_SHOWN)}"
            "<p>From public numbers and made-up records: nothing private was read, nothing is spent.</p>"
        )
