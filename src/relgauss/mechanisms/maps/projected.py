"""The embedding's decoder that projects onto the image of all answers: biased, and smaller in error."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammainccinv, gammaincinv, ndtr, roots_hermitenorm

from relgauss.arrays import FloatArray
from relgauss.mechanisms.maps.embedding import EmbeddingMap

_GRID = 48  # points of the first search, a bracket for the second
_HALVINGS = 48
_NODES = 40  # for each of the three normal variables of the error
_LARGEST = 700.0  # a logarithm of an answer over r/eta that a double still holds


class ProjectedEmbedding(EmbeddingMap):
    """In the quadratic form all images lie on one curve, turned around: with ||q|| = (r/eta) sinh τ,

        eta z_0 = log cosh τ,   eta ||z_{1..d}|| = tanh τ.

    The estimate has the direction of V = Z_{1..d} and the τ whose point is nearest to
    (eta Z_0, sqrt((eta ||V||)² - (d - 1) x)), x = (eta s)²: the noise across the answer is taken off first.
    Bias and error are integrals over three normal variables, computed to about four digits.
    Proof: proofs/decoders.md.
    """

    def estimate(self, z: FloatArray, s: float) -> FloatArray:
        vector = z[..., 1:]
        length = np.linalg.norm(vector, axis=-1, keepdims=True)
        direction = np.divide(vector, length, out=np.zeros_like(vector), where=length > 0)
        answer: FloatArray = self._size(z[..., :1], length, s) * direction
        return answer

    def mean_squared_error(self, norm: float, s: float) -> float:
        size, cosine, weights = self._outcomes(norm, s)
        unit = self.r / self.eta
        return (
            unit * unit * float(weights @ (size**2 - 2 * size * cosine * (norm / unit) + (norm / unit) ** 2))
        )

    def limiting_relative_error(self, s: float) -> float:
        far = 1e6 * self.r / self.eta
        return math.sqrt(self.mean_squared_error(far, s)) / far

    def bias(self, norm: float, s: float) -> float:
        """The mean of the estimate, less the answer, along the answer."""
        size, cosine, weights = self._outcomes(norm, s)
        return self.r / self.eta * float(weights @ (size * cosine)) - norm

    def _size(self, first: FloatArray, length: FloatArray, s: float) -> FloatArray:
        """The norm of the estimate, from the first coordinate and the length of the others."""
        across = (self.dim - 1) * (self.eta * s) ** 2
        along = np.sqrt(np.maximum((self.eta * length) ** 2 - across, 0.0))
        return self.r / self.eta * np.sinh(nearest_on_the_curve(self.eta * first, along))

    def _outcomes(self, norm: float, s: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Estimates' norms over r/eta, their cosine with the answer, and the weight of each outcome."""
        nodes, weights = roots_hermitenorm(_NODES)
        scale, unit = self.scale(norm), self.r / self.eta
        level, along, far = np.meshgrid(nodes, nodes, nodes, indexing="ij")
        across = s * np.sqrt(_chi_square(far, self.dim - 1))
        along = norm / scale + s * along
        length = np.hypot(along, across)
        first = self._log_ratio(norm) / self.eta + s * level
        size = self._size(first.ravel(), length.ravel(), s) / unit
        weight = np.einsum("i,j,k->ijk", weights, weights, weights).ravel() / weights.sum() ** 3
        cosine = np.divide(along, length, out=np.zeros_like(along), where=length > 0)
        return size, cosine.ravel(), weight


def nearest_on_the_curve(level: FloatArray, along: FloatArray) -> FloatArray:
    """The τ >= 0 that minimises (log cosh τ - level)² + (tanh τ - along)²: a grid, then halved brackets."""
    level, along = np.broadcast_arrays(level, along)
    most = np.clip(level, 0.0, _LARGEST) + 2.0
    grid = np.linspace(0.0, 1.0, _GRID) ** 2  # finer near zero, where the curve bends
    best, least = np.zeros(level.shape, dtype=int), np.full(level.shape, np.inf)
    for place, part in enumerate(grid):  # one at a time: there may be a million points
        loss = _distance(most * part, level, along)
        best, least = np.where(loss < least, place, best), np.minimum(loss, least)
    low, high = most * grid[np.maximum(best - 1, 0)], most * grid[np.minimum(best + 1, _GRID - 1)]
    for _ in range(_HALVINGS):
        third = (high - low) / 3
        rising = _distance(low + third, level, along) < _distance(high - third, level, along)
        low, high = np.where(rising, low, low + third), np.where(rising, high - third, high)
    middle: FloatArray = (low + high) / 2
    return middle


def _distance(tau: FloatArray, level: FloatArray, along: FloatArray) -> FloatArray:
    log_cosh = tau + np.log1p(np.exp(-2 * tau)) - math.log(2)
    return (log_cosh - level) ** 2 + (np.tanh(tau) - along) ** 2


def _chi_square(normal: FloatArray, degrees: int) -> FloatArray:
    """The chi-square quantile at the level that a normal number has; zero without degrees of freedom."""
    if degrees == 0:
        return np.zeros_like(normal)
    lower, upper = ndtr(np.minimum(normal, 0.0)), ndtr(np.minimum(-normal, 0.0))
    quantile: FloatArray = 2 * np.where(
        normal < 0, gammaincinv(degrees / 2, lower), gammainccinv(degrees / 2, upper)
    )
    return quantile
