"""Columns of a table as numbers: by which rule a value becomes one, and which values none has.

A missing value is NULL or NaN, for which a public value stands; a category becomes a number for each but the
first of a public list. What no rule covers is infinite, and refused before anything is released: text among
numbers, infinities, unlisted categories.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from relgauss import validate
from relgauss.errors import InvalidParameterError, TableError
from relgauss.records.tables import Table, literal, quoted

Missing = float | Mapping[str, float] | None  # what a missing number counts as, in all columns or in each

_SHOWN = 10  # categories, or features, in a message
_REFUSED = "CAST('infinity' AS DOUBLE)"
_SIZED = ("tinyint", "smallint", "integer", "bigint")
_COPIED = {"float", "double", *_SIZED, *(f"u{each}" for each in _SIZED)}  # types that NumPy has too


@dataclass(frozen=True)
class Column(ABC):
    """A column of the table, and the columns of numbers that it becomes."""

    name: str

    @property
    @abstractmethod
    def labels(self) -> tuple[str, ...]:
        """What the numbers are called."""

    @abstractmethod
    def numbers(self, table: Table) -> tuple[str, ...]:
        """An SQL expression for each column of numbers: NULL or NaN if missing, infinite if refused."""

    @abstractmethod
    def refused(self, table: Table) -> str:
        """An SQL condition: true for a value that no rule covers."""

    @property
    @abstractmethod
    def requirement(self) -> str:
        """What every value must be, in words for an error message."""


@dataclass(frozen=True)
class Number(Column):
    """A column of numbers; a missing one is NULL or NaN, or refused if there may be none."""

    may_be_missing: bool = True

    @property
    def labels(self) -> tuple[str, ...]:
        """The column's own name."""
        return (self.name,)

    def numbers(self, table: Table) -> tuple[str, ...]:
        """The value as the table holds it, if it holds doubles or what becomes one as it is copied."""
        if table.types[self.name] in _COPIED:
            return (table.column(self.name),)
        number = self._number(table)
        if table.types[self.name] != "varchar":
            return (number,)
        return (f"CASE WHEN {self.refused(table)} THEN {_REFUSED} ELSE {number} END",)

    def refused(self, table: Table) -> str:
        """An infinity, or text that is no number; a missing one, if there may be none."""
        number, column = self._number(table), quoted(self.name)
        if not self.may_be_missing:
            return f"NOT isfinite(coalesce({number}, 'nan'))"
        infinite = f"coalesce(isinf({number}), false)"
        if table.types[self.name] != "varchar":
            return infinite
        return f"({infinite} OR ({number} IS NULL AND coalesce(trim({column}), '') <> ''))"

    def _number(self, table: Table) -> str:
        """The column as doubles; false is 0, true is 1, also as text."""
        if table.types[self.name] == "boolean":
            return f"CAST({table.column(self.name)} AS DOUBLE)"
        return table.truths(self.name) or table.numbers(self.name)

    @property
    def requirement(self) -> str:
        """All values must be finite."""
        return "finite numbers" if self.may_be_missing else "finite numbers (some may be missing)"


@dataclass(frozen=True)
class Category(Column):
    """A column of categories: for each but the first a number, 1 where it is the value and else 0."""

    values: tuple[str, ...]
    may_be_missing: bool = True

    @property
    def labels(self) -> tuple[str, ...]:
        """name=value for each value but the first."""
        return tuple(f"{self.name}={value}" for value in self.values[1:])

    def numbers(self, table: Table) -> tuple[str, ...]:
        """A missing category is none of them, like the first; the first number tells of a refused one."""
        text = f"CAST({table.column(self.name)} AS VARCHAR)"
        cases = [f"WHEN {text} = {literal(value)} THEN 1.0 ELSE 0.0 END" for value in self.values[1:]]
        refused = f"WHEN {self.refused(table)} THEN {_REFUSED} "
        return tuple(f"CASE {'' if place else refused}{case}" for place, case in enumerate(cases))

    def refused(self, table: Table) -> str:
        """A category that is not listed; a missing one, if there may be none."""
        text = f"CAST({table.column(self.name)} AS VARCHAR)"
        refused = "false" if self.may_be_missing else "true"
        return f"coalesce({text} NOT IN ({', '.join(map(literal, self.values))}), {refused})"

    @property
    def requirement(self) -> str:
        """All values must be among those listed."""
        shown = ", ".join(map(repr, self.values[:_SHOWN]))
        more = len(self.values) - _SHOWN
        return f"one of {shown}" + (f" and {more} more" if more > 0 else "")


