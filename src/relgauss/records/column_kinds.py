"""The kinds of columns of a table, and how each becomes numbers.

A missing value is NULL or NaN, for which a public value stands; a category becomes a number for each but the
first of a public list. What no rule covers is infinite, and refused before anything is released: text among
numbers, infinities, unlisted categories.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from relgauss.records.cells_as_text import without_mark
from relgauss.records.tables import UNTYPED, Table, literal, quoted, truths_of_text

_SHOWN = 10  # categories in a message
_TEXT_FIX = (
    "Leave it out, or list its values: those of a feature as categories=, such as colour=blue,red, and those "
    "of a target as classes= of read_records, such as no,yes."
)
_REFUSED = "CAST('infinity' AS DOUBLE)"
_SIZED = ("tinyint", "smallint", "integer", "bigint")
_TRUTHS = ("false", "true")  # as DuckDB writes them, Python and others in capitals
_FLOATS = ("float", "double")
_NUMBER = r"-?(0|[1-9][0-9]*)([.][0-9]+)?"  # 007 is a name
_WHOLE_END = "[.]0+$"  # what follows a whole number that is written as another
_COPIED = {*_FLOATS, *_SIZED, *(f"u{each}" for each in _SIZED)}  # types that NumPy has too


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

    @property
    @abstractmethod
    def fix(self) -> str:
        """What to do about a value that is refused."""


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
        if self.is_boolean and kind in UNTYPED:
            return truths_of_text(column)
        if self.is_known and kind in UNTYPED:
            return f"TRY_CAST({column} AS DOUBLE)"
        return table.numbers(self.name, _TEXT_FIX)

    @property
    def requirement(self) -> str:
        """All values must be finite."""
        what = "true or false" if self.is_boolean else "finite numbers"
        return what if self.missing is not None else f"{what} (some may be missing)"

    @property
    def fix(self) -> str:
        """Text is to be cleaned; what is missing may count as a number."""
        if self.missing is not None:
            return "Clean the column, or leave it out."
        stand_in = "False" if self.is_boolean else "0.0"
        return (
            f"Say what a missing value counts as, such as {as_missing(self.name, stand_in)}; clean the "
            "column, or leave it out."
        )


def is_boolean(table: Table, name: str) -> bool:
    """Whether every number of a column is 0 or 1: its type says so, or it is read as the texts true and
    false, and refused if it holds anything else.
    """
    table.column(name)
    return table.types[name] == "boolean" or table.truths(name) is not None


@dataclass(frozen=True)
class Category(Column):
    """A column of categories: for each but the first a number, 1 where it is the value and else 0.

    Of a list of numbers 1 is 1.0: a single gap makes a column of whole numbers one of floats in a data frame.
    """

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
        cases = [f"WHEN {text} = {self._literal(value)} THEN 1.0 ELSE 0.0 END" for value in self.values[1:]]
        refused = f"WHEN {self.refused(table)} THEN {_REFUSED} "
        return tuple(f"CASE {'' if place else refused}{case}" for place, case in enumerate(cases))

    def refused(self, table: Table) -> str:
        """A category that is not listed; a missing one, if there may be none."""
        refused = "false" if self.may_be_missing else "true"
        listed = ", ".join(map(self._literal, self.values))
        return f"coalesce({self._text(table)} NOT IN ({listed}), {refused})"

    def _text(self, table: Table) -> str:
        column = table.column(self.name)
        text = f"CAST({column} AS VARCHAR)"
        if table.types[self.name] == "varchar":
            text = without_mark(text)
        if table.types[self.name] in _FLOATS:  # NaN is missing, and -0 is 0
            text = f"CASE WHEN isnan({column}) THEN NULL ELSE CAST({column} + 0 AS VARCHAR) END"
        if self._are_truths:
            text = f"lower({text})"
        elif self._are_numbers:
            text = f"regexp_replace({text}, {literal(_WHOLE_END)}, '')"
        return text if self.missing is None else f"coalesce({text}, {self._literal(self.missing)})"

    def _literal(self, value: str) -> str:
        return literal(self.compared(value))

    def compared(self, value: str) -> str:
        """A value as cells are compared with it."""
        if self._are_truths:
            return value.lower()
        return re.sub(_WHOLE_END, "", value) if self._are_numbers else value

    @property
    def _are_numbers(self) -> bool:
        return all(re.fullmatch(_NUMBER, value) for value in self.values)

    @property
    def _are_truths(self) -> bool:
        return are_truths(self.values)

    @property
    def requirement(self) -> str:
        """All values must be among those listed."""
        shown = ", ".join(map(repr, self.values[:_SHOWN]))
        more = len(self.values) - _SHOWN
        return f"one of {shown}" + (f" and {more} more" if more > 0 else "")

    @property
    def fix(self) -> str:
        """A list may be too short; what is missing may count as one of it."""
        add = "Add the value to its list, categories=; "
        if not self.may_be_missing:
            stand_in = as_missing(self.name, repr(self.values[0]))
            add += f"if it is missing, say what that counts as, such as {stand_in}; "
        return f"{add}clean the column, or leave it out."


def as_missing(name: str, value: str) -> str:
    """What says that missing values of a column count as a value."""
    return f"missing={{{name!r}: {value}}}"


def are_truths(values: Sequence[object]) -> bool:
    """Whether the values are true and false, of which tables and languages write the first letter
    differently.
    """
    return sorted(str(value).lower() for value in values) == list(_TRUTHS)
