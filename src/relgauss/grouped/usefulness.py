"""What stands beside a statistic: flags, facts, and whether its interval is narrow enough to be of use.

    both ends of one sign, and no more than a factor of two apart;
    or one number;
    or, in a group with values of both signs, no wider than two thirds of their typical magnitude;
    or, for a share, noise that lets no interval be wider than ten points.

From e to 2 e is two thirds of the middle wide, so the last rule asks for as much where a factor means
nothing. An interval that reaches 0 in a group of one sign says only how large the number is at most.

Noise decides whether a share is of use, and the share itself does not: were its interval to be well off 0, or
narrower where it is cut off there, those of use would be the ones that noise moved, and their intervals would
hold less often than they promise.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.grouped.column_estimates import FLAGS, SLOW_TAIL, TOO_SMALL, StatisticEstimates
from relgauss.grouped.column_statistics import Interval, MeasuredGroups, share_width
from relgauss.grouped.mean_interval import clipped_interval
from relgauss.grouped.noisy_measurements import Present
from relgauss.grouped.sides import magnitudes

INCLUDES_ZERO = "includes 0"
FACTS, EDGES = 11, 7  # rows of each
_USEFUL_SHARE = 0.1  # a share is of use if it is known to five points either way
_FACTOR = 2.0
_PART_OF_TYPICAL = 2 / 3
_BOTH_SIGNS = 0.05  # of the values, by released counts: the part of each sign at least


@dataclass(frozen=True, eq=False)
class Yardsticks:
    """What widths are judged by, for each group: all of it follows from released numbers.

    Attributes
    ----------
    typical
        The typical magnitude of a value.
    number
        The number of values.
    rarer_sign
        The share of the values whose sign is the rarer one.
    zeros_width, missing_width
        How wide the interval of a share of one half would be: by noise and sizes alone.
    """

    typical: FloatArray
    number: FloatArray
    rarer_sign: FloatArray
    zeros_width: FloatArray
    missing_width: FloatArray


def includes_zero(name: str, lower: FloatArray, upper: FloatArray) -> NDArray[np.bool_]:
    """Whether an interval leaves open of which sign a number is that may have either."""
    if name in ("count", "zeros", "missing", "std"):
        return np.zeros(len(lower), dtype=np.bool_)
    found: NDArray[np.bool_] = (lower <= 0) & (upper >= 0) & (lower < upper)
    return found


def rule_of_signs(columns: Iterable[tuple[str, StatisticEstimates]]) -> list[str]:
    """What "of use" means for an interval that includes 0, if there is one of use: a sentence."""
    if not any((includes_zero(name, one.lower, one.upper) & one.usable).any() for name, one in columns):
        return []
    return [
        f"{INCLUDES_ZERO}: the interval leaves the sign open. Where a twentieth or more of the values are of "
        "each sign, it is of use all the same if it is no wider than two thirds of their typical magnitude "
        "(a sum's: times their number)."
    ]


def said_of(name: str, column: Interval, flags: NDArray[np.int8], by: Yardsticks) -> StatisticEstimates:
    """A statistic with the flags that concern it: a slow tail concerns means, sums and spreads only."""
    estimate, lower, upper = column
    if name not in ("mean", "sum", "std"):
        flags = np.where(flags == FLAGS.index(SLOW_TAIL), 0, flags).astype(np.int8)
    if name in ("count", "zeros", "missing"):
        flags = np.where(flags == FLAGS.index(TOO_SMALL), flags, 0).astype(np.int8)
    if name in ("zeros", "missing"):
        useful = (by.zeros_width if name == "zeros" else by.missing_width) <= _USEFUL_SHARE
    else:
        useful = _is_useful(lower, upper, _room(name, by))
    return StatisticEstimates(estimate, lower, upper, useful & (flags == 0), flags)


def is_useful_count(lower: FloatArray, upper: FloatArray) -> NDArray[np.bool_]:
    """Whether a count, which is never negative, is known within a factor of two."""
    return _is_useful(lower, upper, np.zeros(len(lower)))


def _room(name: str, by: Yardsticks) -> FloatArray:
    """How wide an interval may be where a factor means nothing: values of both signs cancel."""
    if name in ("count", "std"):  # neither is ever negative
        return np.zeros(len(by.typical))
    each = np.where(by.rarer_sign >= _BOTH_SIGNS, _PART_OF_TYPICAL * by.typical, 0.0)
    return each * by.number if name == "sum" else each


def _is_useful(lower: FloatArray, upper: FloatArray, room: FloatArray) -> NDArray[np.bool_]:
    near, far = np.minimum(np.abs(lower), np.abs(upper)), np.maximum(np.abs(lower), np.abs(upper))
    narrow = (lower * upper > 0) & (far <= _FACTOR * near)
    useful: NDArray[np.bool_] = narrow | (lower == upper) | (upper - lower <= room)
    return useful


def facts_of(measured: MeasuredGroups) -> FloatArray:
    """What widths are judged by, and what the mean's interval rests on."""
    grid, sums, outside, sides = measured.grid, measured.sums, measured.outside, measured.sides
    clipped = clipped_interval(grid, sums, measured.present, measured.deviates)
    sizes = Present(measured.counts.sizes, np.full(len(measured.number), measured.size_std))
    return np.array(
        [
            magnitudes(sides),
            measured.number,
            np.minimum(sides[0].share, sides[1].share if len(sides) > 1 else 0.0),
            share_width(measured.counts.noise_std, measured.present, measured.deviates),
            share_width(measured.counts.noise_std, sizes, measured.deviates),
            grid.edges[sums.windows.lower],
            grid.edges[sums.windows.upper],
            *clipped,
            outside.bound / measured.number,
            np.minimum((outside.assumed_below + outside.assumed_above) / measured.number, 1.0),
        ]
    )


def edges_of(measured: MeasuredGroups) -> FloatArray:
    """Rows, missing values, zeros, values in the last and the first bins, zeros or negative ones, noise."""
    grid, counts = measured.grid, measured.counts
    missing = counts.values[:, -1] if grid.leaves_out_missing else np.zeros(len(counts.sizes))
    zeros, ends = counts.values[:, grid.zero_bin], counts.values[:, grid.value_bins - 1]
    starts, maybe_negative = counts.values[:, grid.zero_bin + 1], zeros
    if grid.signs == "both":
        ends, maybe_negative = ends + counts.values[:, 0], np.zeros(len(zeros))
        starts = starts + counts.values[:, grid.zero_bin - 1]
    return np.array([counts.sizes, missing, zeros, ends, starts, maybe_negative, counts.noise_std])
