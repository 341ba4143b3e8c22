"""What is asked of a table: groups, values and their statistics, checked before anything is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from relgauss import validate
from relgauss.errors import InvalidParameterError
from relgauss.grouped.cell_tables import ValueColumn
from relgauss.grouped.group_list import Keys, checked_list
from relgauss.grouped.kept_rows import WithoutPerson
from relgauss.grouped.signed_grid import LogGrid, SignedGrid, Signs
from relgauss.grouped.statistic_names import check_statistic, quantile_level
from relgauss.grouped.table_columns import names_of
from relgauss.grouped.value_rule import Missing, ValueRule, check_missing

Groups = Literal["public", "private"] | tuple[Keys, ...]
Part = TypeVar("Part")

_FIX = 'Pass {"pay": ["mean", "median", "q90"]}.'


@dataclass(frozen=True)
class TableQuestion:
    """All that the user says about a table, none of it private."""

    by: tuple[str, ...]
    values: Mapping[str, tuple[str, ...]]
    columns: tuple[ValueColumn, ...]
    person: str | None
    groups: Groups
    rows_per_person: int | None
    groups_per_person: int | None
    without_person: WithoutPerson
    weights: tuple[float, ...]
    totals: bool

    @property
    def sizes_public(self) -> bool:
        """Whether groups are as found, with their sizes: then a row stays in its group."""
        return self.groups == "public"

    @property
    def chooses_bounds(self) -> bool:
        """Whether bounds on contributions have to be found."""
        return self.person is not None and None in (self.rows_per_person, self.groups_per_person)


def checked_question(
    *,
    by: object,
    values: object,
    person: object,
    groups: object,
    rows_per_person: int | None,
    groups_per_person: int | None,
    without_person: str,
    value_range: object,
    signs: object,
    missing: object,
    weights: object,
    totals: bool,
) -> TableQuestion:
    """The question, or an error that says what to change."""
    names = _columns_by(by)
    asked = _statistics(values)
    for each in asked:
        if each in names:
            fix = "Name a column of numbers; those of groups are not values."
            raise InvalidParameterError("values", each, "no column of groups", fix)
    names_of(names, asked)
    ranges = by_column("value_range", value_range, asked, _pair)
    signs_of = by_column("signs", signs, asked, _signs)
    missing_of = by_column("missing", missing, asked, check_missing)
    for name, statistics in asked.items():
        for each in statistics:
            check_statistic(each, leaves_out_missing=missing_of[name] == "leave out")
    _check_person(person, groups, rows_per_person, groups_per_person, [*names, *asked])
    validate.choice("without_person", without_person, ("left out", "a person each"))
    return TableQuestion(
        names,
        asked,
        tuple(_column(ranges[name], signs_of[name], missing_of[name], asked[name]) for name in asked),
        None if person is None else str(person),
        _groups(groups, len(names)),
        None if rows_per_person is None else validate.count("rows_per_person", rows_per_person),
        None if groups_per_person is None else validate.count("groups_per_person", groups_per_person),
        "left out" if without_person == "left out" else "a person each",
        _weights(weights, asked),
        bool(totals),
    )


def by_column(
    name: str, given: object, asked: Iterable[str], check: Callable[[object], Part]
) -> dict[str, Part]:
    """One setting for each column of values: the same for all, or a mapping that names each of them."""
    columns = list(asked)
    if not isinstance(given, Mapping):
        return dict.fromkeys(columns, check(given))
    if set(given) != set(columns):
        raise InvalidParameterError(
            name, given, "given for each column of values", f"Name {', '.join(columns)}."
        )
    return {column: check(given[column]) for column in columns}


def _columns_by(by: object) -> tuple[str, ...]:
    names = (by,) if isinstance(by, str) else by
    if (
        not isinstance(names, Sequence)
        or not names
        or not all(isinstance(name, str) for name in names)
        or len(set(names)) < len(names)
    ):
        raise InvalidParameterError("by", by, "different columns, at least one", "Name each of them once.")
    return tuple(names)


def _groups(groups: object, columns: int) -> Groups:
    if isinstance(groups, str):
        if groups in ("public", "private"):
            return "public" if groups == "public" else "private"
        fix = "Pass one of these; the groups of a file as a list, such as list(pandas.read_csv(...)['job'])."
        raise InvalidParameterError("groups", groups, "'public', 'private' or a list of groups", fix)
    if not isinstance(groups, Iterable):
        raise InvalidParameterError("groups", groups, '"public", "private" or a list', "Pass one of these.")
    return checked_list(groups, columns)


def _statistics(values: object) -> dict[str, tuple[str, ...]]:
    if not isinstance(values, Mapping) or not values:
        raise InvalidParameterError("values", values, "a mapping of columns to statistics", _FIX)
    asked: dict[str, tuple[str, ...]] = {}
    for column, statistics in values.items():
        names = (statistics,) if isinstance(statistics, str) else statistics
        if not isinstance(column, str) or not isinstance(names, Sequence) or not names:
            raise InvalidParameterError("values", values, "a mapping of columns to statistics", _FIX)
        for each in names:
            check_statistic(each, leaves_out_missing=True)
        asked[column] = tuple(dict.fromkeys(names))
    return asked


def _check_person(
    person: object, groups: object, rows: int | None, in_groups: int | None, others: Sequence[str]
) -> None:
    if person is None:
        if rows is not None or in_groups is not None:
            raise InvalidParameterError(
                "rows_per_person",
                rows,
                "left out without person=",
                "Name the column that tells whose row it is.",
            )
        return
    if not isinstance(person, str) or person in others:
        raise InvalidParameterError("person", person, "a column of its own", "Name the column of identities.")
    if isinstance(groups, str) and groups == "public":
        raise InvalidParameterError(
            "groups",
            groups,
            'a list or "private" with person=',
            "Groups as found would show a group that one person alone is in.",
        )


def _column(
    ends: tuple[float, float], signs: Signs, missing: Missing, statistics: tuple[str, ...]
) -> ValueColumn:
    magnitudes = LogGrid.over(*ends)
    grid = SignedGrid(magnitudes, signs, leaves_out_missing=missing == "leave out")
    if any(quantile_level(each) is not None for each in statistics):
        grid = grid.fine
    return ValueColumn(ValueRule(magnitudes.low, magnitudes.high, signs, missing), grid)


def _weights(weights: object, asked: Mapping[str, object]) -> tuple[float, ...]:
    """The part of each column in the budget of all, which add up to one."""
    fix = 'Pass {"pay": 2, "bonus": 1}, or leave it out for equal parts.'
    given = by_column(
        "weights", 1.0 if weights is None else weights, asked, lambda x: validate.positive("weights", x, fix)
    )
    total = sum(given.values())
    return tuple(each / total for each in given.values())


def _signs(signs: object) -> Signs:
    validate.choice("signs", signs, ("positive", "both"))
    return "positive" if signs == "positive" else "both"


def _pair(value_range: object) -> tuple[float, float]:
    if isinstance(value_range, tuple | list) and len(value_range) == 2:
        return value_range[0], value_range[1]
    fix = "Pass what is publicly known, such as (1e3, 1e6), or one for each column."
    raise InvalidParameterError("value_range", value_range, "a pair (low, high)", fix)
