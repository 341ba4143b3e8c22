"""What was released as the columns of a table, under fixed names; None where nothing is said.

count, count_lower, count_upper, count_usable             of kept rows; all but the first only if noisy
persons, persons_lower, persons_upper, persons_usable     those with a kept row, where one may have several
pay_mean, pay_mean_lower, pay_mean_upper, pay_mean_flag   for each statistic
pay_mean_usable                                           whether the interval is narrow enough to be of use
pay_clipped_lower, pay_clipped_upper                      beside a mean: the interval without an assumption
pay_window_low, pay_window_high                           its window
pay_outside, pay_assumed_outside                          shares of records outside: at most, and assumed
is_total                                                  in files, if there is a totals row: its mark
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from relgauss.arrays import FloatArray
from relgauss.errors import InvalidParameterError
from relgauss.grouped.column_estimates import FLAGS, ColumnEstimates, StatisticEstimates
from relgauss.grouped.group_counts import GroupCounts

_OF_WINDOW = {
    "clipped_lower": "clipped_lower",
    "clipped_upper": "clipped_upper",
    "window_low": "low",
    "window_high": "high",
    "outside": "outside",
    "assumed_outside": "assumed_outside",
}
IS_TOTAL = "is_total"
_ENDS = ("", "_lower", "_upper", "_flag", "_usable")


def names_of(by: Sequence[str], values: dict[str, tuple[str, ...]]) -> list[str]:
    """All columns that a table may have; refuse a question that needs one name twice."""
    names = [
        *by,
        "count",
        "count_lower",
        "count_upper",
        "count_usable",
        "persons",
        "persons_lower",
        "persons_upper",
        "persons_usable",
        IS_TOTAL,
    ]
    for value, asked in values.items():
        names += [f"{value}_{statistic}{end}" for statistic in asked for end in _ENDS]
        names += [f"{value}_{fact}" for fact in _OF_WINDOW] if "mean" in asked else []
    for place, name in enumerate(names):
        if name in names[:place]:
            raise InvalidParameterError(
                "by", name, "no name that the result uses", "Rename the column in a query."
            )
    return names


def count_columns(counts: GroupCounts) -> dict[str, list[Any]]:
    """The counts of kept rows; if they are noisy with intervals, and beside them those of persons."""
    found: dict[str, list[Any]] = {"count": counts.rows.tolist()}
    if counts.is_noisy:
        found |= {"count_lower": _whole(counts.lower), "count_upper": _whole(counts.upper)}
        found["count_usable"] = counts.usable.tolist()
    if counts.persons is not None:
        persons = counts.persons
        found |= {"persons": persons.values.tolist(), "persons_lower": _whole(persons.lower)}
        found |= {"persons_upper": _whole(persons.upper), "persons_usable": persons.usable.tolist()}
    return found


def value_columns(value: str, asked: Sequence[str], estimates: ColumnEstimates) -> dict[str, list[Any]]:
    """All that is said about a column of values."""
    found: dict[str, list[Any]] = {}
    for statistic in asked:
        whole = statistic == "count"
        found |= _statistic_columns(f"{value}_{statistic}", estimates.statistics[statistic], whole)
    if "mean" in asked:
        for name, fact in _OF_WINDOW.items():
            found[f"{value}_{name}"] = _numbers(getattr(estimates.window, fact))
    return found


def _statistic_columns(name: str, one: StatisticEstimates, whole: bool) -> dict[str, list[Any]]:
    numbers = _whole if whole else _numbers
    flags = [None if code == 0 else FLAGS[code] for code in one.flags.tolist()]
    return {
        name: numbers(one.shown),
        f"{name}_lower": numbers(one.lower),
        f"{name}_upper": numbers(one.upper),
        f"{name}_flag": [None if flag is None else flag.name for flag in flags],
        f"{name}_usable": one.usable.tolist(),
    }


def _whole(column: FloatArray) -> list[int | None]:
    return [None if x != x else int(x) for x in column.tolist()]


def _numbers(column: FloatArray) -> list[float | None]:
    return [None if x != x else x for x in column.tolist()]


def with_arrow_keys(columns: Mapping[str, list[Any]], by: Sequence[str]) -> dict[str, Any]:
    """The columns, keys as Arrow arrays: as text where they have no one type that Arrow holds.

    Such are a day after the year 9999, which DuckDB hands over as text, and a whole number above 2^63. An
    error would come after the budget is spent.
    """
    import pyarrow

    found: dict[str, Any] = dict(columns)
    for name in by:
        try:
            found[name] = pyarrow.array(columns[name])
        except (pyarrow.ArrowException, OverflowError):
            found[name] = pyarrow.array([str(key) for key in columns[name]])
    return found