@dataclass(frozen=True)
class ClassNumber(Column):
    """A column of classes: the number of each in a list, 0 for the first and for all that are not in it."""

    classes: tuple[str | float, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """The column's own name."""
        return (self.name,)

    def numbers(self, table: Table) -> tuple[str, ...]:
        """Classes that are numbers are compared as such: 1 is 1.0, and in a column of booleans true.

        The type of the column is public, and has to be that of the classes.
        """
        column, are_numbers = table.column(self.name), not isinstance(self.classes[0], str)
        if are_numbers and table.types[self.name] != "boolean":
            value = table.numbers(self.name)
        elif not are_numbers and table.holds_numbers(self.name):
            raise TableError(
                f"The column {self.name!r} holds numbers, and the classes are text.", "Pass numbers."
            )
        else:
            value = f"CAST({column} AS {'DOUBLE' if are_numbers else 'VARCHAR'})"
        listed = [repr(float(each)) if are_numbers else literal(each) for each in self.classes]
        cases = " ".join(f"WHEN {value} = {each} THEN {k}.0" for k, each in enumerate(listed) if k)
        return (f"CASE {cases} ELSE 0.0 END",)

    def refused(self, table: Table) -> str:
        """Nothing is: every value counts as one class or another."""
        return "false"

    @property
    def requirement(self) -> str:
        """Any value will do."""
        return "classes of any kind"


def sorted_classes(classes: Sequence[str | float]) -> tuple[str | float, ...]:
    """Classes that are stated, two or more of one kind, in order."""
    listed = [] if isinstance(classes, str | bytes) else list(classes)
    kinds = {isinstance(each, str) for each in listed}
    if len(listed) < 2 or len(set(listed)) < len(listed) or len(kinds) > 1:
        fix = "Pass all that there may be, such as ['no', 'yes']."
        raise InvalidParameterError("classes", classes, "a list of different texts, or of numbers", fix)
    return tuple(sorted(listed))


def read_columns(
    table: Table,
    target: str | None,
    features: Sequence[str] | None,
    categories: Mapping[str, Sequence[str]],
    classes: Sequence[str | float] | None = None,
    *,
    missing: Missing = 0.0,
) -> tuple[list[Column], list[Column]]:
    """The features (all other columns, if none are named), and the target, if there is one."""
    targets: list[Column] = []
    if target is not None:
        may_be_missing = missing_number(missing, target) is not None
        targets = [Number(target, may_be_missing) if classes is None else ClassNumber(target, tuple(classes))]
    names = check_features(list(table.types), target, features)
    for name in categories:
        if name not in names:
            shown = ", ".join(map(repr, names[:_SHOWN])) + (", ..." if len(names) > _SHOWN else "")
            raise InvalidParameterError("categories", name, "a feature", f"The features are {shown}.")
    if isinstance(missing, Mapping):
        for name in missing:
            if name not in (*names, target) or name in categories:
                fix = (
                    "Name features of numbers; a category that is missing is refused, or counts as the first."
                )
                raise InvalidParameterError("missing", name, "a column of numbers", fix)
    columns = [
        _column(name, categories.get(name), missing_number(missing, name) is not None) for name in names
    ]
    for column in [*columns, *targets]:
        table.column(column.name)
    return columns, targets


def checked_missing(missing: object) -> Missing:
    """What missing values count as: a number, one for each of some columns, or None if there may be none."""
    fix = "Pass the number that a missing value counts as, or one for each column: {'age': 40.0}."
    if missing is None:
        return None
    if isinstance(missing, Mapping):
        return {
            str(name): validate.number(f"missing[{name!r}]", number, fix) for name, number in missing.items()
        }
    return validate.number("missing", missing, fix)


def missing_number(missing: Missing, name: str) -> float | None:
    """What a missing number of this column counts as; None if there may be none."""
    return missing.get(name) if isinstance(missing, Mapping) else missing


def check_features(held: Sequence[str], target: str | None, features: Sequence[str] | None) -> list[str]:
    """The names of the features; all that a table holds but the target, if none are given."""
    names = [name for name in held if name != target] if features is None else list(features)
    if isinstance(features, str) or target in names or not names or len(set(names)) < len(names):
        raise InvalidParameterError(
            "features", features, "a list of other columns than the target, each once", "Name at least one."
        )
    return names


def _column(name: str, values: Sequence[str] | None, may_be_missing: bool) -> Column:
    if values is None:
        return Number(name, may_be_missing)
    return Category(name, _values(name, values), may_be_missing)


def _values(name: str, values: Sequence[str]) -> tuple[str, ...]:
    texts = tuple(str(value) for value in values)
    if isinstance(values, str) or len(texts) < 2 or len(set(texts)) < len(texts):
        fix = "Pass all categories that there may be, at least two."
        raise InvalidParameterError(f"categories[{name!r}]", values, "a list of different values", fix)
    return texts
