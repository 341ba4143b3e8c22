"""The Relative Gaussian Mechanism on a lattice: how fine it is, and the noise that a rounded answer gets.

Rounding moves the answer, and its norm, from which the noise follows: a little more noise covers both.
Proof: proofs/lattice.md.
"""

from __future__ import annotations

import math

from relgauss.arrays import FloatArray, l2_norm
from relgauss.errors import NoGuaranteeError
from relgauss.mechanisms.sensitivity import RelativeSensitivity
from relgauss.noise.lattice import lattice_exponent, rounding_distance

SPLIT = 2.0**-40
"""t in the quadratic bound of the rounded answer."""

_FINER = 48  # binary digits of the lattice, so fine that noise hardly ever ends halfway between two doubles


def relative_exponent(sigma: float, dim: int) -> int:
    """The exponent of the lattice's step, from the least noise level; refused where there is none."""
    if not sigma > 0:
        raise NoGuaranteeError(
            "RelativeGaussian with r = 0 has no least noise, so no public lattice is fine enough.",
            "State r > 0, or use another mechanism; compare() lists them.",
        )
    return lattice_exponent(sigma * 2.0**-20, dim) - _FINER


def rounded_noise_std(
    sensitivity: RelativeSensitivity, gamma: float, sigma: float, rounded: FloatArray, exponent: int
) -> float:
    """The standard deviation of the noise on an answer that was rounded to this lattice."""
    floor = _floor(sensitivity, gamma, sigma, rounding_distance(exponent, len(rounded)) / 2)
    relative = math.sqrt(gamma) * l2_norm(rounded)
    if sensitivity.form == "linear":
        return (relative + floor) * (1 + SPLIT)
    return math.hypot(relative * (1 + SPLIT), floor) * (1 + SPLIT)


def _floor(sensitivity: RelativeSensitivity, gamma: float, sigma: float, error: float) -> float:
    """sigma enlarged for an answer that rounding moves by at most ``error``."""
    eta = sensitivity.eta
    scale = math.sqrt(gamma) / eta if eta > 0 else sigma / sensitivity.r
    moved = scale * (2 + eta) * error
    if sensitivity.form == "linear":
        return sigma + moved
    return math.hypot(sigma * math.sqrt(1 + SPLIT), moved * math.sqrt(1 + 1 / SPLIT))
