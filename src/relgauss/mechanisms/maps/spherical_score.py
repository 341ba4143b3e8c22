"""The score for estimates of the spherical decoder, whose direction and length are independent."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr

from relgauss.arrays import FloatArray
from relgauss.mechanisms.scores import Score


@dataclass(frozen=True, eq=False)
class SphericalLogRatio(Score):
    """For an output of direction u and length e^g, the log-likelihood ratio, but a constant:

        log ∫ R^{d-1} e^{-R²/2 + R t_2} dR - the same of t_1 + (g - mean_1)²/(2 spread²) - (g - mean_2)²/...

    with t = <u, mean direction>: u is the direction of N(mean direction, I_d), g ~ N(mean, spread²).
    The integral is approximated around its mode.
    """

    first: FloatArray
    second: FloatArray
    log_length_first: float
    log_length_second: float
    spread: float

    def __call__(self, outputs: FloatArray) -> FloatArray:
        """The score of each output."""
        length = np.linalg.norm(outputs, axis=1)
        unit = np.divide(outputs, length[:, None], out=np.zeros_like(outputs), where=length[:, None] > 0)
        dim = outputs.shape[1]
        along = _log_radial(unit @ self.second, dim) - _log_radial(unit @ self.first, dim)
        step = (self.log_length_second - self.log_length_first) / self.spread
        middle = (self.log_length_second + self.log_length_first) / 2
        log_length = np.log(np.maximum(length, 1e-300))  # no output is shorter but by a fault
        score: FloatArray = along + step * (log_length - middle) / self.spread
        return score


def _log_radial(t: FloatArray, dim: int) -> FloatArray:
    """log ∫ R^{d-1} e^{-R²/2 + R t} dR over R > 0: exact for d = 1, else by Laplace's method."""
    if dim == 1:
        value: FloatArray = t * t / 2 + log_ndtr(t) + 0.5 * math.log(2 * math.pi)
        return value
    root = np.sqrt(t * t + 4 * (dim - 1))
    mode = np.where(t > 0, (t + root) / 2, 2 * (dim - 1) / (root - t))
    return (dim - 1) * np.log(mode) - mode * mode / 2 + mode * t - 0.5 * np.log1p((dim - 1) / mode**2)
