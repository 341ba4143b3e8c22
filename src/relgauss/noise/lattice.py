"""The public lattice 2^exponent · Z^m: answers are rounded to it, and secure noise moves them on it.

The exponent depends on public parameters only. Rounding to the lattice is exact in floating point and
moves each coordinate by at most half a step, so two neighbours come at most sqrt(m)·step further apart.
Noise adds to each coordinate an integer multiple of 2^exponent, drawn with probability proportional to
exp(-(multiple)²/(2 std²)); the sum is exact, and rounded to a double once.
Proofs: proofs/lattice.md, proofs/discrete-gaussian.md.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.errors import InvalidParameterError, InvalidValueError
from relgauss.noise.discrete_gaussian import DiscreteGaussian

_RESOLUTION = 47  # the step is at most 2^-47 of the noise's standard deviation
_MOST_COORDINATES = 10**7 + 1  # up to here the float error of a norm is proved
_RANGE = (1e-150, 1e150)  # of noise levels whose lattice and squares stay representable
_BLOCK = 2**14  # numbers at a time, so that what is computed with stays in a processor's cache


def refuse_unproved(noise_std: float, size: int) -> None:
    """Refuse noise levels and numbers of coordinates that the proofs do not cover."""
    if not _RANGE[0] <= noise_std <= _RANGE[1]:
        raise InvalidParameterError(
            "noise_std",
            noise_std,
            f"between {_RANGE[0]} and {_RANGE[1]}",
            "Express the query in other units.",
        )
    if size > _MOST_COORDINATES:
        raise InvalidParameterError(
            "size", size, f"at most {_MOST_COORDINATES}", "Release the answer in parts."
        )


def lattice_exponent(noise_std: float, size: int) -> int:
    """The exponent of a step that is at most 2^-47 noise_std, and more than half of that."""
    refuse_unproved(noise_std, size)
    return math.frexp(noise_std)[1] - 1 - _RESOLUTION  # noise_std >= 2^(this binary exponent - 1)


def rounding_distance(exponent: int, size: int) -> float:
    """How much further apart rounding can bring two points of R^size: sqrt(size)·step, rounded up."""
    return math.ldexp(math.sqrt(size) * (1 + 1e-15), exponent)


def round_to_lattice(value: FloatArray, exponent: int) -> FloatArray:
    """The nearest lattice point, exactly; a value too large to have digits below the step is one already."""
    far = math.ldexp(1.0, exponent + 52)  # doubles from here to 2 far are the lattice points there
    shift = np.copysign(far, value)
    rounded = value + shift
    rounded -= shift
    return np.where(np.abs(value) < far, rounded, value)


def add_discrete_gaussian(points: FloatArray, std: float, exponent: int) -> FloatArray:
    """Add discrete Gaussian noise of this std to points of the lattice of step 2^exponent.

    The points come from ``round_to_lattice``: noise does not hide the low digits of other numbers.
    """
    if np.count_nonzero(np.isfinite(points)) < points.size:
        raise InvalidValueError("The value overflows the lattice.", "Express the query in other units.")
    law = DiscreteGaussian.of(std, exponent)
    if len(points) <= _BLOCK:
        return _add(points, law, exponent)
    blocks = range(0, len(points), _BLOCK)
    return np.concatenate([_add(points[start : start + _BLOCK], law, exponent) for start in blocks])


def _add(points: FloatArray, law: DiscreteGaussian, exponent: int) -> FloatArray:
    """The nearest doubles to lattice points with noise.

    The coarse part of the noise is a double, so one sum of doubles rounds once. With a finer part, that sum
    and its error are the exact sum; the finer part is added to the error, and where the error of that last
    step could change the double, integers decide.
    """
    draws = law.draw(len(points))
    step = math.ldexp(1.0, exponent + law.finer)
    coarse = draws.coarse * step
    total = points + coarse
    unsettled = list(draws.exact)
    if law.finer:
        part = total - points
        rest = coarse - part
        part -= total
        part += points
        rest += part  # points + coarse = total + rest, exactly
        fine = draws.digits.astype(np.float64)
        fine *= step * 2.0**-64
        rest += fine
        slack = np.abs(rest)
        slack *= 1.5 * 2.0**-52
        slack += step * (2.0**-53 if law.finer > 53 else 0.0)  # what ``fine`` may be off by
        least = rest - slack
        least += total
        rest += slack
        total += rest
        unsettled += (least != total).nonzero()[0].tolist()
    for place in unsettled:
        noise = law.complete(draws, place) * Fraction(2) ** exponent
        total[place] = float(Fraction(float(points[place])) + noise)
    return total
