"""What is said about a column: for each group, statistics with intervals, flags, and windows of means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray


@dataclass(frozen=True)
class Flag:
    """Released counts speak against what an interval assumes.

    ``name`` is one word, or a few, for a table's cell; ``reason`` is a sentence.
    """

    name: str
    reason: str


TOO_SMALL = Flag("too small", "the group is too small at this budget for anything to be said")
NOT_FOUND = Flag("not found", "counts show fewer than half of the records inside the window")
OUTSIDE = Flag("outside", "counts show more records outside the window than the interval assumes")
SLOW_TAIL = Flag("slow tail", "counts fall off more slowly than a Pareto tail of index 2")
UNKNOWN = Flag(
    "unknown", "the mean or quantile may lie anywhere in the public range, so no estimate is shown"
)

SIGNS_UNSAID = Flag(
    "signs",
    "many values count as 0, as negative ones would, which makes means too high: if nothing is negative, the "
    "number is as good as without this flag (--signs positive says so), else use --signs both",
)
"""Of means whose caller did not say which signs there may be; it has no code."""

FLAGS: tuple[Flag | None, ...] = (None, TOO_SMALL, NOT_FOUND, OUTSIDE, SLOW_TAIL, UNKNOWN)
"""Flags by their codes; 0 is none."""

_KINDS = {"usable": np.bool_, "flags": np.int8}  # of columns that are not of doubles


@dataclass(frozen=True, eq=False)
class StatisticEstimates:
    """One statistic of every group; numbers are NaN where nothing is said.

    Attributes
    ----------
    estimate, lower, upper
        The estimate and its interval.
    usable
        Whether the interval is narrow enough to be of use, and no flag speaks against it.
    flags
        The code of each group's flag in ``FLAGS``.
    """

    estimate: FloatArray
    lower: FloatArray
    upper: FloatArray
    usable: NDArray[np.bool_]
    flags: NDArray[np.int8]

    @property
    def shown(self) -> FloatArray:
        """The estimate, or NaN where the flag says that none is shown."""
        return np.where(self.flags == FLAGS.index(UNKNOWN), np.nan, self.estimate)

    def flag(self, group: int) -> Flag | None:
        """The flag of a group (its index), if there is one."""
        return FLAGS[int(self.flags[group])]


@dataclass(frozen=True, eq=False)
class WindowFacts:
    """What a mean's interval rests on, for each group; NaN where nothing is said.

    Attributes
    ----------
    low, high
        The window that values were clipped to.
    clipped_lower, clipped_upper
        The interval of the mean of the clipped values: noise of a known law, and no assumption.
    outside
        An upper bound for the share of records outside the window, at the confidence of one side of the
        intervals: no assumption either.
    assumed_outside
        The share of records outside that the mean's interval allows for, at most: a part of what is assumed.
    """

    low: FloatArray
    high: FloatArray
    clipped_lower: FloatArray
    clipped_upper: FloatArray
    outside: FloatArray
    assumed_outside: FloatArray


@dataclass(frozen=True, eq=False)
class EdgeCounts:
    """Noisy counts of each group, as they were released; 0 where nothing is.

    Attributes
    ----------
    rows
        The rows of the group.
    missing
        Those without a number, if they are left out.
    zeros
        Values that count as 0: zeros, and negative ones where no value may be negative.
    at_high_end
        Values in the last bins below the ends of the public range: those beyond it are counted there too.
    at_low_end
        Values in the bins next to zero: magnitudes below the range are counted there too.
    zeros_or_negative
        Zeros, where no value may be negative; 0 where both signs are told apart.
    noise_std
        The noise level of each but the first.
    """

    rows: FloatArray
    missing: FloatArray
    zeros: FloatArray
    at_high_end: FloatArray
    at_low_end: FloatArray
    zeros_or_negative: FloatArray
    noise_std: FloatArray


@dataclass(frozen=True, eq=False)
class ColumnEstimates:
    """All that was asked about a column.

    Attributes
    ----------
    sizes
        The numbers of rows of the groups, in order: exact if public, else noisy and not below 0.
    statistics
        By name: "count", "sum", "mean", "median", "q90", "std", "zeros", "missing" (shares).
    window
        What the mean's interval rests on.
    edges
        How many values are missing, zero, or at the ends of the public range.
    below
        The values below each edge of the grid, of all groups together, by the forms that fit what was
        released of each; zeros where no quantile is asked for.
    """

    sizes: FloatArray
    statistics: dict[str, StatisticEstimates]
    window: WindowFacts
    edges: EdgeCounts
    below: FloatArray


def joined_estimates(parts: list[ColumnEstimates], statistics: Sequence[str]) -> ColumnEstimates:
    """Batches of groups as one; of no groups, empty columns."""

    def joined(kind: type, pieces: list[Any]) -> Any:
        columns = {field.name: [getattr(piece, field.name) for piece in pieces] for field in fields(kind)}
        return kind(
            **{
                name: np.concatenate(each or [np.zeros(0, _KINDS.get(name, np.float64))])
                for name, each in columns.items()
            }
        )

    return ColumnEstimates(
        np.concatenate([part.sizes for part in parts]) if parts else np.zeros(0),
        {name: joined(StatisticEstimates, [part.statistics[name] for part in parts]) for name in statistics},
        joined(WindowFacts, [part.window for part in parts]),
        joined(EdgeCounts, [part.edges for part in parts]),
        np.sum([part.below for part in parts], axis=0) if parts else np.zeros(0),
    )
