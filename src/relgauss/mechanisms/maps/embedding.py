"""The map for any dimension: one coordinate more than the answer has. Its decoders differ by the bound.

Proof: proofs/isometric.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from relgauss.arrays import FloatArray, l2_norm
from relgauss.mechanisms.maps.base import LOG_RANGE, ULP, UnitMap
from relgauss.mechanisms.maps.scale_free import ScaleFreeProjection
from relgauss.mechanisms.neighbours import Pair
from relgauss.mechanisms.scores import Score


@dataclass(frozen=True)
class EmbeddingMap(UnitMap):
    """z = ( log(M/r)/eta, q/M ),  M² = S(||q||)², plus r² in the linear form;  r = 0: log(eta ||q||)/eta.

    How an answer is estimated from noisy coordinates is up to the kinds of embedding: ``spherical`` for
    r = 0, ``balanced`` for the quadratic form, ``product`` for the linear one; ``projected`` where asked for.
    """

    eta: float
    r: float
    linear: bool
    dim: int

    @property
    def coordinates(self) -> int:  # type: ignore[override]
        """One more than the answer has."""
        return self.dim + 1

    def encode(self, answer: FloatArray) -> FloatArray:
        norm = l2_norm(answer)
        return np.concatenate([[self._log_ratio(norm) / self.eta], answer / self.scale(norm)])

    def decode(self, z: FloatArray) -> FloatArray:
        return self.unit * np.exp(self.eta * z[..., :1]) * z[..., 1:]

    def log_noise(self, s: float) -> float:
        return self.eta * s

    def float_error(self) -> float:
        """The first coordinate is a logarithm over eta; the others have norm at most 1/eta."""
        return 8 * ULP * (LOG_RANGE + 1) / self.eta

    def score(self, pair: Pair, s: float) -> Score:
        """The projection on the pair's direction after the scale is divided out."""
        first, second = self.encode(pair.first), self.encode(pair.second)
        log_scale = self.eta * float(first[0] + second[0]) / 2 - (self.eta * s) ** 2 / 2 + math.log(self.unit)
        return ScaleFreeProjection((second - first)[1:], (first + second)[1:] / 2, log_scale, self.eta, s)

    @property
    def unit(self) -> float:
        """What M is measured in: r, or 1 where r = 0."""
        return self.r if self.r > 0 else 1.0

    def scale(self, norm: float) -> float:
        """M at an answer of this norm."""
        if self.linear:
            return math.hypot(self.eta * norm + self.r, self.r)
        return math.hypot(self.eta * norm, self.r)

    def _log_ratio(self, norm: float) -> float:
        """log(M/r), or log M for r = 0, to full precision also where M is near its floor."""
        if self.r == 0:
            return math.log(self.eta) + math.log(norm)
        u = self.eta * norm / self.r
        if u > 1e8:
            return math.log(self.scale(norm)) - math.log(self.r)
        if self.linear:  # (1 + u)² + 1 = 2 (1 + u + u²/2)
            return 0.5 * (math.log(2) + math.log1p(u + u * u / 2))
        return 0.5 * math.log1p(u * u)
