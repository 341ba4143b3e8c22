"""Answers as doubles that equal them: a number that is rounded on the way may end further from its neighbour.

Noise is made for the distance of the numbers that it is added to. So what a double cannot hold is refused, by
its type where that tells, and never rounded in silence. Proof: proofs/lattice.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.errors import InvalidValueError

_DOUBLE = 8  # bytes
_MOST_INTEGER = 2**53  # up to here every whole number is a double
_CONVERT = "Convert it to float64, and state the bound for the converted numbers."


def exact_doubles(value: Any, fix: str) -> FloatArray:
    """The answer as finite doubles, equal to what was passed; messages never show it.

    Taken: float16, float32, float64, whole numbers up to 2^53, and lists or series of them. Refused:
    wider floats, Decimal, Fraction, booleans, complex numbers, texts, dates, objects, masked arrays.
    """
    if not hasattr(value, "__array__"):  # NumPy would bring all numbers of a list to one type, and round some
        _check_each(value)
    array = as_array("The value", value, "iuf", fix)
    if array.dtype.kind == "f" and array.dtype.itemsize > _DOUBLE:
        raise InvalidValueError(f"The value has the type {array.dtype}, wider than a double.", _CONVERT)
    if array.dtype.kind in "iu" and array.size:
        _check_integers(int(array.min()), int(array.max()))
    return finite_doubles("The value", array, fix)


def as_array(name: str, value: Any, kinds: str, fix: str) -> np.ndarray[Any, np.dtype[Any]]:
    """The value as an array of one of these kinds of type; masked arrays are refused, not unmasked."""
    try:
        array = np.asarray(value)
    except Exception:  # noqa: BLE001 - whatever a foreign type raises may quote the value
        array = np.empty(0, dtype=str)
    if array.dtype.kind not in kinds or isinstance(value, np.ma.MaskedArray):
        raise InvalidValueError(f"{name} is not an array of real numbers.", fix)
    return array


def finite_doubles(name: str, array: np.ndarray[Any, np.dtype[Any]], fix: str) -> FloatArray:
    """The array in doubles, rounded where they cannot hold it; NaN and infinity are refused."""
    with np.errstate(over="ignore"):  # a wider float may become infinite, which is refused
        doubles = array.astype(np.float64, copy=False)
    if not np.isfinite(doubles).all():
        raise InvalidValueError(f"{name} holds NaN or infinity.", fix)
    return doubles


def _check_each(value: Any) -> None:
    """Refuse a list with a number that is no double."""
    try:
        leaves = np.array(value, dtype=object).ravel().tolist()
    except Exception:  # noqa: BLE001 - as_array meets it again and refuses it
        return
    for leaf in leaves:
        number = np.asarray(leaf)[()] if isinstance(leaf, np.ndarray) else leaf
        if isinstance(number, bool | np.bool_) or isinstance(leaf, np.ma.MaskedArray):
            raise InvalidValueError("The value holds booleans or masked numbers.", _CONVERT)
        if isinstance(number, int | np.integer):
            _check_integers(int(number), int(number))


def _check_integers(least: int, most: int) -> None:
    if max(-least, most) > _MOST_INTEGER:
        raise InvalidValueError("The value holds integers beyond 2^53.", "Express it in other units.")
