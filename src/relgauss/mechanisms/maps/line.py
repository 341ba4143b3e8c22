"""The maps of the line, for d = 1: an increasing function divided by its sensitivity, ``width``.

Each has x = (width s)² and a relative error that tends to sqrt(e^x - 1). Proof: proofs/isometric.md.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr

from relgauss.accounting.quadrature import unit_rule
from relgauss.arrays import FloatArray
from relgauss.mechanisms.maps.base import LOG_RANGE, ULP, UnitMap
from relgauss.mechanisms.sensitivity import RelativeSensitivity

_REACH = 12.0  # standard deviations of the noise that hold all but e^-70 of it
_FAR = 38.0  # standard deviations: past them no sign is flipped in a lifetime
_MARKER = 64.0  # standard deviations of noise that tell the signs apart where r = 0
_SMALL_NOISE = 0.05  # below, the closed form of the sign flip would lose digits


def line_map(bound: RelativeSensitivity, noise_multiplier: float) -> LineMap:
    """The map for a bound on numbers: by its form, its floor and the signs that occur."""
    eta, r = bound.eta, bound.r
    if r == 0:
        return LogMap(eta) if bound.nonnegative else SignedLogMap(eta, _MARKER * noise_multiplier)
    if bound.form == "quadratic":
        return AsinhMap(eta, r, bound.nonnegative)
    return Log1pMap(eta, r) if bound.nonnegative else SignedLog1pMap(eta, r)


class LineMap(UnitMap):
    """One coordinate, logarithmic in the answer's size."""

    coordinates = 1

    @property
    @abstractmethod
    def width(self) -> float:
        """The sensitivity of the function before it is divided."""

    def decode(self, z: FloatArray) -> FloatArray:
        return self.estimate(z, 0.0)

    def limiting_relative_error(self, s: float) -> float:
        return math.sqrt(math.expm1(self.x(s)))

    def log_noise(self, s: float) -> float:
        return self.width * s

    def float_error(self) -> float:
        return 8 * ULP * LOG_RANGE / self.width

    def x(self, s: float) -> float:
        """The variance of the noise before it is divided."""
        return (self.width * s) ** 2


@dataclass(frozen=True)
class AsinhMap(LineMap):
    """Quadratic form: z = asinh(eta q/r)/width, width 2 artanh(eta/2), or asinh(eta) for answers >= 0.

    estimate = (r/eta) sinh(width Z) e^{-x/2}: without bias,
    E(estimate - q)² = q² (e^x - 1) + (r/eta)² sinh x.
    """

    eta: float
    r: float
    nonnegative: bool

    @property
    def width(self) -> float:
        return math.asinh(self.eta) if self.nonnegative else 2 * math.atanh(self.eta / 2)

    def encode(self, answer: FloatArray) -> FloatArray:
        return np.arcsinh(self.eta * answer / self.r) / self.width

    def estimate(self, z: FloatArray, s: float) -> FloatArray:
        return self.r / self.eta * np.sinh(self.width * z) * math.exp(-self.x(s) / 2)

    def mean_squared_error(self, norm: float, s: float) -> float:
        floor = self.r / self.eta
        return norm * norm * math.expm1(self.x(s)) + floor * floor * math.sinh(self.x(s))


@dataclass(frozen=True)
class Log1pMap(LineMap):
    """Linear form, answers >= 0: z = log(1 + eta q/r)/width, width log(1 + eta).

    estimate = (r/eta) (exp(width Z - x/2) - 1): without bias, E(estimate - q)² = (q + r/eta)² (e^x - 1).
    """

    eta: float
    r: float

    @property
    def width(self) -> float:
        return math.log1p(self.eta)

    def encode(self, answer: FloatArray) -> FloatArray:
        return np.log1p(self.eta * answer / self.r) / self.width

    def estimate(self, z: FloatArray, s: float) -> FloatArray:
        return self.r / self.eta * np.expm1(self.width * z - self.x(s) / 2)

    def mean_squared_error(self, norm: float, s: float) -> float:
        size = norm + self.r / self.eta
        return size * size * math.expm1(self.x(s))


@dataclass(frozen=True)
class SignedLog1pMap(LineMap):
    """Linear form, any sign, eta < 2: z = sign(q) log(1 + eta |q|/r)/width, width 2 log(2/(2-eta)).

    estimate = sign(Z) (r/eta) (exp(width |Z| - x/2) - 1). No decoder of this map is without bias; this
    one's bias vanishes at 0 and falls off like the chance that the noise flips the sign.
    """

    eta: float
    r: float

    @property
    def width(self) -> float:
        return -2 * math.log1p(-self.eta / 2)

    def encode(self, answer: FloatArray) -> FloatArray:
        return np.sign(answer) * np.log1p(self.eta * np.abs(answer) / self.r) / self.width

    def estimate(self, z: FloatArray, s: float) -> FloatArray:
        return np.sign(z) * (self.r / self.eta) * np.expm1(self.width * np.abs(z) - self.x(s) / 2)

    def mean_squared_error(self, norm: float, s: float) -> float:
        """That of Log1pMap, corrected for the half-line where the noise flips the sign."""
        answer, tau, floor = self.eta * norm / self.r, self.width * s, self.r / self.eta
        square = _flipping_error(answer, tau) if tau > _SMALL_NOISE else _small_flipping_error(answer, tau)
        return floor * floor * square

    def bias(self, norm: float, s: float) -> float:
        """What flipped signs leave, at most (r/eta) x times their probability."""
        return self.r / self.eta * _flipping_bias(self.eta * norm / self.r, self.width * s)


