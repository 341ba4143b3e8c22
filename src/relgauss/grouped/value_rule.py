"""The public rule that turns whatever a record holds into a number in a range, looking at no other record."""

from __future__ import annotations

import math
from dataclasses import dataclass

_DIGITS = 30  # binary digits that the smallest value keeps


@dataclass(frozen=True)
class ValueRule:
    """Missing, NaN, text or below low: low. Above high, or infinite: high. Every row counts.

    ``low`` and ``high`` are the ends of the public range. Values are then rounded to whole multiples of
    2^exponent, at most 2^-30 of the smallest value, so that their sums are exact in every order.
    """

    low: float
    high: float

    @property
    def exponent(self) -> int:
        """The binary exponent of the lattice's step."""
        return math.frexp(self.low)[1] - 1 - _DIGITS

    def units(self, value: float) -> int:
        """A value in steps of the lattice."""
        return round(math.ldexp(value, -self.exponent))

    def value_sql(self, column: str) -> str:
        """The rule as SQL; in DuckDB NaN is above every number, and NULL is not between any two."""
        low, high = sql_number(self.low), sql_number(self.high)
        return (
            f"CASE WHEN {column} BETWEEN {low} AND {high} THEN {column} "
            f"WHEN {column} > {high} AND NOT isnan({column}) THEN {high} ELSE {low} END"
        )

    def units_sql(self, value: str) -> str:
        """A value in steps of the lattice, as SQL: scaling by a power of two is exact."""
        integer = "BIGINT" if self.units(self.high) < 2**62 else "HUGEINT"
        return f"CAST({value} * {sql_number(2.0**-self.exponent)} AS {integer})"

    def text(self) -> str:
        """The rule in words."""
        low, high = (f"{end:,.12g}" for end in (self.low, self.high))
        return (
            f"a value that is missing, no number or below {low} counts as {low}, one above {high} as {high}; "
            "every row counts"
        )


def sql_number(value: float) -> str:
    """A double as an SQL literal, to the last bit; written otherwise it would be a decimal."""
    return f"{value:.17e}"
