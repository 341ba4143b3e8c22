"""The embedding's decoder for the quadratic form with a floor: a control variate takes out radial noise."""

from __future__ import annotations

import math

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.mechanisms.maps.embedding import EmbeddingMap


class BalancedEmbedding(EmbeddingMap):
    """In the quadratic form ||q/M||² = (1 - r²/M²)/eta², so with V = Z_{1..d}, x = (eta s)² and
    A = exp(eta Z_0 - x/2), B = exp(-eta Z_0 - x/2), whose means are M/r and r/M,

        C = [ A (eta² (||V||² - (d + 2) s²) - 1) + B ] V   has mean zero for every q, hence
        estimate = r (A V - (β/2) C)                       is without bias for every q and every public β.

    With t = ||eta q/M||² = 1 - w its mean squared error is (M/eta)² times

        t (e^x - 1) + e^x [d x - 2 β x t + β² (x t² + 3/2 x² t (d + 2) + x³ d (d + 2)/2)]
        + 2 β w sinh(x) (t + d x - β x t) + β² w² sinh(x) (t + d x).

    β minimises it for large answers (t = 1): β = 1/(1 + 3/2 x (d + 2) + x² d (d + 2)/2).
    """

    def estimate(self, z: FloatArray, s: float) -> FloatArray:
        x = (self.eta * s) ** 2
        half, vector = self._weight(x) / 2, z[..., 1:]
        square = np.square(self.eta * vector).sum(axis=-1, keepdims=True) - (self.dim + 2) * x
        up, down = (np.exp(sign * self.eta * z[..., :1] - x / 2) for sign in (1, -1))
        return self.r * (up * (1 - half * (square - 1)) - half * down) * vector

    def mean_squared_error(self, norm: float, s: float) -> float:
        scale = self.scale(norm)
        floor = self.r / scale
        size = scale / self.eta
        return size * size * self._square((self.eta * norm / scale) ** 2, floor * floor, s)

    def limiting_relative_error(self, s: float) -> float:
        return math.sqrt(self._square(1.0, 0.0, s))

    def _square(self, t: float, w: float, s: float) -> float:
        """The mean squared error over (M/eta)²."""
        x, dim = (self.eta * s) ** 2, self.dim
        beta, odd = self._weight(x), math.sinh(x)
        quadratic = x * t * t + 1.5 * x * x * t * (dim + 2) + 0.5 * x**3 * dim * (dim + 2)
        vector = dim * x - 2 * beta * x * t + beta * beta * quadratic
        mixed = 2 * beta * w * odd * (t + dim * x - beta * x * t) + (beta * w) ** 2 * odd * (t + dim * x)
        return t * math.expm1(x) + math.exp(x) * vector + mixed

    def _weight(self, x: float) -> float:
        """β, between 0 (nothing taken out) and 1."""
        return 1 / (1 + 1.5 * x * (self.dim + 2) + 0.5 * x * x * self.dim * (self.dim + 2))