@dataclass(frozen=True)
class LogMap(LineMap):
    """r = 0, answers > 0: z = log(q)/width, width log(1 + eta).

    estimate = exp(width Z - x/2): without bias, E(estimate - q)² = q² (e^x - 1).
    """

    eta: float

    @property
    def width(self) -> float:
        return math.log1p(self.eta)

    def encode(self, answer: FloatArray) -> FloatArray:
        return np.log(answer) / self.width

    def estimate(self, z: FloatArray, s: float) -> FloatArray:
        return np.exp(self.width * z - self.x(s) / 2)

    def mean_squared_error(self, norm: float, s: float) -> float:
        return norm * norm * math.expm1(self.x(s))


@dataclass(frozen=True)
class SignedLogMap(LogMap):
    """r = 0, any sign, eta < 2: neighbours share their sign, so z = ( log|q|/width, marker·sign(q) ).

    The marker is 64 standard deviations of the noise: equal for neighbours, so free, and misread with a
    probability below 1e-890.
    """

    marker: float

    coordinates = 2

    def encode(self, answer: FloatArray) -> FloatArray:
        return np.append(super().encode(np.abs(answer)), self.marker * np.sign(answer))

    def estimate(self, z: FloatArray, s: float) -> FloatArray:
        return np.sign(z[..., 1:]) * super().estimate(z[..., :1], s)


def _flipping_bias(answer: float, tau: float) -> float:
    """E g - answer for g and Y as in ``_flipping_error``: (5) of the page that ``base`` cites."""
    y = math.log1p(answer)
    m = y / tau
    if m > _FAR:
        return 0.0
    if tau > _SMALL_NOISE:
        tails = (math.exp(a * y + float(log_ndtr(-m - a * tau))) for a in (1, -1))
        return 2 * math.exp(float(log_ndtr(-m))) - sum(tails)
    n, weights = _normal_rule(m, m + _REACH)
    cosh_less_one = 2 * np.sinh(tau * (n - m) / 2) ** 2
    return -2 * float(weights @ (math.expm1(-tau * tau / 2) + math.exp(-tau * tau / 2) * cosh_less_one))


def _flipping_error(answer: float, tau: float) -> float:
    """E(g - answer)², g = sign(Y) (exp(|Y| - x/2) - 1), Y ~ N(log(1 + answer), x), x = tau²: closed form."""
    x, y = tau * tau, math.log1p(answer)

    def flipped(a: float) -> float:
        """E[exp(a Y - a² x/2); Y < 0]."""
        return math.exp(a * y + float(log_ndtr(-y / tau - a * tau)))

    # There the estimate is 1 - exp(-Y - x/2), in place of exp(Y - x/2) - 1.
    low, high = 1 - answer, 1 + answer
    actual = math.exp(x) * flipped(-2) - 2 * low * flipped(-1) + low * low * flipped(0)
    smooth = math.exp(x) * flipped(2) - 2 * high * flipped(1) + high * high * flipped(0)
    return high * high * math.expm1(x) + actual - smooth


def _small_flipping_error(answer: float, tau: float) -> float:
    """The same for small noise, where the closed form cancels: by quadrature on both sides of the flip.

    With Y = y + tau n, g - answer is (1 + answer) expm1(tau n - x/2); for Y < 0, -(expm1(-Y - x/2) + answer).
    """
    x, y = tau * tau, math.log1p(answer)
    flip = max(-y / tau, -_REACH)
    n, weights = _normal_rule(flip, _REACH)
    kept = (1 + answer) * np.expm1(tau * n - x / 2)
    total = float(weights @ (kept * kept))
    n, weights = _normal_rule(-_REACH, flip)
    turned = np.expm1(-(y + tau * n) - x / 2) + answer
    return total + float(weights @ (turned * turned))


def _normal_rule(start: float, end: float) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights for the standard normal law between two points: panels of one standard deviation."""
    nodes, weights = unit_rule(20)
    edges = np.linspace(start, end, 2 + int(end - start))
    widths = np.diff(edges)[:, None]
    n = (edges[:-1, None] + widths * nodes).ravel()
    return n, (widths * weights).ravel() * np.exp(-n * n / 2) / math.sqrt(2 * math.pi)
