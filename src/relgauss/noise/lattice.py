"""The public lattice 2^exponent · Z^m on which secure noise is drawn. Proof: proofs/lattice.md.

The exponent depends on public parameters only. Rounding to the lattice is exact in floating point and
moves each coordinate by at most half a step, so two neighbours come at most sqrt(m)·step further apart.
"""

from __future__ import annotations

import math

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.errors import InvalidParameterError

_RESOLUTION = 47  # the step is at most 2^-47 of the noise's standard deviation
_MOST_COORDINATES = 10**7 + 1  # up to here the float error of a norm is proved
_RANGE = (1e-150, 1e150)  # of noise levels whose lattice and squares stay representable


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
