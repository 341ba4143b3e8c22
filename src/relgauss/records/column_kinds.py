"""The kinds of columns of a table, and how each becomes numbers.

A missing value is NULL or NaN, for which a public value stands; a category becomes a number for each but the
first of a public list. What no rule covers is infinite, and refused before anything is released: text among
numbers, infinities, unlisted categories.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from relgauss.errors import TableError
from relgauss.records.tables import Table, literal, quoted, truths_of_text

NO_CLASS = -1.0  # the number of a label that is none of the classes
_SHOWN = 10  # categories in a message
_TEXT_FIX = (
    "Leave it out, or list its values: those of a feature as categories=, such as colour=blue,red, and those "
    "of a target as classes=, such as no,yes."
)
_REFUSED = "CAST('infinity' AS DOUBLE)"
_SIZED = ("tinyint", "smallint", "integer", "bigint")
_TRUTHS = ("false", "true")  # as DuckDB writes them, Python and others in capitals
_UNTYPED = ("varchar", '"null"')  # types that say nothing of what a column holds, or that it holds nothing
_FLOATS = ("float", "double")
_COPIED = {*_FLOATS, *_SIZED, *(f"u{each}" for each in _SIZED)}  # types that NumPy has too
_WHOLE = 2.0**53  # up to here floats are told from the next whole number


def category_text(value: object) -> str:
    """A category as a table writes it: whole numbers without a point."""
    if isinstance(value, float | np.floating) and float(value).is_integer() and abs(float(value)) < _WHOLE:
        return str(int(value))
    return str(value)


@dataclass(frozen=True)
class Column(ABC):
    """A column of the table, and the columns of numbers that it becomes."""

    name: str

    @property
    @abstractmethod
    def labels(self) -> tuple[str, ...]:
        """What the numbers are called."""

    @property
    def counts_as(self) -> float | None:
        """The number that stands for a missing one; None if there is none."""
        return None

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
    """A column of numbers, 0 and 1 if it ``is_boolean``; a missing one is NULL or NaN, and counts as
    ``missing``, or is refused.

    If that is not known from a fit, the table has to show that it holds some.
    """

    missing: float | None = None
    is_boolean: bool = False
    is_known: bool = False

    @property
    def labels(self) -> tuple[str, ...]:
        """The column's own name."""
        return (self.name,)

    @property
    def counts_as(self) -> float | None:
        """What a missing one counts as."""
        return self.missing

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
        if self.missing is None:
            return f"NOT isfinite(coalesce({number}, 'nan'))"
        infinite = f"coalesce(isinf({number}), false)"
        if table.types[self.name] != "varchar":
            return infinite
        return f"({infinite} OR ({number} IS NULL AND coalesce(trim({column}), '') <> ''))"

    def _number(self, table: Table) -> str:
        """The column as doubles; false is 0, true is 1, also as text."""
        column, kind = table.column(self.name), table.types[self.name]
        if kind == "boolean":
            return f"CAST({column} AS DOUBLE)"
        if self.is_boolean and kind in _UNTYPED:
            return truths_of_text(column)
        if self.is_known and kind in _UNTYPED:
            return f"TRY_CAST({column} AS DOUBLE)"
        return table.numbers(self.name, _TEXT_FIX)

    @property
    def requirement(self) -> str:
        """All values must be finite."""
        what = "true or false" if self.is_boolean else "finite numbers"
        return what if self.missing is not None else f"{what} (some may be missing)"


def is_boolean(table: Table, name: str) -> bool:
    """Whether every number of a column is 0 or 1: its type says so, or it is read as the texts true and
    false, and refused if it holds anything else.
    """
    table.column(name)
    return table.types[name] == "boolean" or table.truths(name) is not None


