"""What one statistic of every group would be like: errors, widths and usable groups, over n mu."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from relgauss import validate
from relgauss.arrays import FloatArray
from relgauss.budget import Budget
from relgauss.errors import InvalidParameterError
from relgauss.forecast.curve import advised_epsilon
from relgauss.forecast.forecast import Forecast
from relgauss.forecast.made_up_groups import GroupCurves
from relgauss.forecast.words import WHOLE_RANGE, group_text, share_text

USABLE = 0.5
"""A group is called usable if it is so more often than not."""

_MANY = 0.5  # the share of groups that must be usable for a table not to be called degraded
_CELL_BYTES = 600  # counts and exact sums of a group, a cell


@dataclass(frozen=True)
class BudgetPart:
    """The part of a budget that a column gets: ``factor`` times the mu of what a leak leaves.

    ``leak`` is a share of delta, for groups that are found privately.
    """

    factor: float = 1.0
    leak: float = 0.0

    def mu(self, budget: Budget) -> float:
        """The mu of the column."""
        rest = budget.after_failure(self.leak * budget.delta) if self.leak else budget
        return self.factor * rest.mu

    def advised_epsilon(self, mu: float, delta: float) -> float | None:
        """An epsilon of the whole that gives the column this mu; None beyond what can be advised."""
        return advised_epsilon(mu / self.factor, delta * (1 - self.leak))


@dataclass(frozen=True, eq=False, kw_only=True)
class StatisticForecast(Forecast):
    """What to expect of one statistic of each group, and what would change it.

    Attributes
    ----------
    groups, sizes
        The groups and their public sizes.
    curves
        What made-up groups showed, over n mu.
    part
        What the column gets of the budget.
    """

    groups: tuple[object, ...]
    sizes: NDArray[np.int64]
    curves: GroupCurves
    part: BudgetPart = BudgetPart()

    @property
    def mu(self) -> float:
        """The mu of the column of values."""
        return self.part.mu(self.budget)

    @cached_property
    def signals(self) -> FloatArray:
        """n mu of each group."""
        return self.sizes.astype(np.float64) * self.mu

    @cached_property
    def error(self) -> FloatArray:
        """The typical error of each group, as a median; infinite if it is too small.

        It is relative to the statistic; shares of zeros and of missing values have it in points.
        """
        return self.curves.error.at(self.signals)

    @cached_property
    def width(self) -> FloatArray:
        """The typical width of each group's interval, in the same unit."""
        return self.curves.width.at(self.signals)

    @cached_property
    def usable(self) -> NDArray[np.bool_]:
        """Whether each group will be usable, more often than not."""
        return np.asarray(self.curves.usable.share_at(self.signals) >= USABLE)

    @cached_property
    def is_whole_range(self) -> NDArray[np.bool_]:
        """Whether each group's interval will be the whole public range, or most of it, as often as not.

        Then the release says nothing of the group, and relative to an unknown truth its width is a guess.
        """
        known = self.curves.known.share_at(self.signals) >= USABLE
        return np.asarray(np.isfinite(self.width) & ~known)

    @property
    def smallest_usable(self) -> int | None:
        """The size from which groups are usable at this budget; None if none was seen to be."""
        signal = self.curves.usable.least_signal_of_share(USABLE)
        return None if math.isinf(signal) else math.ceil(signal / self.mu * (1 - 1e-9))

    @property
    def degraded(self) -> str | None:
        """Why most groups will be of no use, and what would help; None if most will be."""
        usable = int(self.usable.sum())
        if usable >= _MANY * len(self.groups):
            return None
        least = self.smallest_usable
        needs = "at this range" if least is None else f"with fewer than {least:,} rows"
        epsilon = self._advised(self.curves.usable.least_signal_of_share(USABLE), _MANY)
        fix = (
            f"With epsilon {epsilon:g} half of them would be usable."
            if epsilon is not None
            else "Join groups, or state a narrower range."
        )
        few = f"{len(self.groups) - usable:,} of {len(self.groups):,} groups are too small"
        return f"{few}: those {needs}. {fix}"

    def with_data(self, factor: float) -> Self:
        """The same table with so many times as many rows in every group.

        Parameters
        ----------
        factor
            2 for twice as many.
        """
        return replace(self, sizes=np.maximum(np.rint(self.sizes * factor), 1).astype(np.int64))

    def epsilon_for(self, target_error: float, share: float = 0.5) -> float | None:
        """The epsilon at which this share of the groups has a typical error of at most the target.

        None if that is above 10, which is not advised, or if no made-up group came so close.

        Parameters
        ----------
        target_error
            The error relative to the statistic: 0.05 for 5 %.
        share
            The share of groups, the largest ones, that are to reach it.
        """
        target = validate.positive("target_error", target_error, "Pass for example 0.05 for 5 %.")
        return self._advised(self.curves.error.least_signal(target), share)

    def _advised(self, signal: float, share: float) -> float | None:
        """The epsilon that gives the smallest of this share of the groups this n mu."""
        share = validate.positive("share", share, "Pass for example 0.5.")
        place = min(math.ceil(share * len(self.sizes)), len(self.sizes)) - 1
        size = int(np.sort(self.sizes)[::-1][place])
        return None if math.isinf(signal) else self.part.advised_epsilon(signal / size, self.budget.delta)

    @property
    def seconds(self) -> float:
        """About how long the release will take here, beside reading the table."""
        return self.curves.seconds * len(self.groups)

    @property
    def megabytes(self) -> float:
        """About how much memory the totals of all groups need, beside the program."""
        return len(self.groups) * _CELL_BYTES * 2 * 128 / 1e6

    def summary(self) -> dict[str, Any]:
        """All groups together, as plain values."""
        known = self.error[np.isfinite(self.error)]
        return {
            "groups": len(self.groups),
            "usable_groups": int(self.usable.sum()),
            "typical_error": float(np.median(self.error)) if len(known) > len(self.error) / 2 else None,
            "smallest_usable_group": self.smallest_usable,
            "degraded": self.degraded,
        }

    def outlook(self) -> dict[str, Any]:
        """The summary, and what twice the data or twice the epsilon would bring."""
        return {
            **self.summary(),
            "with_twice_the_data": self.with_data(2).summary(),
            "with_twice_the_epsilon": self.at(2 * self.budget.epsilon).summary(),
        }

    def by_group(self) -> list[dict[str, Any]]:
        """What is said of each group; None where it is too small for anything to be said."""
        parts = zip(
            self.groups, self.sizes, self.error, self.width, self.is_whole_range, self.usable, strict=True
        )
        return [
            {
                "group": group if isinstance(group, int) else group_text(group),
                "n": int(size),
                "error": _finite(error),
                "width": _finite(width),
                "whole_range": bool(whole),
                "usable": bool(usable),
            }
            for group, size, error, width, whole, usable in parts
        ]

    def to_dict(self) -> dict[str, Any]:
        """The forecast as plain values."""
        return {
            "epsilon": self.budget.epsilon,
            "delta": self.budget.delta,
            **self.outlook(),
            "by_group": self.by_group(),
        }

    def interval_text(self, group: int) -> str:
        """The width of the interval of a group (its index), as people read it."""
        return WHOLE_RANGE if self.is_whole_range[group] else share_text(self.width[group])

    def view(self) -> tuple[str, Mapping[str, Sequence[Any]]]:
        """What a notebook shows: the groups, the largest first."""
        order = np.argsort(-self.sizes, kind="stable")
        return f"{int(self.usable.sum()):,} of {len(self.groups):,} groups usable", {
            "group": [group_text(self.groups[row]) for row in order],
            "n": self.sizes[order].tolist(),
            "error": [share_text(each) for each in self.error[order]],
            "interval": [self.interval_text(row) for row in order],
            "usable": ["yes" if each else "no" for each in self.usable[order]],
        }


def read_sizes(sizes: object) -> tuple[tuple[object, ...], NDArray[np.int64]]:
    """The groups and their sizes, given by group or in a list."""
    fix = "Pass the public size of each group, such as {'nurse': 400} or [400, 60]."
    if isinstance(sizes, Mapping):
        groups, given = tuple(sizes), list(sizes.values())
    elif isinstance(sizes, Sequence | np.ndarray) and not isinstance(sizes, str | bytes):
        given = list(sizes)
        groups = tuple(range(1, len(given) + 1))
    else:
        raise InvalidParameterError("sizes", sizes, "sizes of groups", fix)
    if not given:
        raise InvalidParameterError("sizes", sizes, "sizes of one group or more", fix)
    return groups, np.array([validate.count("size of a group", each, fix) for each in given], dtype=np.int64)


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
