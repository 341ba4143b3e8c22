"""What looks like a mistake in a release, by released and public numbers alone: a sentence each."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.budget import PrivacyStatement
from relgauss.budget.budget import cautions_of_budget
from relgauss.grouped.column_estimates import TOO_SMALL, EdgeCounts, Flag, WindowFacts

if TYPE_CHECKING:
    from relgauss.grouped.person_counts import Fates

_SURE = 3.0  # standard deviations
_MOSTLY = 0.5
_MANY_MISSING = 0.1  # of the rows: fewer are missing in most tables
_MANY_AT_THE_END, _MANY_AT_THE_START = 0.02, 0.2  # of the values
_MANY_AS_ZERO = 0.03
_SHOWN = 4  # spellings of one group


def of_groups(
    by: Sequence[str], rows: NDArray[np.int64], flags: Sequence[Sequence[Flag | None]]
) -> list[str]:
    """That there is no group, or that all, by the flags of each statistic, are too small: single persons."""
    if not len(rows):
        return [
            f"No group by {', '.join(map(repr, by))} was found: none has a noisy count of persons above the "
            "threshold. Group by fewer or coarser columns, list the groups (--groups FILE), or raise epsilon."
        ]
    if not flags or not all(flag is TOO_SMALL for each in flags for flag in each):
        return []
    return [
        f"Every group by {', '.join(map(repr, by))} is too small at this budget: nothing was released of any "
        f"value. The largest has {_rows(int(rows.max()))}. Group by fewer or coarser columns, or raise "
        "epsilon."
    ]


def of_alike_groups(by: Sequence[str], keys: Sequence[Sequence[object]]) -> list[str]:
    """That released keys, one sequence for each column, differ in nothing but case and blanks."""
    seen, again = set[int](), set[int]()
    for key in zip(*keys, strict=True):
        folded = hash(_folded(key))
        (again if folded in seen else seen).add(folded)
    if not again:
        return []
    alike: dict[tuple[str, ...], list[tuple[object, ...]]] = {}
    for key in zip(*keys, strict=True):
        if hash(_folded(key)) in again:
            alike.setdefault(_folded(key), []).append(key)
    several = [found for found in alike.values() if len(found) > 1]
    shown = " and ".join(repr(key[0] if len(key) == 1 else key) for key in several[0][:_SHOWN])
    more = f" ({len(several) - 1:,} more are like that)" if len(several) > 1 else ""
    return [
        f"Groups by {', '.join(map(repr, by))} differ in case or blanks only, and count as several: {shown}"
        f"{more}. If they are one, write them alike before the next release."
    ]


def _folded(key: tuple[object, ...]) -> tuple[str, ...]:
    return tuple("".join(str(each).split()).casefold() for each in key)


def of_persons(fates: Fates | None) -> list[str]:
    """That most are in no group of the table."""
    if fates is None:
        return []
    persons = fates.whole + fates.cut + fates.in_no_group
    if fates.in_no_group - _SURE * fates.noise_std <= _MOSTLY * persons:
        return []
    return [
        f"About {fates.in_no_group:,} of {persons:,} persons are in no group of this table: check the names "
        "of groups, their case and blanks."
    ]


def of_empty_groups(
    by: Sequence[str], keys: Sequence[Sequence[object]], least: FloatArray, fates: Fates | None
) -> list[str]:
    """That listed groups may have no row, by the low ends of their counts, while persons are in none."""
    if fates is None or fates.in_no_group <= _SURE * fates.noise_std:
        return []
    empty = [key for key, low in zip(zip(*keys, strict=True), least.tolist(), strict=True) if low <= 0]
    if not empty:
        return []
    shown = ", ".join(repr(key[0] if len(key) == 1 else key) for key in empty[:_SHOWN])
    more = f" and {len(empty) - _SHOWN:,} more" if len(empty) > _SHOWN else ""
    return [
        f"Hardly any row was seen of {shown}{more}, by {', '.join(map(repr, by))}, and about "
        f"{fates.in_no_group:,} persons are in no group of this list: check how it writes names, their case "
        "and blanks."
    ]


def of_budget(privacy: PrivacyStatement, persons: int) -> list[str]:
    """What a budget does not protect from."""
    return cautions_of_budget(privacy.epsilon(), privacy.delta, persons)


def of_columns(columns: Mapping[str, EdgeCounts], styled: Collection[str] = ()) -> list[str]:
    """That most rows of a column hold no number, or many numbers lie at the range's end or count as 0.

    Of ``styled`` columns the user said how numbers are written: what is left is empty, or written otherwise.
    """
    return [
        caution for value, edges in columns.items() for caution in _of_column(value, edges, value in styled)
    ]


def unseen(window: WindowFacts, sizes: NDArray[Any], usable: NDArray[np.bool_]) -> str | None:
    """How many records intervals of means may not cover, in usable groups: fewer than noise lets one see.

    The bound for the share outside of windows assumes nothing; half of the confidence's complement is beyond.
    No side is named: where there are negative numbers, what is unseen may lie far below.
    """
    share = window.outside[usable]
    if not share.size:
        return None
    # As plain numbers: simulated ones carry a mark, which would stand within the sentence.
    records, part = float(np.median(np.floor(share * sizes[usable]))), float(np.median(share))
    return (
        "Intervals of means do not cover a few records far from the others that noise hides: counts alone "
        f"do not rule out that up to {records:,.0f} records of a typical usable group "
        f"({100 * part:.2g} % of it) lie far away, and the mean would then be further off than "
        "its interval says. If a few may be a hundred times the others, rely on medians, on more epsilon or "
        "on larger groups."
    )


def _of_column(value: str, edges: EdgeCounts, is_styled: bool) -> list[str]:
    rows, missing = float(edges.rows.sum()), float(edges.missing.sum())
    reach = _reach(edges)
    share = min(missing / max(rows, 1.0), 1.0)
    if missing - reach > _MOSTLY * rows:
        return [
            f"About {100 * share:.0f} % of the rows have no number in {value!r}: check how its numbers are "
            f"written{', and what you said of that (--numbers)' if is_styled else ''}."
        ]
    found = []
    if missing - reach > _MANY_MISSING * rows:
        fix = (
            "not as you said (--numbers), then the means are wrong: write them alike before the next release."
            if is_styled
            else "as 1,234 is beside 999, then the means are wrong: say how numbers are written, --numbers "
            "'1,234.50' (numbers=)."
        )
        found = [
            f"About {100 * share:.0f} % of the rows have no number in {value!r}, and no part in its numbers. "
            f"If they are not empty but written otherwise, {fix}"
        ]
    at_end, present = float(edges.at_high_end.sum()), max(rows - missing, 1.0)
    found += _of_zeros(value, edges, present)
    if at_end - reach > _MANY_AT_THE_END * present:
        found += [
            f"About {100 * at_end / present:.0f} % of the numbers in {value!r} are in the last step of the "
            "public range, where those beyond it are counted as its end: if there may be such, means are too "
            "near to zero, and a wider range would tell."
        ]
    at_start = float(edges.at_low_end.sum())
    if at_start - reach > _MANY_AT_THE_START * present:
        small = "check how numbers are written" if is_styled else "say how numbers are written"
        example = "--numbers" if is_styled else "--numbers '1.234,50'"
        found += [
            f"About {100 * at_start / present:.0f} % of the numbers in {value!r} are in the first step of "
            "the public range, where smaller ones are counted as its low end: if there may be such, means "
            "are too far from zero, and a range that begins lower would tell. If no number is so small, "
            f"{small}, {example} (numbers=)."
        ]
    return found


def may_hide_negatives(edges: EdgeCounts) -> bool:
    """Whether many values count as 0, as negative ones do where only positive ones are looked for."""
    present = max(float(edges.rows.sum()) - float(edges.missing.sum()), 1.0)
    return float(edges.zeros_or_negative.sum()) - _reach(edges) > _MANY_AS_ZERO * present


def _reach(edges: EdgeCounts) -> float:
    return _SURE * math.sqrt(float((edges.noise_std**2).sum()))


def _of_zeros(value: str, edges: EdgeCounts, present: float) -> list[str]:
    """That negative values may hide among many that count as 0: then means are too high."""
    if not may_hide_negatives(edges):
        return []
    zeros = float(edges.zeros_or_negative.sum())
    share = min(zeros / present, 1.0)
    return [
        f"About {100 * share:.0f} % of the values in {value!r} count as 0: zeros, and negative values if "
        "there are any. If there may be negative ones, means are too high: use --signs both (signs='both')."
    ]


def _rows(number: int) -> str:
    return "one row" if number == 1 else f"{number:,} rows"
