"""Exact divergences between two isotropic Gaussians of unlike variance.

    P = N(0, v I_d),   Q = N(c e_1, I_d),   v = 1 + w > 1,   c > 0

With k = 1 - 1/v, rho = c/k and t = ||x - rho e_1|| - rho, the privacy loss log p(x)/q(x) is

    L(t) = c t + k t²/2 + c²/2 - (d/2) log v,        increasing in t >= -rho

so every divergence is an integral over t of the non-central chi density. Proof: proofs/exact-pair.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from relgauss.accounting.noncentral import log_noncentral_chi
from relgauss.accounting.quadrature import CELL_NODES, CELL_WEIGHTS, log_integral
from relgauss.arrays import FloatArray

Order = Literal["forward", "reverse"]  # forward: the loss of P against Q; reverse: of Q against P

_REACH = 12.0  # standard deviations past mode and edge: beyond them the integrand is below e^-46 of its peak

_HOPELESS = 1e5  # a shift at which neighbours are told apart with certainty: delta is one
_FAR = 40.0  # standard deviations: e^(-39²/2) is below 1e-300
_NEXT_TO_NOTHING = 1e-300
_WIDE = 0.5  # standard deviations that eight nodes integrate to all digits


@dataclass(frozen=True)
class GaussianPair:
    """The pair (P, Q) by its shift c, its variance excess w = v - 1 and its dimension d."""

    shift: float
    excess: float
    dim: int

    def renyi(self, alpha: float) -> float:
        """The Rényi divergence D_alpha(P || Q), rounded up; infinite for alpha >= v/(v-1).

        alpha c²/(2(1-b)) + (d/2) [ -log1pmx(w) - log1pmx(-b)/(alpha-1) ],   b = (alpha-1) w
        """
        b = (alpha - 1) * self.excess
        if not b < 1:
            return math.inf
        mean = alpha * self.shift**2 / (2 * (1 - b))
        variance = self.dim / 2 * (-log1pmx(self.excess) - log1pmx(-b) / (alpha - 1))
        # 1 - b carries an absolute error of a few 2^-53: charge it, and a few roundings.
        return (mean + variance) * (1 + 1e-13 + 1e-15 / (1 - b))

    def hockey_stick(self, epsilon: float, order: Order) -> float:
        """H(epsilon) = sup over events A of p(A) - e^epsilon q(A), for any real epsilon, rounded up."""
        if epsilon < 0:  # the same pair, seen from the other side
            other: Order = "reverse" if order == "forward" else "forward"
            return -math.expm1(epsilon) + math.exp(epsilon) * self.hockey_stick(-epsilon, other)
        return math.exp(self.log_hockey_stick(epsilon, order))

    def log_hockey_stick(self, epsilon: float, order: Order) -> float:
        """log H(epsilon) for epsilon >= 0, rounded up: -inf where the loss never exceeds epsilon.

        H = integral of f(t) (1 - e^{epsilon - L(t)}) over {L > epsilon}: a positive integrand, so that
        nothing cancels and the value keeps its relative precision down to the smallest delta.
        """
        if self.shift > _HOPELESS:
            return 0.0
        edge = float(self._edges(np.array([epsilon]), order)[0])
        return min(0.0, self._log_integral_beyond(edge, order, hockey=True) + self._rounding())

    def profile(self, epsilon: FloatArray, order: Order) -> FloatArray:
        """H at ascending epsilons >= 0, rounded up: cell by cell from the top down.

        With A the mass above a point and g the step to the next,
        H_i = e^{-g} H_{i+1} + (1 - e^{-g}) A_{i+1} + (cell i).
        """
        if self.shift > _HOPELESS:
            return np.ones(len(epsilon))
        edges = self._edges(epsilon, order)
        start, width = edges[:-1, None], np.diff(edges)[:, None]
        x = width * CELL_NODES
        mass = np.exp(self._log_density(start + x, order)) * np.abs(width) * CELL_WEIGHTS
        hockey = (mass * -np.expm1(-self._loss_increase(start, x))).sum(axis=1)
        mass = mass.sum(axis=1)
        is_wide = np.abs(width[:, 0]) > _WIDE  # too wide for the cell rule
        is_far = is_wide & self._lies_far(edges[:-1], edges[1:], order)
        mass[is_far] = hockey[is_far] = _NEXT_TO_NOTHING
        for cell in np.flatnonzero(is_wide & ~is_far).tolist():
            edge, far = float(edges[cell]), float(width[cell, 0])
            mass[cell] = math.exp(self._log_integral(edge, far, order, hockey=False))
            hockey[cell] = math.exp(self._log_integral(edge, far, order, hockey=True))
        value = math.exp(self._log_integral_beyond(float(edges[-1]), order, hockey=True))
        above = math.exp(self._log_integral_beyond(float(edges[-1]), order, hockey=False))
        decay = np.exp(-np.diff(epsilon))
        growth = -np.expm1(-np.diff(epsilon))
        values = [value]
        for fall, rise, part, added in zip(
            decay[::-1].tolist(),
            growth[::-1].tolist(),
            hockey[::-1].tolist(),
            mass[::-1].tolist(),
            strict=True,
        ):
            value = fall * value + rise * above + part
            above += added
            values.append(value)
        return np.minimum(np.array(values[::-1]) * (1 + self._rounding()), 1.0)

    @property
    def _centre(self) -> float:
        """rho = c/k, the distance from P's mean to the centre of the loss."""
        return self.shift * (1 + self.excess) / self.excess

    def _rounding(self) -> float:
        """Relative error of the quadrature and of a log density whose terms are of size d log(R/rho)."""
        size = max(0.0, math.log(math.sqrt(self.dim) / self._centre))
        return 1e-11 + self.dim * (2e-15 + 8e-17 * size)

    def _edges(self, epsilon: FloatArray, order: Order) -> FloatArray:
        """The t at which the loss equals epsilon; -rho where it always stays below."""
        k = self.excess / (1 + self.excess)
        level = epsilon if order == "forward" else -epsilon
        y = level - self.shift**2 / 2 + self.dim / 2 * math.log1p(self.excess)
        root = np.sqrt(np.maximum(self.shift**2 + 2 * k * y, 0.0))
        return np.maximum(2 * y / (self.shift + root), -self._centre)

    def _loss_increase(self, start: FloatArray | float, x: FloatArray) -> FloatArray:
        """How far the losses at start and start + x differ: a difference of squares, without cancellation."""
        k = self.excess / (1 + self.excess)
        return np.abs(x * (self.shift + k * (start + x / 2)))

    def _log_density(self, t: FloatArray, order: Order) -> FloatArray:
        """Log density of t under P (forward) or Q (reverse)."""
        radius = np.maximum(self._centre + t, 1e-50 * self._centre)
        if order == "forward":
            return log_noncentral_chi(radius, t, self._centre, math.sqrt(1 + self.excess), self.dim)
        return log_noncentral_chi(radius, t + self.shift, self.shift / self.excess, 1.0, self.dim)

    def _lies_far(self, start: FloatArray, end: FloatArray, order: Order) -> NDArray[np.bool_]:
        """Whether all between start and end lies so far from the mode that its mass is below 1e-300.

        ||X|| moves no faster than X, so beyond s standard deviations from its mean lie at most 2 e^{-s²/2};
        the mean of ||X||, X ~ N(m, std² I_d), is between sqrt(||m||² + std² (d-1)) and sqrt(||m||² + std² d),
        within one std of what ``_mode`` returns.
        """
        mode, std = self._mode_and_std(order)
        return (np.minimum(start, end) > mode + _FAR * std) | (np.maximum(start, end) < mode - _FAR * std)

    def _mode_and_std(self, order: Order) -> tuple[float, float]:
        """Where t is most likely, closely enough to place a window, and its standard deviation at most."""
        if order == "forward":
            std = math.sqrt(1 + self.excess)
            return _mode(self._centre, std, self.dim), std
        return _mode(self.shift / self.excess, 1.0, self.dim) - self.shift, 1.0

    def _log_integral_beyond(self, edge: float, order: Order, *, hockey: bool) -> float:
        """Log of the mass where the loss exceeds that at edge, weighted by 1 - e^{-excess loss} if hockey."""
        far = math.inf if order == "forward" else -self._centre - edge
        return self._log_integral(edge, far, order, hockey=hockey)

    def _log_integral(self, edge: float, far: float, order: Order, *, hockey: bool) -> float:
        """The same between edge and edge + far, as far as there is anything to integrate."""
        mode, std = self._mode_and_std(order)
        if order == "forward":
            far = min(far, max(0.0, mode - edge) + _REACH * std)
        else:
            far = max(far, min(0.0, mode - edge) - _REACH * std)
        if far == 0:
            return -math.inf

        def log_integrand(x: FloatArray) -> FloatArray:  # x = t - edge, which keeps its digits
            value = self._log_density(edge + x, order)
            if hockey:
                value = value + np.log(-np.expm1(-self._loss_increase(edge, x)))
            return value

        return log_integral(log_integrand, far)


def _mode(centre: float, std: float, dim: int) -> float:
    """Where ||X - m|| - ||m|| is most likely, closely enough to place a window."""
    spread = std**2 * (dim - 1)
    return spread / (math.hypot(centre, math.sqrt(spread)) + centre)


def log1pmx(x: float) -> float:
    """log(1 + x) - x, to full relative precision for -1 < x."""
    if abs(x) > 0.05:
        return math.log1p(x) - x
    total, power = 0.0, -x
    for n in range(2, 16):
        power *= -x
        total -= power / n
    return total
