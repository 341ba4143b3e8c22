"""The map for any dimension, one coordinate more than the answer has; and its decoders where r > 0.

Proofs: proofs/isometric.md, proofs/decoders.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from relgauss import validate
from relgauss.arrays import FloatArray, l2_norm
from relgauss.mechanisms.maps.base import LOG_RANGE, ULP, UnitMap
from relgauss.mechanisms.maps.scale_free import ScaleFreeProjection
from relgauss.mechanisms.neighbours import Pair
from relgauss.mechanisms.scores import Score


@dataclass(frozen=True)
class EmbeddingMap(UnitMap):
    """z = ( log(M/r)/eta, q/M ),  M² = S(||q||)², plus r² in the linear form;  r = 0: log(eta ||q||)/eta.

    How an answer is estimated from noisy coordinates differs: ``spherical`` for r = 0, ``BalancedEmbedding``
    for the quadratic form, ``ProductEmbedding`` for the linear one; ``projected`` where asked for.
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


@dataclass(frozen=True)
class BalancedEmbedding(EmbeddingMap):
    """In the quadratic form ||q/M||² = (1 - r²/M²)/eta², so with V = Z_{1..d}, x = (eta s)² and
    A = exp(eta Z_0 - x/2), B = exp(-eta Z_0 - x/2), whose means are M/r and r/M,

        C = [ A (eta² (||V||² - (d + 2) s²) - 1) + B ] V   has mean zero for every q, hence
        estimate = r (A V - (β/2) C)                       is without bias for every q and every public β.

    With t = ||eta q/M||² = 1 - w its mean squared error is (M/eta)² times

        t (e^x - 1) + e^x [x (d - 1) + x (1 - β t)² + β² (3/2 x² t (d + 2) + x³ d (d + 2)/2)]
        + 2 β w sinh(x) (t + d x - β x t) + β² w² sinh(x) (t + d x).

    β minimises it for large answers (t = 1): β = 1/(1 + 3/2 x (d + 2) + x² d (d + 2)/2); or at an answer
    of norm ``public_norm``, where that is given. Proof: proofs/decoders.md.
    """

    public_norm: float | None = None

    tunable = True

    def __post_init__(self) -> None:
        if self.public_norm is not None:
            fix = "Pass a norm of the answer that is known publicly, or None."
            object.__setattr__(
                self, "public_norm", validate.nonnegative("public_norm", self.public_norm, fix)
            )

    def made_for(self, public_norm: float) -> BalancedEmbedding:
        """With the β of least error at this norm."""
        return replace(self, public_norm=public_norm)

    def estimate(self, z: FloatArray, s: float) -> FloatArray:
        x = (self.eta * s) ** 2
        half, vector = self.weight(s) / 2, z[..., 1:]
        square = np.square(self.eta * vector).sum(axis=-1, keepdims=True) - (self.dim + 2) * x
        up, down = (np.exp(sign * self.eta * z[..., :1] - x / 2) for sign in (1, -1))
        answer: FloatArray = self.r * (up * (1 - half * (square - 1)) - half * down) * vector
        return answer

    def mean_squared_error(self, norm: float, s: float) -> float:
        size = self.scale(norm) / self.eta
        return size * size * self._square(*self._parts(norm), s)

    def limiting_relative_error(self, s: float) -> float:
        return math.sqrt(self._square(1.0, 0.0, s))

    def weight(self, s: float) -> float:
        """β: 0 would take nothing out, 1 all radial noise of a large answer; below 0 near zero."""
        x, dim = (self.eta * s) ** 2, self.dim
        if self.public_norm is None:
            return 1 / (1 + 1.5 * x * (dim + 2) + 0.5 * x * x * dim * (dim + 2))
        t, w = self._parts(self.public_norm)
        odd, even = math.sinh(x), math.exp(x)
        noise = x * t * t + 1.5 * x * x * t * (dim + 2) + 0.5 * x**3 * dim * (dim + 2)
        curvature = even * noise + odd * (w * w * (t + dim * x) - 2 * w * x * t)
        slope = w * odd * (t + dim * x) - x * t * even
        return -slope / curvature if 0 < curvature < math.inf else 0.0

    def _parts(self, norm: float) -> tuple[float, float]:
        """t and w of an answer of this norm."""
        scale = self.scale(norm)
        return (self.eta * norm / scale) ** 2, (self.r / scale) ** 2

    def _square(self, t: float, w: float, s: float) -> float:
        """The mean squared error over (M/eta)²."""
        x, dim, beta = (self.eta * s) ** 2, self.dim, self.weight(s)
        odd = math.sinh(x)
        radial = x * (dim - 1) + x * (1 - beta * t) ** 2
        control = beta * beta * (1.5 * x * x * t * (dim + 2) + 0.5 * x**3 * dim * (dim + 2))
        mixed = 2 * beta * w * odd * (t + dim * x - beta * x * t) + (beta * w) ** 2 * odd * (t + dim * x)
        return t * math.expm1(x) + math.exp(x) * (radial + control) + mixed
