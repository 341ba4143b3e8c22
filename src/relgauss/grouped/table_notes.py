"""What a reader of a released table should know, in sentences; all of it follows from released numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relgauss.grouped.cautions import unseen
from relgauss.grouped.column_estimates import FLAGS
from relgauss.grouped.statistic_names import quantile_level
from relgauss.grouped.table_budget import FOUND
from relgauss.grouped.usefulness import rule_of_signs

if TYPE_CHECKING:
    from relgauss.grouped.column_estimates import ColumnEstimates, StatisticEstimates
    from relgauss.grouped.person_counts import Fates
    from relgauss.grouped.table_result import TableRelease


_SURE = 3.0  # standard deviations
_SMALL_PART = 0.05  # of the rows, by released counts
_OF_QUANTILES = {
    True: "An interval of a median or another quantile ends at edges of a fixed grid, a quarter to a third "
    "apart, however many rows there are; the estimate is usually much nearer.",
    False: "An interval of a median or another quantile assumes nothing of how values lie between edges of "
    "a fixed grid, a quarter to a third apart; the estimate is usually much nearer.",
}


def notes(release: TableRelease) -> list[str]:
    """What numbers and intervals are of, what was left out, and what the flags in the table mean."""
    kind = "together" if release.simultaneous else "each"
    found = [f"Intervals are made to hold with {100 * release.confidence:g} % {kind}."]
    found += _of_persons(release) + _of_total(release)
    asked = {each for statistics in release.values.values() for each in statistics}
    if any(quantile_level(each) is not None for each in asked):
        found.append(_OF_QUANTILES[release.counts.is_noisy])
    found += [
        f"zeros of {value!r}: the share of values that count as 0, which negative ones do here."
        for value, statistics in release.values.items()
        if "zeros" in statistics and release.columns[value].edges.zeros_or_negative.any()
    ]
    found += _of_unseen(release)
    if release.rows_without_group:
        found.append(f"{_rows(release.rows_without_group)} no group, and left out.")
    return [*found, *_explained(release)]


def _of_unseen(release: TableRelease) -> list[str]:
    """For each column with means, how many records their intervals may not cover."""
    means = [value for value, statistics in release.values.items() if "mean" in statistics]
    columns = [(value, release.columns[value]) for value in means]
    said = [
        (value, unseen(each.window, each.sizes, each.statistics["mean"].usable)) for value, each in columns
    ]
    return [f"{value!r}: {text}" for value, text in said if text]


def _of_persons(release: TableRelease) -> list[str]:
    fates, bounds = release.fates, release.bounds
    one_row = (
        "One row is taken for one person: if a person may have several, name the column that tells whose."
    )
    if fates is None:
        return ["Keys and counts are as found, without noise.", one_row]
    give = f"(each give or take a standard error of {fates.noise_std:,.0f})"
    where = "in groups, found or not," if finds_groups(release) else "in groups of this table"
    if bounds is None:
        return [
            f"About {fates.whole:,} rows are {where.removesuffix(',')}, {fates.in_no_group:,} in none "
            f"{give}. That was counted apart from the groups, whose counts add up to the Total with other "
            "noise.",
            *_not_found(release, fates),
            one_row,
        ]
    found = [
        f"Every number is of rows kept: {bounds.kept_text()}. Counts, sums and means are those of kept rows, "
        "persons are those with a kept row in the group.",
        f"About {fates.whole:,} persons are {where} with all of their rows, {fates.cut:,} with some, "
        f"{fates.in_no_group:,} in no group {give}.",
        *_not_found(release, fates),
    ]
    if fates.cut > 2 * fates.noise_std or fates.rows_cut > 2 * fates.rows_cut_std:
        found.append(
            f"{_rows_cut(fates)}, counting at most {bounds.rows * bounds.groups:,} of a person: counts and "
            "sums of all rows are larger. Higher bounds on a person keep more rows, with more noise."
        )
    if fates.rows_left_out is None:
        found.append("Rows of nobody are left out, and not counted: they might all be of one person.")
    return found


def finds_groups(release: TableRelease) -> bool:
    """Whether a noisy threshold found the groups."""
    return any(charge.stage == FOUND for charge in release.privacy.charges)


def _not_found(release: TableRelease, fates: Fates) -> list[str]:
    """How many are in groups that were not found, if released numbers show that there are any."""
    if not finds_groups(release):
        return []
    persons = release.counts.persons
    in_rows = release.counts.upper.sum() if persons is None else persons.upper.sum()
    shown = release.counts.rows.sum() if persons is None else persons.values.sum()
    if fates.whole + fates.cut - in_rows <= _SURE * fates.noise_std:
        return []
    who = "rows are" if persons is None else "of these persons or more are"
    return [f"About {fates.whole + fates.cut - int(shown):,} {who} in groups that were not found."]


def _of_total(release: TableRelease) -> list[str]:
    """Which rows the totals are of, and what spoils them."""
    if release.totals is None or not len(release):
        return []
    found = ["Total is of all rows that have a group."]
    if release.counts.is_noisy:
        found = ["Total is of the groups of this table: rows in none of them are not in it."]
    return found + [
        f"The Total of {value!r} is wide, since little is known of some small groups: without groups of a "
        "few people it would be narrower."
        for value, total in release.totals.items()
        if "mean" in total.statistics and _is_spoilt(total, release.columns[value])
    ]


def _is_spoilt(total: ColumnEstimates, groups: ColumnEstimates) -> bool:
    """Whether the mean of all is of little use, though those of groups with nearly all rows are of use."""
    unknown = ~groups.statistics["mean"].usable
    small = groups.sizes[unknown].sum() < _SMALL_PART * groups.sizes.sum()
    return bool(not total.statistics["mean"].usable[0] and unknown.any() and small)


def _rows_cut(fates: Fates) -> str:
    if fates.rows_cut > 2 * fates.rows_cut_std:
        give = f"give or take a standard error of {fates.rows_cut_std:,.0f}"
        return f"About {fates.rows_cut:,} rows ({give}) or more were cut"
    return f"Some rows were cut, perhaps fewer than noise shows ({2 * fates.rows_cut_std:,.0f})"


def _explained(release: TableRelease) -> list[str]:
    """The flags that occur, each with its reason, and why else a number may be of little use."""
    codes: set[int] = set()
    wide, both = not release.counts.usable.all(), False
    of_signs: list[tuple[str, StatisticEstimates]] = []
    for value, estimates in [*release.columns.items(), *(release.totals or {}).items()]:
        for name in release.values[value]:
            one = estimates.statistics[name]
            of_signs.append((name, one))
            both |= bool((one.lower < 0).any())
            codes |= set(one.flags.tolist())
            wide |= bool(((one.flags == 0) & (one.usable == 0)).any())
    found = [f"{flag.name}: {flag.reason}." for code in sorted(codes) if (flag := FLAGS[code]) is not None]
    if wide:
        signs = (
            ", and, where a twentieth or more of the values are of each sign, also wider than two thirds of "
            "their typical magnitude"
        )
        found.append(
            f"wide: the interval is wider than a factor of two, or reaches 0{signs if both else ''} (a "
            "share: its noise makes intervals wider than 10 points), so the number is of little use."
        )
    return found + rule_of_signs(of_signs)


def _rows(number: int) -> str:
    return "One row is in" if number == 1 else f"{number:,} rows are in"
