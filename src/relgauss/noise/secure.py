"""Exact discrete noise from operating-system randomness, added exactly and rounded to a double once.

Gaussian: adds to each coordinate an integer multiple of 2^exponent, drawn with probability proportional to
exp(-(multiple)²/(2 std²)). Laplace: adds to a count an integer k, drawn with probability proportional to
exp(-|k| epsilon). Proof: proofs/discrete-gaussian.md.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.errors import InvalidValueError
from relgauss.noise import discrete_laplace
from relgauss.noise.discrete_gaussian import DiscreteGaussian

_BLOCK = 2**14  # numbers at a time, so that what is computed with stays in a processor's cache


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


def add_discrete_laplace(value: int, epsilon: float) -> int:
    """Add discrete Laplace noise with exactly this parameter."""
    return value + discrete_laplace.draw(epsilon)


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