@dataclass(frozen=True)
class Category(Column):
    """A column of categories: for each but the first a number, 1 where it is the value and else 0."""

    values: tuple[str, ...]
    may_be_missing: bool = True
    missing: str | None = None  # what a missing one counts as; else, if there may be one, as the first

    @property
    def labels(self) -> tuple[str, ...]:
        """name=value for each value but the first."""
        return tuple(f"{self.name}={value}" for value in self.values[1:])

    def numbers(self, table: Table) -> tuple[str, ...]:
        """A missing category is none of them, like the first, unless it counts as another; the first number
        tells of a refused one.
        """
        text = self._text(table)
        cases = [
            f"WHEN {text} = {self._literal(value, table)} THEN 1.0 ELSE 0.0 END" for value in self.values[1:]
        ]
        refused = f"WHEN {self.refused(table)} THEN {_REFUSED} "
        return tuple(f"CASE {'' if place else refused}{case}" for place, case in enumerate(cases))

    def refused(self, table: Table) -> str:
        """A category that is not listed; a missing one, if there may be none."""
        refused = "false" if self.may_be_missing else "true"
        listed = ", ".join(self._literal(value, table) for value in self.values)
        return f"coalesce({self._text(table)} NOT IN ({listed}), {refused})"

    def _text(self, table: Table) -> str:
        column = table.column(self.name)
        text = f"CAST({column} AS VARCHAR)"
        if self._are_truths:
            text = f"lower({text})"
        elif table.types[self.name] in _FLOATS:  # as whole numbers come to be where some are missing
            whole = f"{column} = trunc({column}) AND abs({column}) < {_WHOLE:.0f}"
            text = f"CASE WHEN {whole} THEN CAST(CAST({column} AS BIGINT) AS VARCHAR) ELSE {text} END"
            text = f"CASE WHEN isnan({column}) THEN NULL ELSE {text} END"
        return text if self.missing is None else f"coalesce({text}, {self._literal(self.missing, table)})"

    def _literal(self, value: str, table: Table) -> str:
        """A value as its column writes it, where numbers may be listed in other ways."""
        if table.types[self.name] in _FLOATS:
            with suppress(ValueError):
                value = category_text(float(value))
        return literal(value.lower() if self._are_truths else value)

    @property
    def _are_truths(self) -> bool:
        return _are_truths(self.values)

    @property
    def requirement(self) -> str:
        """All values must be among those listed."""
        shown = ", ".join(map(repr, self.values[:_SHOWN]))
        more = len(self.values) - _SHOWN
        return f"one of {shown}" + (f" and {more} more" if more > 0 else "")


def _are_truths(values: Sequence[object]) -> bool:
    """Whether the values are true and false, of which tables and languages write the first letter
    differently.
    """
    return sorted(str(value).lower() for value in values) == list(_TRUTHS)


@dataclass(frozen=True)
class ClassNumber(Column):
    """A column of classes: the number of each in a list, -1 for all that are not in it."""

    classes: tuple[str | float, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """The column's own name."""
        return (self.name,)

    def numbers(self, table: Table) -> tuple[str, ...]:
        """Classes that are numbers are compared as such: 1 is 1.0, and in a column of booleans true. Of the
        texts true and false any first letter will do.

        The type of the column is public, and has to be that of the classes.
        """
        column, are_numbers = table.column(self.name), not isinstance(self.classes[0], str)
        if are_numbers and table.types[self.name] != "boolean":
            value = table.numbers(self.name, "List the classes as the column writes them.")
        elif not are_numbers and table.holds_numbers(self.name):
            raise TableError(
                f"The column {self.name!r} holds numbers, and the classes are text.", "Pass numbers."
            )
        else:
            value = f"CAST({column} AS {'DOUBLE' if are_numbers else 'VARCHAR'})"
        listed = [repr(float(each)) if are_numbers else literal(each) for each in self.classes]
        if not are_numbers and _are_truths(self.classes):
            value, listed = f"lower({value})", [each.lower() for each in listed]
        cases = " ".join(f"WHEN {value} = {each} THEN {k}.0" for k, each in enumerate(listed))
        return (f"CASE {cases} ELSE {NO_CLASS} END",)

    def refused(self, table: Table) -> str:
        """Nothing is: a value that is no class has a number of its own."""
        return "false"

    @property
    def requirement(self) -> str:
        """Any value will do."""
        return "classes of any kind"
