"""The scaled Bessel function behind the non-central chi density, in log space and without overflow.

    log( e^{-z} I_nu(z) ),   nu = d/2 - 1 >= -1/2,   z > 0

SciPy's ``ive`` underflows for large orders and loses digits for large arguments, with no more
than a warning; each region below uses the expansion that is accurate there.
"""

from __future__ import annotations

from functools import cache
from math import lgamma, log, pi

import numpy as np
from numpy.polynomial import Polynomial
from scipy.special import ive

from relgauss.arrays import FloatArray

_UNIFORM_ORDER = 50.0  # from here on, seven terms of the uniform expansion give 14 digits
_LARGE_ARGUMENT = 1e5  # from here on, with order < 50, the expansion in 1/z gives 15 digits
_SMALL_ARGUMENT = 1e-3  # up to here the power series needs three terms


def log_scaled_bessel(order: float, z: FloatArray) -> FloatArray:
    """Return log(e^{-z} I_order(z)) elementwise."""
    if order == -0.5:
        return np.log1p(np.exp(-2 * z)) - 0.5 * np.log(2 * pi * z)
    if order >= _UNIFORM_ORDER:
        return _uniform(order, z)
    small, large = z < _SMALL_ARGUMENT, z > _LARGE_ARGUMENT
    result: FloatArray = np.log(ive(order, np.where(small | large, 1.0, z)))
    if small.any():
        result[small] = _power_series(order, z[small])
    if large.any():
        result[large] = _inverse_series(order, z[large])
    return result


def _power_series(order: float, z: FloatArray) -> FloatArray:
    """DLMF 10.25.2: (z/2)^nu / Gamma(nu+1) * (1 + q/(nu+1) + q²/(2(nu+1)(nu+2)) + ...), q = z²/4."""
    q = z * z / 4
    correction = q / (order + 1) * (1 + q / (2 * (order + 2)))
    return order * np.log(z / 2) - lgamma(order + 1) + np.log1p(correction) - z


def _inverse_series(order: float, z: FloatArray) -> FloatArray:
    """DLMF 10.40.1: (2 pi z)^{-1/2} * (1 - (m-1)/(8z) + (m-1)(m-9)/(2!(8z)²) - ...), m = 4nu²."""
    m = 4 * order * order
    term = np.ones_like(z)
    total = np.zeros_like(z)
    for k in range(1, 9):
        term = term * -(m - (2 * k - 1) ** 2) / (k * 8 * z)
        total = total + term
    return np.log1p(total) - 0.5 * np.log(2 * pi * z)


def _uniform(order: float, z: FloatArray) -> FloatArray:
    """DLMF 10.41.3: the expansion for large order, uniform in z; written without cancelling terms."""
    root = np.hypot(order, z)
    exponent = order * (order / (root + z) - np.arcsinh(order / z))
    p = order / root
    series = sum((u(p) / order**k for k, u in enumerate(_debye_polynomials()) if k > 0), np.zeros_like(z))
    return exponent - 0.5 * np.log(2 * pi * root) + np.log1p(series)


@cache
def _debye_polynomials() -> tuple[Polynomial, ...]:
    """DLMF 10.41.9: u_{k+1} = p²(1-p²)/2 u_k' + (1/8) * integral_0^p (1-5t²) u_k(t) dt."""
    polynomials = [Polynomial([1.0])]
    for _ in range(7):
        u = polynomials[-1]
        polynomials.append(
            Polynomial([0, 0, 0.5, 0, -0.5]) * u.deriv() + (Polynomial([1, 0, -5]) * u).integ() / 8
        )
    return tuple(polynomials)


def log_noncentral_chi(
    radius: FloatArray, offset: FloatArray, centre: float, std: float, dim: int
) -> FloatArray:
    """Log density of R = ||X - m||, X ~ N(0, std² I_dim), centre = ||m||, at R = radius.

    ``offset`` is radius - centre, passed apart so that it keeps its digits when both are large:

        f(R) = (R/std²) (R/centre)^nu exp(-offset²/(2 std²)) e^{-z} I_nu(z),   z = R centre / std²
    """
    order = dim / 2 - 1
    z = radius * (centre / std**2)
    near = np.abs(offset) < 0.5 * centre
    ratio = np.where(near, np.log1p(np.where(near, offset, 0.0) / centre), np.log(radius / centre))
    return (
        np.log(radius)
        - 2 * log(std)
        + order * ratio
        - 0.5 * (offset / std) ** 2
        + log_scaled_bessel(order, z)
    )
