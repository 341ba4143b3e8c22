"""What a table forecast says: for each statistic of each column, what to expect of every group."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from relgauss.forecast.forecast import Forecast
from relgauss.forecast.form import Form
from relgauss.forecast.statistic import StatisticForecast
from relgauss.forecast.words import share_text
from relgauss.grouped.person_bounds import PersonBounds
from relgauss.grouped.private_groups import Threshold, threshold
from relgauss.grouped.table_budget import PERSONS, TableBudget, divide_table_budget
from relgauss.grouped.table_question import TableQuestion


@dataclass(frozen=True, eq=False, kw_only=True)
class TableForecast(Forecast):
    """What to expect of each statistic of a table, and what would change it.

    Attributes
    ----------
    statistics
        By column of values and statistic, what to expect of it in each group.
    forms
        The form of values that was stated, by column.
    confidence
        The probability that intervals are made for: each, or all at once.
    question
        What is asked of the table.
    """

    statistics: Mapping[tuple[str, str], StatisticForecast]
    forms: Mapping[str, Form]
    confidence: float
    question: TableQuestion

    def __getitem__(self, key: tuple[str, str]) -> StatisticForecast:
        """The forecast of one statistic: ``forecast["pay", "median"]``."""
        return self.statistics[key]

    @property
    def groups(self) -> tuple[object, ...]:
        """The groups that are forecast, in order."""
        return next(iter(self.statistics.values())).groups

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Their numbers of rows."""
        return next(iter(self.statistics.values())).sizes

    def at(self, epsilon: float, delta: float | None = None) -> Self:
        """The same table at another budget.

        Parameters
        ----------
        epsilon
            The other epsilon.
        delta
            The other delta; None for the same.
        """
        changed = super().at(epsilon, delta)
        parts = {key: each.at(epsilon, delta) for key, each in self.statistics.items()}
        return replace(changed, statistics=parts)

    def with_data(self, factor: float) -> Self:
        """The same table with so many times as many rows in every group.

        Parameters
        ----------
        factor
            2 for twice as many.
        """
        return replace(
            self, statistics={key: each.with_data(factor) for key, each in self.statistics.items()}
        )

    @property
    def smallest_shown(self) -> int | None:
        """The number of persons from which a group shows more often than not, where groups are private."""
        budget = divide_table_budget(self.question, self.budget.epsilon, self.budget.delta)
        limit = threshold_of(budget, self.question)
        return None if limit is None else math.ceil(limit.least)

    @property
    def counted(self) -> str:
        """What sizes of groups are numbers of."""
        if self.question.person is None:
            return "Sizes are of rows, each of them a person."
        bounds = bounds_of(self.question)
        return (
            f"Sizes are of rows, not of persons: {bounds.kept_text()}. Whether a group shows depends on its "
            "persons, and here every row is taken for another person's."
        )

    @property
    def degraded(self) -> str | None:
        """Which statistics will be of no use in most groups, and what would help; None if none will."""
        found = [
            f"{column}_{name}: {each.degraded}"
            for (column, name), each in self.statistics.items()
            if each.degraded is not None
        ]
        return " ".join(found) or None

    def epsilon_for(self, target_error: float, share: float = 0.5) -> float | None:
        """The epsilon at which every statistic has an error of at most the target in this share of groups.

        None if that is above 10, which is not advised, or if no made-up group came so close.

        Parameters
        ----------
        target_error
            The error relative to the statistic: 0.05 for 5 %.
        share
            The share of groups, the largest ones, that are to reach it.
        """
        found = [each.epsilon_for(target_error, share) for each in self.statistics.values()]
        known = [each for each in found if each is not None]
        return max(known) if len(known) == len(found) else None

    @property
    def seconds(self) -> float:
        """About how long the release will take here, beside reading the table."""
        columns = {column: each.seconds for (column, _), each in self.statistics.items()}
        return sum(columns.values())

    @property
    def megabytes(self) -> float:
        """About how much memory the totals of all groups need, beside the program."""
        return next(iter(self.statistics.values())).megabytes

    def to_dict(self) -> dict[str, Any]:
        """The forecast as plain values; None where a group is too small for anything to be said."""
        return {
            "epsilon": self.budget.epsilon,
            "delta": self.budget.delta,
            "confidence": self.confidence,
            "forms": {column: form.text() for column, form in self.forms.items()},
            "groups": len(self.groups),
            "sizes": self.counted,
            "smallest_shown_group": self.smallest_shown,
            "degraded": self.degraded,
            "statistics": {
                f"{column}_{name}": {**each.outlook(), "by_group": each.by_group()}
                for (column, name), each in self.statistics.items()
            },
            "seconds": self.seconds,
            "megabytes": self.megabytes,
        }

    def stated(self) -> str:
        """What was said of the values beforehand."""
        return "; ".join(f"{column} {form.text()}" for column, form in self.forms.items())

    def view(self) -> tuple[str, Mapping[str, Sequence[Any]]]:
        """What a notebook shows: a row for each statistic, all groups together."""
        every = list(self.statistics.values())
        words = f"{len(self.groups):,} groups; {self.stated()}"
        if self.question.person is not None:
            words += f". {self.counted.removesuffix('.')}"
        return words, {
            "statistic": [f"{column} {name}" for column, name in self.statistics],
            "usable groups": [int(each.usable.sum()) for each in every],
            "smallest usable": [each.smallest_usable for each in every],
            "error of the middle group": [share_text(float(np.median(each.error))) for each in every],
            "its interval": [share_text(float(np.median(each.width))) for each in every],
        }


def bounds_of(question: TableQuestion) -> PersonBounds:
    """How much a person contributes at most: one row, if nothing was stated."""
    return PersonBounds(question.rows_per_person or 1, question.groups_per_person or 1)


def threshold_of(budget: TableBudget, question: TableQuestion) -> Threshold | None:
    """What groups must pass to be shown, where they are found privately."""
    if question.groups != "private":
        return None
    return threshold(bounds_of(question), budget.mu[PERSONS], budget.leak)
