"""The least error that a decoder without bias can have where r > 0: proofs/decoders.md, 5."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ive

from relgauss.arrays import FloatArray

STEPS = 0.3 * np.arange(-2, 3)  # of the standard deviation of the noise on log(M), on either side of the norm
NODES = 2000
REACH = 12.0  # standard deviations: beyond them lies less than 1e-30


def least_ratio(dim: int, spread: float, size: float) -> float:
    """A lower bound on error over the limit, for answers of norm size·r/eta and noise spread = eta·s.

    Quadratic form, two coordinates or more. It holds for every function of the noisy coordinates that is
    without bias at the five norms (r/eta) sinh(τ), τ = asinh(size) + spread·STEPS, in every direction.
    """
    x, middle = spread * spread, math.asinh(size)
    points = middle + spread * STEPS
    points = points[points > 0]
    level, values = np.log(np.cosh(points) / math.cosh(middle)), np.sinh(points)
    overlaps = _overlaps(dim, spread, middle, points) * np.exp(np.outer(level, level) / x)
    weights = np.linalg.solve(overlaps, values)  # any weights give a bound, these the largest
    square = (weights @ values) ** 2 / (weights @ overlaps @ weights) - size * size
    return math.sqrt(max(square, 0.0) / (dim * x)) / math.cosh(middle)


def _overlaps(dim: int, spread: float, middle: float, points: FloatArray) -> FloatArray:
    """∫ h_i C_i h_j C_j/h_0 over the length: h_i its density at point i, C_i the mean cosine there."""
    centre, x = math.tanh(middle), spread * spread
    ends = math.hypot(centre, math.sqrt(dim) * spread) + np.array([-1, 1]) * REACH * spread
    cells = np.linspace(max(0.0, ends[0]), ends[1], NODES + 1)
    length = (cells[1:] + cells[:-1]) / 2
    order = dim / 2 - 1
    bessel = ive(order, centre * length / x)
    density = length / x * (length / centre) ** order * np.exp(-((length - centre) ** 2) / (2 * x)) * bessel
    ratios = np.array(
        [
            (centre / at) ** order
            * np.exp((at - centre) * (2 * length - at - centre) / (2 * x))
            * ive(order + 1, at * length / x)
            / bessel
            for at in np.tanh(points)
        ]
    )
    found: FloatArray = (ratios * density * (cells[1] - cells[0])) @ ratios.T
    return found
