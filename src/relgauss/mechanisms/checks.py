"""Checks and small formulas that several mechanisms share."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from relgauss import validate
from relgauss.arrays import FloatArray
from relgauss.errors import InvalidParameterError
from relgauss.mechanisms.exact import as_array, finite_doubles
from relgauss.sensitivity import AbsoluteSensitivity, RelativeSensitivity

Sensitivity = RelativeSensitivity | AbsoluteSensitivity


def bound_of_kind(kind: type[Sensitivity], sensitivity: object) -> None:
    """Refuse a bound of another kind than the one that a mechanism takes."""
    if not isinstance(sensitivity, kind):
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        raise InvalidParameterError(
            "sensitivity",
            sensitivity,
            f"{article} {kind.__name__}",
            "For another kind of bound use another mechanism; calibrate() finds it.",
        )


def numbers(name: str, value: ArrayLike, fix: str) -> FloatArray:
    """An array of finite real numbers; messages never show it.

    Texts, dates, complex numbers and masked arrays are refused rather than made into numbers.
    """
    return finite_doubles(name, as_array(name, value, "iuf", fix), fix).copy()


def validated_norm(norm: float) -> float:
    """A norm at which an error is asked for."""
    return validate.nonnegative("norm", norm, "Pass the norm of the answer to read the error at.")


def noise_multiplier(value: object) -> float:
    """A noise multiplier in a range whose inverse and square are representable."""
    fix = "Pass noise std / sensitivity; mu is its inverse."
    result = validate.positive("noise_multiplier", value, fix)
    if not 1e-100 < result < 1e100:
        raise InvalidParameterError("noise_multiplier", value, "between 1e-100 and 1e100", fix)
    return result


def relative_rounding(distance: float) -> float:
    """The factor on noise for a unit sensitivity grown by this distance, on a lattice: proofs/lattice.md."""
    return (1 + distance) * (1 + 2.0**-40)


def root_mean(square: float) -> float:
    """A root that keeps an overflow infinite."""
    return math.sqrt(square) if math.isfinite(square) else math.inf
