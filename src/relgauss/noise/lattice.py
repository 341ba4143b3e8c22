"""The public lattice 2^exponent · Z^m on which secure noise is drawn. Proof: proofs/lattice.md.

The exponent depends on public parameters only. Rounding to the lattice is exact in floating point and
moves each coordinate by at most half a step, so two neighbours come at most sqrt(m)·step further apart.
"""

from __future__ import annotations

import math

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.errors import InvalidParameterError

_RESOLUTION = 50  # the step is at most 2^-50 of the noise's standard deviation
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
    """The exponent of a step that is at most 2^-50 noise_std / sqrt(size)."""
    refuse_unproved(noise_std, size)
    _, binary = math.frexp(noise_std)  # noise_std >= 2^(binary-1)
    _, binary_size = math.frexp(size)  # size < 2^binary_size
    return binary - 1 - _RESOLUTION - math.ceil(binary_size / 2)


def rounding_distance(exponent: int, size: int) -> float:
    """How much further apart rounding can bring two points of R^size: sqrt(size)·step, rounded up."""
    return math.ldexp(math.sqrt(size) * (1 + 1e-15), exponent)


def round_to_lattice(value: FloatArray, exponent: int) -> FloatArray:
    """The nearest lattice point, exactly; a value too large to have digits below the step is one already."""
    with np.errstate(over="ignore"):
        scaled = np.ldexp(value, -exponent)
    return np.where(np.isfinite(scaled), np.ldexp(np.rint(scaled), exponent), value)
