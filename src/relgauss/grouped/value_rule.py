"""The public rule that turns whatever a record holds into a number in a range, looking at no other record."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from relgauss import validate
from relgauss.arrays import FloatArray
from relgauss.errors import InvalidParameterError
from relgauss.grouped.signed_grid import Signs, sql_number

Missing = float | Literal["leave out"]
"""What a missing value counts as: a number, or nothing at all."""

_DIGITS = 30  # binary digits that the smallest value keeps


@dataclass(frozen=True)
class ValueRule:
    """v becomes sign(v) max(low, min(high, |v|)), and 0 stays 0; a missing value is left out or a number.

    Missing is what is NULL, NaN or text that is no number. Where only positive values may occur, a negative
    one becomes 0. Values are then rounded to whole multiples of 2^exponent, at most 2^-30 of the smallest
    magnitude, so that their sums are exact in every order.

    Attributes
    ----------
    low, high
        The ends of the public range of magnitudes.
    signs
        Which values may occur.
    missing
        "leave out", or the number that a missing value counts as.
    """

    low: float
    high: float
    signs: Signs = "positive"
    missing: Missing = "leave out"

    @property
    def exponent(self) -> int:
        """The binary exponent of the lattice's step."""
        return math.frexp(self.low)[1] - 1 - _DIGITS

    @property
    def lowest(self) -> float:
        """The lowest value that there may be."""
        return -self.high if self.signs == "both" else 0.0

    def units(self, value: float) -> int:
        """A value in steps of the lattice."""
        return round(math.ldexp(value, -self.exponent))

    def value_sql(self, column: str) -> str:
        """The rule as SQL; NULL is a value that is left out. In DuckDB NaN is above every number.

        What most values are comes first, and all are compared: least and greatest take several times as long.
        A zero is written as 2^-64 of the lowest magnitude, which has a logarithm, and is no step of the
        lattice: in sums it is 0.
        """
        low, high = sql_number(self.low), sql_number(self.high)
        minus_low, minus_high = sql_number(-self.low), sql_number(-self.high)
        missing = "NULL"
        if self.missing != "leave out":
            missing = sql_number(float(self.apply(self.missing)) or self._written_zero)
        negative = (
            f"WHEN {column} BETWEEN {minus_high} AND {minus_low} THEN {column} "
            f"WHEN {column} < {minus_high} THEN {minus_high} WHEN {column} < 0 THEN {minus_low} "
        )
        return (
            f"CASE WHEN {column} BETWEEN {low} AND {high} THEN {column} "
            f"WHEN {column} IS NULL OR isnan({column}) THEN {missing} "
            f"WHEN {column} > {high} THEN {high} WHEN {column} > 0 THEN {low} "
            f"{negative if self.signs == 'both' else ''}ELSE {sql_number(self._written_zero)} END"
        )

    @property
    def _written_zero(self) -> float:
        return math.ldexp(self.low, -64)

    def apply(self, values: float | FloatArray) -> FloatArray:
        """The rule for numbers, where NaN stays NaN."""
        given = np.asarray(values, dtype=np.float64)
        moved: FloatArray = np.sign(given) * np.clip(np.abs(given), self.low, self.high)
        return moved if self.signs == "both" else np.maximum(moved, 0.0)

    def units_sql(self, value: str) -> str:
        """A value in steps of the lattice, as SQL: scaling by a power of two is exact."""
        integer = "BIGINT" if self.units(self.high) < 2**62 else "HUGEINT"
        return f"CAST({value} * {sql_number(2.0**-self.exponent)} AS {integer})"

    def text(self) -> str:
        """The rule in words."""
        low, high = (f"{end:,.12g}" for end in (self.low, self.high))
        if self.missing == "leave out":
            missing = "is left out, and counted with noise"
        else:
            missing = f"counts as {self.missing:,.12g}"
        ends = f"magnitudes below {low} count as {low}, above {high} as {high}"
        negative = "" if self.signs == "both" else ", and a negative value counts as 0"
        return (
            f"a value that is missing or no number {missing}; 0 stays 0, {ends}{negative}; every row counts"
        )

    def text_if_all_positive(self) -> str:
        """The rule in words where every row must count, and as a positive number."""
        low, high = (f"{end:,.12g}" for end in (self.low, self.high))
        return (
            f"a value that is missing, no number or below {low} counts as {low}, one above {high} as {high}; "
            "every row counts"
        )


def check_missing(missing: object) -> Missing:
    """A number, or the words that leave missing values out."""
    fix = "Pass 'leave out', or the number that a missing value counts as."
    if isinstance(missing, str):
        if missing == "leave out":
            return "leave out"
        raise InvalidParameterError("missing", missing, "'leave out' or a number", fix)
    return validate.number("missing", missing, fix)
