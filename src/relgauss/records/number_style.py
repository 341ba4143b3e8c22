"""Numbers as people write them: marks for thousands and decimals, a currency, percent.

A style is public and given by the user, never guessed from values. What does not follow it is no number, and
no value causes an error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from relgauss.errors import InvalidParameterError
from relgauss.records.duckdb_connection import literal

_SPACES = " \u00a0\u202f\u2009"  # also those that keep a number on one line
_MARKS = f",.'’_{_SPACES}"
_EXAMPLE = re.compile(
    rf"(?P<before>[^\d()%+\-−]*?)\s*1(?P<thousands>[{_MARKS}]?)234(?P<decimal>[.,])50?"
    rf"\s*(?P<after>[^\d()%+\-−]*?)\s*(?P<percent>%?)"
)
_FIX = (
    "Write 1234.5 as the table would: '1,234.50', '$1,234.50', '1.234,50 €' or '1234.5 %'; in a shell within "
    "single quotes, since double ones change $1."
)
_GROUPED = rf"[0-9]{{1,3}}([{_MARKS}][0-9]{{3}})+"
_BEFORE = r"([^0-9A-Za-z\s.,()+−-]{0,2}|[A-Za-z]{1,3}[.]?\s)"  # a currency, or < and the like; A7 is a name
_BEHIND = r"[^0-9\s.,()+−-]{0,4}"  # a currency, a unit, or %
_SOME_NUMBER = (
    rf"\s*[-+−(]?\s*{_BEFORE}\s*[-+−]?\s*(({_GROUPED}|[0-9]+)([.,][0-9]*)?|[.,][0-9]+)"
    rf"\s*{_BEHIND}\s*%?\s*\)?[-−]?\s*"
)
_MACHINE = r"[+-]?[0-9]+(\.[0-9]+)?[eE][+-]?[0-9]{1,3}"  # as programs write very large and small numbers


@dataclass(frozen=True)
class NumberStyle:
    """How a column of text writes numbers: a sign, digits in groups of three, a fraction.

    A minus stands before the number or before its currency; brackets around it mean minus, too. The currency
    and the marks between thousands may be left out, another currency or a mark in a wrong place make it no
    number. Where there is a %, 5 % is 0.05, and a number without the sign is none, which might be 5 or 0.05;
    only 0 is 0. Numbers such as 1.5e6, which no person writes, are read in every style.

    Attributes
    ----------
    thousands
        The mark between groups of three digits, or empty for none.
    decimal
        The mark before the fraction: a point or a comma.
    currency
        What may stand before or after the number, or empty for nothing.
    percent
        Whether % follows.
    """

    thousands: str
    decimal: str
    currency: str
    percent: bool

    @classmethod
    def of(cls, example: object) -> NumberStyle:
        """The style in which 1234.5 is written like this example."""
        found = _EXAMPLE.fullmatch(example.strip()) if isinstance(example, str) else None
        if found is None or found["thousands"] == found["decimal"] or (found["before"] and found["after"]):
            raise InvalidParameterError("numbers", example, "the number 1234.5 in some writing", _FIX)
        currency = (found["before"] or found["after"]).strip()
        return cls(found["thousands"], found["decimal"], currency, bool(found["percent"]))

    def sql(self, text: str) -> str:
        """The number that an SQL expression of text writes, as a double; NULL if it writes none."""
        bare = f"trim({text}, {literal(_SPACES + chr(9))})"
        if self.currency:
            bare = f"replace({bare}, {literal(self.currency)}, '')"
        digits = f"regexp_replace({bare}, {literal(f'[^0-9{re.escape(self.decimal)}]')}, '', 'g')"
        size = f"TRY_CAST(replace({digits}, {literal(self.decimal)}, '.') AS DOUBLE)"
        minus = f"regexp_matches({text}, '[-−(]')"
        part = "0.01 * " if self.percent else ""
        return (
            f"CASE WHEN regexp_full_match({text}, {literal(self._pattern)}) "
            f"THEN {part}CASE WHEN {minus} THEN -{size} ELSE {size} END "
            f"WHEN regexp_full_match({text}, {literal(_MACHINE)}) THEN TRY_CAST({text} AS DOUBLE) END"
        )

    @property
    def marks(self) -> str:
        """The signs that only an amount is written with, and no year, number of a house or grade of 1.5."""
        thousands = "" if self.thousands in _SPACES else self.thousands
        signs = f"{self.currency}{thousands}{'%' if self.percent else ''}"
        return signs.replace(self.decimal, "").replace(" ", "")

    @property
    def _pattern(self) -> str:
        """What a number of this style looks like, for RE2."""
        space = f"[{_SPACES}\\t]*"
        decimal, thousands = re.escape(self.decimal), self._thousands
        grouped = f"[0-9]{{1,3}}(?:{thousands}[0-9]{{3}})+|" if thousands else ""
        number = f"(?:(?:{grouped}[0-9]+)(?:{decimal}[0-9]*)?|{decimal}[0-9]+)"
        currency = f"(?:{_escaped(self.currency)})?" if self.currency else ""
        start = f"(?:[-+−]?{space}{currency}|{currency}{space}[-+−])"
        end = f"{space}{currency}{space}{'%' if self.percent else ''}"
        open_number = f"{start}{space}{number}{end}"
        bracketed = f"\\({space}{currency}{space}{number}{end}{space}\\)"
        zero = f"|[-+−]?0+(?:{decimal}0*)?" if self.percent else ""
        return f"{space}(?:{open_number}|{bracketed}{zero}){space}"

    @property
    def _thousands(self) -> str:
        """Any space is as good as another, and so is any apostrophe."""
        if self.thousands and self.thousands in _SPACES:
            return f"[{_SPACES}]"
        return "['’]" if self.thousands in ("'", "’") else _escaped(self.thousands)


def _escaped(text: str) -> str:
    """A text for RE2, which takes a backslash before signs only."""
    return "".join(each if each.isalnum() or ord(each) > 127 else f"\\{each}" for each in text)


def looks_like_number(text: str) -> str:
    """An SQL condition: somebody may have meant a number by a text, in whatever writing or unit."""
    return f"regexp_full_match({text}, {literal(_SOME_NUMBER)})"


def styled_columns(numbers: object, columns: Sequence[str]) -> tuple[str, ...]:
    """Those columns of which the user says how text writes numbers."""
    styles = {} if numbers is None else styles_of(numbers)
    return tuple(name for name in columns if not isinstance(styles, Mapping) or name in styles)


def percent_rules(numbers: object, columns: Sequence[str]) -> list[str]:
    """What a reader of numbers must know where a style divides by a hundred: a sentence for such columns."""
    styles = {} if numbers is None else styles_of(numbers)
    found = [repr(name) for name in columns if in_percent(styles, name)]
    if not found:
        return []
    return [
        f"text in {' and '.join(found)} is read as a part of one: 5 % is 0.05, and text without the sign is "
        "no number"
    ]


def in_percent(styles: Mapping[str, NumberStyle] | NumberStyle | None, name: str) -> bool:
    """Whether a column is written in percent."""
    style = styles.get(name) if isinstance(styles, Mapping) else styles
    return style is not None and style.percent


def styles_of(numbers: object) -> Mapping[str, NumberStyle] | NumberStyle:
    """One style for all columns of text, or one for each that is named, by examples of 1234.5 in them."""
    if isinstance(numbers, Mapping):
        return {str(name): NumberStyle.of(example) for name, example in numbers.items()}
    return NumberStyle.of(numbers)
