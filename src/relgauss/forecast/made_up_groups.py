"""Made-up groups of a stated form, released by the code that releases real ones: curves over n mu.

A release learns from all groups which shapes are common, so that small groups fare better beside large ones.
So groups of the stated sizes are made up as whole tables, some times over; where those are few, or other
sizes and budgets are asked about, further tables hold groups of all sizes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relgauss.forecast.column_plan import ColumnPlan
from relgauss.forecast.curve import Curve
from relgauss.forecast.made_up_release import Found, release_made_up

_SEED = 20_240_229  # made-up records are the same every time, so that forecasts can be compared
_STEP = 2.0  # from one size to the next, where sizes are not those that were stated
_LEAST_SIGNAL = 0.5  # at any range, groups below it are not released
_WORST_NOISE = 20.0  # spread/(n mu) past which nothing is released under an assumed spread
_MOST_STATED, _MADE_UP = 400, 900  # groups of stated sizes in a table, and in all
_LEAST_TABLES, _MOST_TABLES = 3, 24
_WIDEST = 1.4  # from the smallest to the largest of stated sizes that are looked at together
_NEAR = 1.3  # other sizes than the stated ones are made up as far from them


@dataclass(frozen=True, eq=False)
class GroupCurves:
    """Over n mu: what the typical group is like.

    Attributes
    ----------
    error, width
        The error, and the width of an interval, relative to the truth.
    usable
        The share of groups that are usable.
    known
        The share of groups whose interval is not the whole public range.
    seconds
        What a group took.
    """

    error: Curve
    width: Curve
    usable: Curve
    known: Curve
    seconds: float


def simulate_groups(
    plan: ColumnPlan, mu: float, sizes: NDArray[np.int64], largest: float
) -> dict[str, GroupCurves]:
    """Release made-up groups of these sizes, and others whose n mu is at most ``largest``, at this mu.

    The result has the curves of each statistic.
    """
    began = time.perf_counter()
    stated = _of_stated_sizes(plan, mu, sizes)
    others = _away_from(_all_sizes(plan, mu, largest), stated.spans)
    parts = [*stated.parts, *([_of_each_size(plan, mu, others, _SEED)] if others.size else [])]
    made = stated.made + len(others) * plan.repeats
    seconds = (time.perf_counter() - began) / made
    between = {
        size
        for name in plan.statistics
        for size in _around_the_smallest_usable(Found.joined([part[name] for part in parts]))
    }
    if between:
        parts.append(_of_each_size(plan, mu, np.array(sorted(between)), _SEED + 1))
    return {
        name: _curves(_from_the_least(plan, mu, Found.joined([part[name] for part in parts])), mu, seconds)
        for name in plan.statistics
    }


@dataclass(frozen=True, eq=False)
class _Stated:
    """What groups of stated sizes were like: by statistic, from which to which size, how many were made."""

    parts: Sequence[dict[str, Found]] = ()
    spans: Sequence[tuple[int, int]] = ()
    made: int = 0


def _of_stated_sizes(plan: ColumnPlan, mu: float, sizes: NDArray[np.int64]) -> _Stated:
    """Release tables of the stated sizes; neighbouring sizes are looked at together where groups are few."""
    own = np.sort(sizes[plan.is_released(sizes, mu)])
    if plan.spread is not None or not own.size:
        return _Stated()
    if len(own) > _MOST_STATED:
        own = own[np.rint(np.linspace(0, len(own) - 1, _MOST_STATED)).astype(np.intp)]
    tables = min(max(math.ceil(_MADE_UP / len(own)), _LEAST_TABLES), max(plan.repeats, _MOST_TABLES))
    rng = np.random.default_rng(_SEED + 2)
    found = [release_made_up(plan, mu, own, rng) for _ in range(tables)]
    every, made = np.repeat(own, tables), len(own) * tables
    places = _places(every, plan.repeats)
    if not places:
        return _Stated(made=made)
    by_name = {name: Found.joined([each[name] for each in found]).typical(places) for name in plan.statistics}
    spans = [(int(every[place][0]), int(every[place][-1])) for place in places]
    return _Stated([by_name], spans, made)


def _places(sizes: NDArray[np.int64], enough: int) -> list[slice]:
    """Runs of sorted sizes: whole sizes, so many groups, and not too far from each other; others are left."""
    found, start = [], 0
    ends = [*np.flatnonzero(np.diff(sizes)).tolist(), len(sizes) - 1]  # the last place of each size
    for last, end in zip([-1, *ends], ends, strict=False):
        if sizes[end] > _WIDEST * sizes[start]:
            start = last + 1
        if end + 1 - start >= enough:
            found.append(slice(start, end + 1))
            start = end + 1 if end + 1 < len(sizes) else start
    return found


def _all_sizes(plan: ColumnPlan, mu: float, largest: float) -> NDArray[np.int64]:
    """Sizes from the least of which anything is said up to the largest, in even steps."""
    least = _LEAST_SIGNAL if plan.spread is None else plan.spread / _WORST_NOISE
    points = math.ceil(math.log(max(largest / least, 4)) / math.log(_STEP)) + 1
    signals = np.geomspace(least, max(largest, 4 * least), points)
    return np.unique(np.maximum(np.ceil(signals / mu), 1).astype(np.int64))


def _away_from(sizes: NDArray[np.int64], spans: Sequence[tuple[int, int]]) -> NDArray[np.int64]:
    """Those that are not near any of the spans."""
    away = np.ones(len(sizes), dtype=np.bool_)
    for least, most in spans:
        away &= (sizes * _NEAR < least) | (sizes > _NEAR * most)
    return sizes[away]


def _of_each_size(plan: ColumnPlan, mu: float, sizes: NDArray[np.int64], seed: int) -> dict[str, Found]:
    """Release some made-up groups of each size as one table: the typical one of each."""
    found = release_made_up(plan, mu, np.repeat(sizes, plan.repeats), np.random.default_rng(seed))
    places = [
        slice(start, start + plan.repeats) for start in range(0, len(sizes) * plan.repeats, plan.repeats)
    ]
    return {name: each.typical(places) for name, each in found.items()}


def _from_the_least(plan: ColumnPlan, mu: float, found: Found) -> Found:
    """The same from the smallest group on of which anything is released: it is like the first that was."""
    known = np.flatnonzero(np.isfinite(found.width))
    if not known.size or plan.spread is not None:
        return found
    first = int(known[0])
    low, high = 0, int(found.sizes[first])
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if plan.is_released(np.array([middle]), mu)[0] else (middle, high)
    if high >= found.sizes[first]:
        return found
    kept = slice(first, first + 1)
    start = Found(
        np.array([high]), found.error[kept], found.width[kept], found.usable[kept], found.known[kept]
    )
    below = found.sizes < high
    rest = Found(*(getattr(found, name)[~below] for name in ("sizes", "error", "width", "usable", "known")))
    return Found.joined([start, rest])


def _curves(found: Found, mu: float, seconds: float) -> GroupCurves:
    reached = found.sizes.astype(np.float64) * mu
    return GroupCurves(
        Curve.falling(reached, found.error),
        Curve.falling(reached, found.width),
        Curve.growing(reached, found.usable),
        Curve.growing(reached, found.known),
        seconds,
    )


def _around_the_smallest_usable(found: Found) -> list[int]:
    """Sizes between the last that is mostly of no use and the first that is: there the curve is steep."""
    usable = Curve.growing(found.sizes.astype(np.float64), found.usable).values >= 0.5
    place = int(np.argmax(usable))
    if not usable.any() or place == 0:
        return []
    low, high = found.sizes[place - 1 : place + 1].tolist()
    if high <= _NEAR * low:
        return []
    inside = np.unique(np.rint(np.geomspace(low, high, 6)).astype(np.int64))
    return [size for size in inside.tolist() if low < size < high]
