"""The gate through which every number leaves accounting: what is not a number fails closed.

A bound that cannot be computed proves nothing, so it becomes the weakest statement there is: an infinite
epsilon or divergence, a delta of one. A divergence below zero is no rounding of zero, since every curve here
is computed without cancellation: it is a mistake, and fails closed as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.errors import NoGuaranteeError, RelgaussError


def read(source: Callable[[], object]) -> object:
    """What a guarantee says; NaN where its arithmetic fails, an error of ours where anything else does."""
    try:
        with np.errstate(all="ignore"):
            return source()
    except ArithmeticError:  # an overflow or a division by zero
        return math.nan
    except RelgaussError:
        raise
    except Exception as error:
        raise NoGuaranteeError(
            f"A guarantee fails with {type(error).__name__}.",
            "Repair it: without its numbers nothing is proven.",
        ) from error


def number(value: object) -> float:
    """A real number as a float, infinite ones too; NaN for whatever else it is."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        return math.nan
    try:
        return float(value)
    except OverflowError:  # an integer beyond all doubles
        return math.nan


def divergence(value: object) -> float:
    """A bound on a divergence or a loss, 0 or above."""
    checked = number(value)
    return checked if checked >= 0 else math.inf


def epsilon(value: object) -> float:
    """A proven epsilon; one that is proven below zero holds at zero."""
    checked = number(value)
    return math.inf if math.isnan(checked) else max(checked, 0.0)


def delta(value: object) -> float:
    """The delta itself if it is a probability, else 1."""
    checked = number(value)
    return checked if 0 <= checked <= 1 else 1.0


def log_delta(value: object) -> float:
    """The logarithm of a probability; zero where it is none."""
    checked = number(value)
    return checked if checked <= 0 else 0.0


def log_up(log_probability: float) -> float:
    """A logarithm of a few roundings, none too small: they grow with it, since a double has only 53 bits."""
    if log_probability == -math.inf:
        return -math.inf
    return min(0.0, log_probability + 1e-15 * (1 + abs(log_probability)))


def exp_up(log_probability: float) -> float:
    """A probability from its logarithm, rounded up also where doubles have few digits: never zero."""
    return min(1.0, math.nextafter(math.exp(log_delta(log_probability)), math.inf))


def profile(value: object, count: int) -> FloatArray:
    """A profile at this many ascending epsilons: in [0, 1] and nowhere rising, enlarged where it is not."""
    array = value if isinstance(value, np.ndarray) and value.dtype.kind == "f" else None
    if array is None or array.shape != (count,):
        return np.ones(count)
    array = array.astype(np.float64)
    inside = np.where((array >= 0) & (array <= 1), array, 1.0)
    return np.asarray(np.maximum.accumulate(inside[::-1])[::-1])


def multiple(times: int, value: float) -> float:
    """times·value, rounded up where it is no double."""
    found = times * value
    return (
        found
        if math.isinf(found) or Fraction(found) >= times * Fraction(value)
        else math.nextafter(found, math.inf)
    )


def product(*values: float) -> float:
    """A product of numbers >= 0, rounded up: of numbers above zero it is never zero."""
    found = 1.0
    for value in values:
        found = math.nextafter(found * value, math.inf) if value > 0 else 0.0
    return found


def total(values: Iterable[float]) -> float:
    """A sum of numbers >= 0 that is rounded once, and then up; infinite where it overflows."""
    try:
        found = math.fsum(values)
    except OverflowError:
        return math.inf
    return math.nextafter(divergence(found), math.inf) if found != 0 else 0.0
