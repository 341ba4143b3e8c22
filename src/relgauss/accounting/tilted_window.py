"""The tilted total of many losses on a window of the grid, with everything that may be wrong with it.

Formulas at the head of ``pld``. Proof: proofs/composition.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, rfft

from relgauss.accounting import guard
from relgauss.arrays import FloatArray

ComplexArray = NDArray[np.complex128]

_UNIT = 2.0**-53
_NOTHING = -50.0  # log of a factor that is taken as zero


@dataclass(frozen=True)
class TiltedWindow:
    """The tilted total on the window, and everything that may be wrong with it."""

    tilt: float
    log_moment: float
    losses: FloatArray
    masses: FloatArray
    error: float  # L2 norm of the rounding error of ``masses``
    outside: float
    at_infinity: float

    def log_delta(self, epsilon: float) -> float:
        if not math.isfinite(self.error + float(self.tilt) * epsilon):
            return 0.0
        # Past the last loss taken the weights are below e^-45, and the masses sum to one.
        first, last = np.searchsorted(self.losses, [epsilon, epsilon + 45 / self.tilt], side="right")
        x = self.losses[first:last] - epsilon
        weights = np.exp(-self.tilt * x) * -np.expm1(-x)
        total = float(self.masses[first:last] @ weights) * (1 + len(x) * 4 * _UNIT)
        slack = self.error * float(np.linalg.norm(weights)) + self.outside + math.exp(-45)
        exponent = self.log_moment - self.tilt * epsilon
        exponent += 4 * _UNIT * (abs(self.log_moment) + self.tilt * epsilon)
        finite = exponent + math.log(max(total + slack, math.ulp(0.0)))
        return guard.log_delta(float(np.logaddexp(finite, math.log(max(self.at_infinity, math.ulp(0.0))))))


def convolve(tilted: Sequence[tuple[FloatArray, FloatArray, int]], size: int) -> tuple[FloatArray, float]:
    """The circular convolution of all parts, and a bound on the L2 norm of its rounding error.

    A transform errs by at most 8 u log2(size) in relative L2 norm (Higham 2002, Theorem 24.2). All transforms
    are at most one in modulus, so a T-fold product multiplies absolute errors by at most T; computed ones may
    exceed one by so little that this costs a factor below 2, or else the bound is infinite. Factors below
    e^-50 are taken as zero, which moves the result by no more than that.
    """
    transform_error = 8 * _UNIT * math.log2(size)
    product: ComplexArray | None = None
    error = excess = 0.0
    for indices, masses, times in tilted:
        wrapped = np.bincount(indices.astype(np.int64) % size, weights=masses, minlength=size)
        power = _power(rfft(wrapped), times)
        product = power if product is None else product * power
        norm = float(np.linalg.norm(wrapped))
        error += (times * (transform_error + 16 * _UNIT) + transform_error) * norm + math.exp(_NOTHING)
        excess += times * transform_error * math.sqrt(size) * norm
    return irfft(product, size), 2 * error if excess < 0.5 else math.inf


def _power(transform: ComplexArray, times: int) -> ComplexArray:
    """The transform to this power; 0 where that is below e^-50, as it mostly is for many uses."""
    if times == 1:
        return transform
    squares = transform.real**2 + transform.imag**2
    kept = np.flatnonzero(squares > math.exp(2 * _NOTHING / times))
    found = np.zeros(len(transform), dtype=np.complex128)
    taken = transform[kept]
    found[kept] = np.abs(taken) ** times * np.exp(1j * times * np.angle(taken))
    return found


def log_peak(tilt: float) -> float:
    """log of the largest w(x), reached at x = log(1 + 1/tilt): what the sum in delta is at most."""
    return -tilt * math.log1p(1 / tilt) - math.log1p(tilt)
