"""A target that holds classes, and how it becomes their numbers."""

from __future__ import annotations

from dataclasses import dataclass

from relgauss.errors import TableError
from relgauss.records.cells_as_text import without_mark
from relgauss.records.column_kinds import Column, are_truths, as_missing
from relgauss.records.tables import Table, literal

NO_CLASS = -1.0  # the number of a label that is none of the classes


@dataclass(frozen=True)
class ClassNumber(Column):
    """A column of classes: the number of each in a list, -1 for all that are not in it; a missing one is
    NULL, and counts as the class number ``missing``, or is refused.
    """

    classes: tuple[str | float, ...]
    missing: float | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """The column's own name."""
        return (self.name,)

    @property
    def counts_as(self) -> float | None:
        """The number of the class that a missing one counts as."""
        return self.missing

    def numbers(self, table: Table) -> tuple[str, ...]:
        """Classes that are numbers are compared as such: 1 is 1.0, and in a column of booleans true. Of the
        texts true and false any first letter will do.

        The type of the column is public, and has to be that of the classes.
        """
        value = self._value(table)
        listed = [repr(float(each)) if self._are_numbers else literal(each) for each in self.classes]
        if not self._are_numbers and are_truths(self.classes):
            value, listed = f"lower({value})", [each.lower() for each in listed]
        cases = " ".join(f"WHEN {value} = {each} THEN {k}.0" for k, each in enumerate(listed))
        return (f"CASE WHEN {self._is_missing(table)} THEN NULL {cases} ELSE {NO_CLASS} END",)

    def refused(self, table: Table) -> str:
        """A missing one, if there may be none; a value that is no class has a number of its own."""
        return "false" if self.missing is not None else self._is_missing(table)

    def _is_missing(self, table: Table) -> str:
        is_null = f"{table.column(self.name)} IS NULL"
        if not self._are_numbers:
            return is_null
        return f"({is_null} OR coalesce(isnan({self._value(table)}), false))"

    def _value(self, table: Table) -> str:
        """The column as SQL of what classes are: of numbers NULL where a text is none."""
        if self._are_numbers and table.types[self.name] != "boolean":
            return table.numbers(self.name, "List the classes as the column writes them.")
        if not self._are_numbers and table.holds_numbers(self.name):
            raise TableError(
                f"The column {self.name!r} holds numbers, and the classes are text.", "Pass numbers."
            )
        if not self._are_numbers:
            return without_mark(f"CAST({table.column(self.name)} AS VARCHAR)")
        return f"CAST({table.column(self.name)} AS DOUBLE)"

    @property
    def _are_numbers(self) -> bool:
        return not isinstance(self.classes[0], str)

    @property
    def requirement(self) -> str:
        """No label may be missing."""
        return "labels: some are missing"

    @property
    def fix(self) -> str:
        """What is missing may count as a class."""
        stand_in = as_missing(self.name, repr(self.classes[0]))
        return (
            f"Say which class they count as, such as {stand_in}, or leave such records out, if it may be "
            "known who has none."
        )
