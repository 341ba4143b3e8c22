"""The embedding's decoder where r = 0: the length of the vector part is known, so its noise is left out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from relgauss.accounting.quadrature import unit_rule
from relgauss.arrays import FloatArray
from relgauss.mechanisms.maps.embedding import EmbeddingMap
from relgauss.mechanisms.maps.spherical_score import SphericalLogRatio
from relgauss.mechanisms.neighbours import Pair
from relgauss.mechanisms.scores import Score

_REACH = 12.0  # widths of the integrand past which less than e^-70 of it is left
_PANELS = 12
_MOST_LOG = 700.0  # of a number that a double holds


class SphericalEmbedding(EmbeddingMap):
    """q/M has norm 1/eta for every q, so only the direction of the noisy vector part tells of q:

        estimate = exp(eta Z_0 - x/2)/(eta κ) · V/||V||,   V = Z_{1..d},  x = (eta s)²,
        κ = E cos(angle between V and q),   E||estimate - q||² = ||q||² (e^x/κ² - 1)

    Without bias for every q. For small x the error is d x ||q||², that of noise at the local sensitivity.
    Proof: proofs/decoders.md.
    """

    def estimate(self, z: FloatArray, s: float) -> FloatArray:
        vector = z[..., 1:]
        length = np.linalg.norm(vector, axis=-1, keepdims=True)
        direction = np.divide(vector, length, out=np.zeros_like(vector), where=length > 0)
        kappa = mean_cosine(self.dim, self.eta * s).kept
        scale = np.exp(self.eta * z[..., :1] - (self.eta * s) ** 2 / 2) / (self.eta * kappa)
        answer: FloatArray = scale * direction
        return answer

    def mean_squared_error(self, norm: float, s: float) -> float:
        return norm * norm * self._relative_square(s)

    def limiting_relative_error(self, s: float) -> float:
        return math.sqrt(self._relative_square(s))

    def score(self, pair: Pair, s: float) -> Score:
        """The exact likelihood ratio, but for the approximation of one integral."""
        kappa = mean_cosine(self.dim, self.eta * s).kept
        first, second = self.encode(pair.first), self.encode(pair.second)
        shift = -((self.eta * s) ** 2) / 2 - math.log(self.eta * kappa)
        return SphericalLogRatio(
            first[1:] / s,
            second[1:] / s,
            self.eta * float(first[0]) + shift,
            self.eta * float(second[0]) + shift,
            self.eta * s,
        )

    def _relative_square(self, s: float) -> float:
        log_square = (self.eta * s) ** 2 - 2 * mean_cosine(self.dim, self.eta * s).log_kept
        return math.expm1(log_square) if log_square < _MOST_LOG else math.inf


@dataclass(frozen=True)
class Cosine:
    """A mean cosine κ and 1 - κ, each to full relative precision."""

    kept: float
    lost: float

    @property
    def log_kept(self) -> float:
        """log κ, precise where κ is near 1."""
        return math.log1p(-self.lost) if self.lost < 0.5 else math.log(self.kept)


@lru_cache(maxsize=256)
def mean_cosine(dim: int, spread: float) -> Cosine:
    """κ = E cos(angle between e_1 + N(0, spread² I_d) and e_1).

    With ρ = 1/spread, κ = ρ sqrt(2/π) ∫ cos^d(a) e^{-ρ² sin²(a)/2} da over [0, π/2], and 1 - κ has
    (1 - cos^{d-1}(a)) cos(a) in place of cos^d(a), and a tail: proofs/decoders.md.
    """
    if spread == 0:
        return Cosine(1.0, 0.0)
    factor = math.sqrt(2 / math.pi) / spread
    end = min(math.pi / 2, _REACH / math.hypot(1 / spread, math.sqrt(dim - 1)))
    angle, weights, decay = _rule(end, spread)
    kept = factor * float(weights @ (np.exp(dim * _log_cosine(angle)) * decay))
    if kept < 0.5:
        return Cosine(kept, 1 - kept)
    angle, weights, decay = _rule(min(math.pi / 2, _REACH * spread), spread)
    lost = -np.expm1((dim - 1) * _log_cosine(angle)) * np.cos(angle) * decay
    total = factor * float(weights @ lost) + math.erfc(1 / (math.sqrt(2) * spread))
    return Cosine(1 - total, total)


def _rule(end: float, spread: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Angles, Gauss-Legendre weights in even panels up to ``end``, and e^{-ρ² sin²/2} at each angle."""
    nodes, weights = unit_rule(24)
    angle = end / _PANELS * (np.arange(_PANELS)[:, None] + nodes).ravel()
    decay = np.exp(-np.square(np.sin(angle) / spread) / 2)
    return angle, np.tile(end / _PANELS * weights, _PANELS), decay


def _log_cosine(angle: FloatArray) -> FloatArray:
    small = 0.5 * np.log1p(-np.square(np.sin(np.minimum(angle, 0.5))))
    return np.where(angle < 0.5, small, np.log(np.cos(angle)))
