"""Range checks shared by every entry point: each names the argument, its value and the fix.

They return plain Python numbers, so that a NumPy scalar never leaks its dtype into a formula.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Collection, Mapping
from decimal import Decimal
from fractions import Fraction

import numpy as np

from relgauss.errors import InvalidParameterError

_MOST = 2**53  # up to here every whole number is a float


def number(name: str, value: object, fix: str = "Pass a real number.") -> float:
    """Return a finite real number as a float."""
    try:
        result = float(value)  # type: ignore[arg-type]
    except Exception:  # noqa: BLE001 - whatever a foreign type raises, it is no number
        raise InvalidParameterError(name, value, "a finite real number", fix) from None
    if isinstance(value, str | bytes | bool | np.bool_) or not math.isfinite(result):
        raise InvalidParameterError(name, value, "a finite real number", fix)
    if result == 0 and _exact(value) != 0:  # taken as zero it would cost nothing
        raise InvalidParameterError(name, value, "0, or at least the least double, about 4.9e-324", fix)
    return result


def positive(name: str, value: object, fix: str) -> float:
    """Return a number above zero."""
    result = number(name, value, fix)
    if not result > 0:
        raise InvalidParameterError(name, value, "above 0", fix)
    return result


def nonnegative(name: str, value: object, fix: str) -> float:
    """Return a number that is zero or above."""
    result = number(name, value, fix)
    if not result >= 0:
        raise InvalidParameterError(name, value, "0 or above", fix)
    return result


def rounded_up(name: str, value: object, fix: str) -> float:
    """Return a number that is zero or above: no double below what was passed, such as a Fraction."""
    result = nonnegative(name, value, fix)
    return result if Fraction(result) >= _exact(value) else math.nextafter(result, math.inf)


def rounded_down(name: str, value: object, fix: str) -> float:
    """Return a number that is zero or above: no double above what was passed, such as a Fraction."""
    result = nonnegative(name, value, fix)
    return result if Fraction(result) <= _exact(value) else math.nextafter(result, 0.0)


def _exact(value: object) -> Fraction:
    """A finite number without any rounding, where its type says what it is; else as a double."""
    if isinstance(value, int | Fraction | Decimal):
        return Fraction(value)
    if isinstance(value, np.floating | np.integer):
        return Fraction(*value.as_integer_ratio()) if isinstance(value, np.floating) else Fraction(int(value))
    return Fraction(float(value))  # type: ignore[arg-type]


def order_limit(name: str, value: object, fix: str) -> float:
    """Return the Rényi order at which a curve ends: above one, or infinity."""
    if isinstance(value, float | np.floating) and value == math.inf:
        return math.inf
    result = rounded_down(name, value, fix)
    if not result > 1:
        raise InvalidParameterError(name, value, "above 1", fix)
    return result


def sequence(name: str, value: object, fix: str) -> tuple[object, ...]:
    """Return the elements of a list, a tuple or the like; a text and a mapping are none."""
    if not isinstance(value, str | bytes | Mapping):
        try:
            return tuple(value)  # type: ignore[arg-type]
        except Exception:  # noqa: BLE001 - whatever a foreign type raises, it is refused below
            pass
    raise InvalidParameterError(name, value, "a sequence, such as a tuple", fix)


def zero_or_within(name: str, value: object, least: float, most: float, fix: str) -> float:
    """Return zero, or a number in a range in which no formula overflows."""
    result = rounded_up(name, value, fix)
    if result != 0 and not least <= result <= most:
        requirement = f"0, or between {least:g} and {most:g}"
        raise InvalidParameterError(name, value, requirement, "Express the query in other units.")
    return result


def probability(name: str, value: object, fix: str = "Pass a small probability such as 1e-6.") -> float:
    """Return a number strictly between zero and one."""
    result = number(name, value, fix)
    if not 0 < result < 1:
        raise InvalidParameterError(name, value, "strictly between 0 and 1", fix)
    return result


def order(name: str, value: object) -> float:
    """Return a Rényi order: a number above one."""
    result = number(name, value, "Pass a Rényi order above 1.")
    if not result > 1:
        raise InvalidParameterError(name, value, "above 1", "Pass a Rényi order above 1, such as 2.")
    return result


def count(name: str, value: object, fix: str = "Pass 1, for example.") -> int:
    """Return a whole number, at least one."""
    if isinstance(value, bool | np.bool_):
        raise InvalidParameterError(name, value, "a whole number, 1 or above", fix)
    try:
        result = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise InvalidParameterError(name, value, "a whole number, 1 or above", fix) from None
    if not 1 <= result <= _MOST:
        requirement = "a whole number, 1 or above" if result < 1 else "at most 2^53"
        raise InvalidParameterError(name, value, requirement, fix)
    return result


def text(name: str, value: object, fix: str = "Pass a few words.") -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise InvalidParameterError(name, value, "a text", fix)
    return value


def choice(name: str, value: object, allowed: Collection[str]) -> str:
    """Return one of the allowed words."""
    if not isinstance(value, str) or value not in allowed:
        words = ", ".join(repr(word) for word in allowed)
        raise InvalidParameterError(name, value, f"one of {words}", "Choose one of these.")
    return value


def truth(name: str, value: object) -> bool:
    """True or False; a text such as "False" would count as true."""
    if isinstance(value, bool | np.bool_) or (isinstance(value, int) and value in (0, 1)):
        return bool(value)
    raise InvalidParameterError(name, value, "True or False", "Pass one of them, without quotes.")
