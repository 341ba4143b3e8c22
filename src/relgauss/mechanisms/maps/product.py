"""The embedding's decoder for the linear form with a floor: scale times vector."""

from __future__ import annotations

import math

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.mechanisms.maps.embedding import EmbeddingMap


class ProductEmbedding(EmbeddingMap):
    """estimate = r exp(eta Z_0 - x/2) Z_{1..d},  x = (eta s)²: without bias for every answer,

    E||estimate - q||² = ||q||² (e^x - 1) + d s² M² e^x.
    """

    def estimate(self, z: FloatArray, s: float) -> FloatArray:
        return self.unit * np.exp(self.eta * z[..., :1] - (self.eta * s) ** 2 / 2) * z[..., 1:]

    def mean_squared_error(self, norm: float, s: float) -> float:
        x, floor = (self.eta * s) ** 2, s * self.scale(norm)
        return norm * norm * math.expm1(x) + self.dim * floor * floor * math.exp(x)

    def limiting_relative_error(self, s: float) -> float:
        x = (self.eta * s) ** 2
        return math.sqrt(math.expm1(x) + self.dim * x * math.exp(x))
