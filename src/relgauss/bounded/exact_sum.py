"""Sums and means of records in whole numbers, with the sensitivity that clipping enforced.

A floating-point sum depends on the order of the records and on the machine, and so on more than one
record. Here each record is clipped, rounded to a public lattice and added as integers: the answer is the
same on every machine, in every order and in any chunks. Proof: proofs/lattice.md.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from relgauss import validate
from relgauss.arrays import FloatArray
from relgauss.bounded.answer import BoundedAnswer
from relgauss.errors import InvalidParameterError, InvalidValueError
from relgauss.noise.lattice import rounding_distance
from relgauss.validate.answers import as_array, finite_doubles

_DIGITS = 46  # a record's lattice has a step of at most 2^-45 of the bound
_BLOCK = 2**16  # rows whose sum stays below 2^63: each coordinate is below 2^46 steps, plus a half
_ANSWER_DIGITS = 53  # on the answer's lattice every answer is a double
_RANGE = (1e-140, 1e140)


def clipped_sum(records: ArrayLike, bound: float, centre: ArrayLike = 0.0) -> BoundedAnswer:
    """The sum of records, each first clipped to the ball of radius ``bound`` around ``centre``:

        Σ centre + (x_i - centre) min(1, bound/||x_i - centre||)

    Replacing one record moves the sum by at most 2 bound, and a little for rounding, which the sensitivity
    includes. Values in [0, B] have centre=B/2, bound=B/2. Proof: proofs/lattice.md.

    Parameters
    ----------
    records : array of shape (n,) or (n, d)
        A row for each person; numbers count as rows of one.
    bound : float
        The largest distance from the centre that a record keeps; public.
    centre : float or array of shape (d,)
        The point that records lie around, within 2^40 bounds of zero; public.

    Returns
    -------
    BoundedAnswer
        The exact sum, still private, with the sensitivity to release it by.
    """
    return _answer(_rows(records), bound, centre, divisor=1)


def clipped_mean(records: ArrayLike, bound: float, centre: ArrayLike = 0.0) -> BoundedAnswer:
    """The mean of clipped records: ``clipped_sum`` divided by their number, which is public.

    Parameters
    ----------
    records : array of shape (n,) or (n, d)
        A row for each person; numbers count as rows of one.
    bound : float
        The largest distance from the centre that a record keeps; public.
    centre : float or array of shape (d,)
        The point that records lie around, within 2^40 bounds of zero; public.

    Returns
    -------
    BoundedAnswer
        The exact mean, still private, with the sensitivity to release it by: 2 bound/n and a little for
        rounding.
    """
    rows = _rows(records)
    return _answer(rows, bound, centre, divisor=len(rows))


def lattice_total(records: ArrayLike, exponent: int) -> list[int]:
    """The exact sum of the records, each rounded to 2^exponent · Z^d, in multiples of 2^exponent.

    Totals of chunks add up to the total of all, whatever the chunks.

    Parameters
    ----------
    records
        A matrix with a row for each person.
    exponent
        The lattice has steps of 2^exponent.
    """
    rows = _rows(records)
    total = [0] * rows.shape[1]
    for start in range(0, len(rows), _BLOCK):
        with np.errstate(over="ignore"):
            steps = np.rint(np.ldexp(rows[start : start + _BLOCK], -exponent))
        if not np.isfinite(steps).all():
            raise InvalidValueError(
                "A record overflows the lattice.", "Clip the records, or coarsen the lattice."
            )
        if np.abs(steps).max() <= 2**_DIGITS:
            block = steps.astype(np.int64).sum(axis=0).tolist()
        else:
            block = [sum(map(int, column)) for column in steps.T.tolist()]
        total = [a + b for a, b in zip(total, block, strict=True)]
    return total


@np.errstate(all="ignore")  # whatever the process asked for: a warning or an error would tell of a record
def _answer(rows: FloatArray, bound: float, centre: ArrayLike, divisor: int) -> BoundedAnswer:
    count, dim = rows.shape
    bound = validate.positive("bound", bound, "Pass the largest norm that a record may keep.")
    if not _RANGE[0] <= bound <= _RANGE[1]:
        raise InvalidParameterError(
            "bound", bound, f"between {_RANGE[0]:g} and {_RANGE[1]:g}", "Express the records in other units."
        )
    middle = _centre(centre, dim, bound)
    # Steps of records and of the answer: both depend on public numbers only.
    record_step = math.frexp(bound)[1] - _DIGITS
    largest = count / divisor * (bound + float(np.abs(middle).max()))
    answer_step = math.frexp(2 * largest)[1] - _ANSWER_DIGITS
    offsets = lattice_total(middle, record_step)
    total = [0] * dim
    for start in range(0, count, _BLOCK):
        kept = _clip(rows[start : start + _BLOCK] - middle, bound)
        total = [a + b for a, b in zip(total, lattice_total(kept, record_step), strict=True)]
    value = [
        math.ldexp(_nearest(a + count * b, divisor, record_step - answer_step), answer_step)
        for a, b in zip(total, offsets, strict=True)
    ]
    # A clipped norm errs by less than d + 8 roundings; then each record and the answer are rounded once.
    moved = 2 * bound * (1 + (dim + 8) * 2.0**-53) + rounding_distance(record_step, dim)
    moved = (moved / divisor + rounding_distance(answer_step, dim)) * (1 + 2.0**-50)
    return BoundedAnswer.enforced(np.array(value), moved)


def _rows(records: ArrayLike) -> FloatArray:
    """The records as a finite matrix; messages never show them.

    What a double cannot hold is rounded, record by record and before clipping, which the bound allows.
    """
    rows = as_array("The table of records", records, "biuf", "Pass an array of floats, without a mask.")
    if rows.ndim == 1:
        rows = rows[:, None]
    if rows.ndim != 2 or rows.size == 0:
        raise InvalidValueError(
            f"The records have shape {rows.shape}.", "Pass a matrix with a row for each person."
        )
    return finite_doubles("The table of records", rows, "Fill it in with a public rule first.")


def _centre(centre: ArrayLike, dim: int, bound: float) -> FloatArray:
    """The centre as one row, at most 2^40 bounds away from zero, so that it keeps the records' digits."""
    fix = "Pass the public point that records lie around, within 2^40 bounds of zero."
    try:
        middle = np.broadcast_to(np.asarray(centre, dtype=np.float64), (dim,))
    except (TypeError, ValueError):
        raise InvalidParameterError("centre", centre, f"a number or {dim} numbers", fix) from None
    if not np.abs(middle).max() <= 2.0**40 * bound:
        raise InvalidParameterError("centre", centre, "finite and at most 2^40 bounds from zero", fix)
    return middle[None, :]


def _clip(rows: FloatArray, bound: float) -> FloatArray:
    """Each row, clipped to the bound, by operations that IEEE 754 fixes to the bit and in a fixed order."""
    largest = np.abs(rows).max(axis=1)
    scale = np.frexp(np.maximum(largest, bound))[1]
    unit = np.ldexp(rows, -scale[:, None])  # rows of size one at most: their squares do not overflow
    squares = np.zeros(len(rows))
    for column in unit.T:
        squares += column * column
    norms = np.sqrt(squares)
    long = norms > np.ldexp(bound, -scale)
    kept = rows.copy()
    kept[long] = unit[long] * (bound / norms[long])[:, None]
    return kept


def _nearest(total: int, divisor: int, shift: int) -> int:
    """total · 2^shift / divisor, rounded to the nearest integer, halves up."""
    top, bottom = (total << shift, divisor) if shift >= 0 else (total, divisor << -shift)
    return (2 * top + bottom) // (2 * bottom)
