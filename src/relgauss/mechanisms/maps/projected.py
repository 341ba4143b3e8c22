"""The embedding's decoder that projects onto the image of all answers: biased, and smaller in error."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from relgauss.accounting.noncentral import log_noncentral_chi
from relgauss.arrays import FloatArray
from relgauss.errors import InvalidParameterError
from relgauss.mechanisms.maps.embedding import EmbeddingMap

_GRID = 48  # points of the first search, a bracket for the second
_HALVINGS = 48
_NODES = 240  # in each of two directions of the integral
_REACH = 9.0  # standard deviations on either side: beyond them lies less than 1e-18
_LEAST_CENTRE = 1e-6  # standard deviations: closer to zero changes nothing
_LARGEST = 700.0  # a logarithm of an answer over r/eta that a double still holds


@dataclass(frozen=True)
class ProjectedEmbedding(EmbeddingMap):
    """In the quadratic form all images lie on one curve, turned around: with ||q|| = (r/eta) sinh τ,

        eta z_0 = log cosh τ,   eta ||z_{1..d}|| = tanh τ.

    The estimate has the direction of V = Z_{1..d} and the τ whose point is nearest to
    (eta Z_0, sqrt((eta ||V||)² - (d - 1) x)), x = (eta s)²: the noise across the answer is taken off first.
    Bias and error are integrals over the first coordinate and the length of V, good to about three digits.
    Proof: proofs/decoders.md.
    """

    def __post_init__(self) -> None:
        if self.dim < 2 or self.linear or self.r == 0 or self.eta == 0:
            raise InvalidParameterError(
                "decoder",
                "projected",
                "'standard' for this bound",
                "The projected one is for dim >= 2 and the quadratic form with eta > 0 and r > 0.",
            )

    def estimate(self, z: FloatArray, s: float) -> FloatArray:
        vector = z[..., 1:]
        length = np.linalg.norm(vector, axis=-1, keepdims=True)
        direction = np.divide(vector, length, out=np.zeros_like(vector), where=length > 0)
        answer: FloatArray = self._size(z[..., :1], length, s) * direction
        return answer

    def mean_squared_error(self, norm: float, s: float) -> float:
        unit = self.r / self.eta
        sizes, plain, along = self._outcomes(norm, s)
        # E (size - norm)² + 2 norm E size (1 - cosine), where the answer itself has cancelled
        error = plain @ (sizes - norm / unit) ** 2 + 2 * norm / unit * (plain @ sizes - along @ sizes)
        return unit * unit * float(error)

    def limiting_relative_error(self, s: float) -> float:
        far = 1e6 * self.r / self.eta
        return math.sqrt(self.mean_squared_error(far, s)) / far

    def bias(self, norm: float, s: float) -> float:
        sizes, _, along = self._outcomes(norm, s)
        return self.r / self.eta * float(along @ sizes) - norm

    def _size(self, first: FloatArray, length: FloatArray, s: float) -> FloatArray:
        """The norm of the estimate, from the first coordinate and the length of the others."""
        across = (self.dim - 1) * (self.eta * s) ** 2
        along = np.sqrt(np.maximum((self.eta * length) ** 2 - across, 0.0))
        return self.r / self.eta * np.sinh(nearest_on_the_curve(self.eta * first, along))

    def _outcomes(self, norm: float, s: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Norms of estimates over r/eta, and two weights for each: that of it, and that times the cosine.

        With X = V/s, ρ = ||E X||: E[X_1 g(||X||)] = ρ E[g(L)], L the length for d + 2 coordinates.
        """
        rho = max(norm / self.scale(norm) / s, _LEAST_CENTRE)
        centre = math.sqrt(rho * rho + self.dim)
        level, length = _midpoints(-_REACH, _REACH), _midpoints(max(centre - _REACH, 0.0), centre + _REACH)
        law, wider = (
            _normalised(log_noncentral_chi(length, length - rho, rho, 1.0, dim))
            for dim in (self.dim, self.dim + 2)
        )
        normal = _normalised(-level * level / 2)
        first = self._log_ratio(norm) / self.eta + s * level
        sizes = self._size(first[:, None], s * length[None, :], s) / (self.r / self.eta)
        cosines = wider * rho / length
        return sizes.ravel(), np.outer(normal, law).ravel(), np.outer(normal, cosines).ravel()


def _midpoints(start: float, end: float) -> FloatArray:
    """The middles of even cells."""
    return np.asarray(start + (end - start) / _NODES * (np.arange(_NODES) + 0.5), dtype=np.float64)


def _normalised(log_density: FloatArray) -> FloatArray:
    """Weights of sum one in proportion to a density."""
    density = np.exp(log_density - log_density.max())
    weights: FloatArray = density / density.sum()
    return weights


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
