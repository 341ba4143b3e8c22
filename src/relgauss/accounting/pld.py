"""The privacy loss of many uses together, with its own rounding error bounded and charged.

With the tilt q(l) = p(l) e^{lambda l}/M of each use's atoms and T uses,

    delta(epsilon) = (mass at infinity) + M^T e^{-lambda epsilon} sum_l q^{*T}(l) w(l - epsilon)
    w(x) = e^{-lambda x} (1 - e^{-x}) for x > 0, else 0

The FFT then works where the answer lies, and its error is relative to delta instead of absolute:
delta = 1e-100 is as reliable as delta = 1e-3. Proof: proofs/composition.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.fft import irfft, rfft
from scipy.optimize import minimize_scalar

from relgauss.accounting import guard
from relgauss.accounting.guarantees import Guarantee
from relgauss.accounting.guarded import Guarded
from relgauss.accounting.loss_grid import Atoms, atoms, tilted_rounding
from relgauss.accounting.solve import least_epsilon
from relgauss.arrays import FloatArray

_UNIT = 2.0**-53
_TAIL = 1e-6  # share of delta that grids may cut off at their upper ends, all uses together
_LEAST_TAIL = 1e-305
_OUTSIDE = 1e-13  # mass of the tilted loss that may lie outside the FFT's window
_MAX_WINDOW = 2**21
_ENOUGH = math.log(_OUTSIDE / 2)  # on either side of the window
_FRACTIONS = 0.5 ** np.arange(7.0)  # of the best exponent for a Gaussian: heavier tails want smaller ones

Uses = Sequence[tuple[Guarantee, int]]


def epsilon(parts: Uses, delta: float) -> float:
    """The least epsilon of all uses at this delta, leaks apart; infinite where no grid fits."""
    total = _TotalLoss.of(parts, delta)
    return math.inf if total is None else total.epsilon(delta)


def log_delta(parts: Uses, epsilon: float, guess: float) -> float:
    """log delta of all uses at this epsilon, leaks apart; ``guess`` its rough size; 0 where no grid fits."""
    total = _TotalLoss.of(parts, guess)
    return 0.0 if total is None else total.log_delta(epsilon)


@dataclass(frozen=True)
class _TotalLoss:
    """The sum of independent losses, each part's atoms drawn ``times`` times."""

    parts: Sequence[tuple[Atoms, int]]

    @classmethod
    def of(cls, parts: Uses, delta: float) -> _TotalLoss | None:
        uses = sum(times for _, times in parts)
        guarded = [(Guarded.of(part), times) for part, times in parts]
        grids = atoms(guarded, max(delta * _TAIL / uses, _LEAST_TAIL))
        return None if grids is None else cls(grids)

    def epsilon(self, delta: float) -> float:
        log_target = math.log(delta)

        def bound(tilt: float) -> float:
            return (self._log_moment(tilt) + _log_peak(tilt) - log_target) / tilt

        tilt = _minimise(bound)
        window = self._window(tilt)
        return math.inf if window is None else least_epsilon(window.log_delta, log_target, bound(tilt))

    def log_delta(self, epsilon: float) -> float:
        window = self._window(
            _minimise(lambda tilt: self._log_moment(tilt) + _log_peak(tilt) - tilt * epsilon)
        )
        return 0.0 if window is None else window.log_delta(epsilon)

    def _log_moment(self, tilt: float) -> float:
        return math.fsum(times * part.tilted(tilt)[0] for part, times in self.parts)

    def _window(self, tilt: float) -> _TiltedWindow | None:
        """Convolve the tilted atoms on a window that holds all but a bounded part of their mass."""
        gap = self.parts[0][0].gap
        log_moments, means, variances, roundings = [], [], [], []
        tilted: list[tuple[FloatArray, FloatArray, int]] = []
        for part, times in self.parts:
            log_m, masses = part.tilted(tilt)
            centre = float(masses @ part.losses)
            log_moments.append(times * log_m)
            means.append(times * centre)
            variances.append(times * float(masses @ (part.losses - centre) ** 2))
            roundings.append(times * tilted_rounding(part, tilt, log_m))
            tilted.append((part.indices, masses, times))
        log_moment, mean, variance = map(math.fsum, (log_moments, means, variances))
        half, outside = 6 * math.sqrt(variance) + 2 * gap, 1.0
        while outside > _OUTSIDE:
            half *= 1.5
            if not 2 * half < gap * _MAX_WINDOW:
                return None
            outside = self._mass_outside(tilt, log_moment, mean, half, variance)
        size = 2 ** math.ceil(math.log2(2 * half / gap + 2))
        start = math.floor((mean - size * gap / 2) / gap)
        masses, error = _convolve(tilted, size)
        at_infinity = -math.expm1(-guard.total(-times * math.log1p(-part.leak) for part, times in self.parts))
        return _TiltedWindow(
            tilt=tilt,
            log_moment=log_moment + guard.total(roundings),
            losses=gap * (start + np.arange(size)),
            masses=np.maximum(np.roll(masses, -(start % size)), 0.0),
            error=error,
            outside=outside,
            at_infinity=at_infinity * (1 + 1e-12),
        )

    def _mass_outside(
        self, tilt: float, log_moment: float, mean: float, half: float, variance: float
    ) -> float:
        """Chernoff bound on the tilted total's mass further than ``half`` from its mean."""
        if not half * half < variance * 1e6:  # no spread that a tilt could see
            return 1.0
        bound = 0.0
        for side in (1, -1):
            least = 0.0
            for s in half / variance * _FRACTIONS:
                exponent = self._log_moment(tilt + side * s) - log_moment - side * s * mean - s * half
                least = min(least, exponent)
                if least < _ENOUGH:
                    break
            bound += math.exp(least)
        return bound


@dataclass(frozen=True)
class _TiltedWindow:
    """The tilted total on the window, and everything that may be wrong with it."""

    tilt: float
    log_moment: float
    losses: FloatArray
    masses: FloatArray
    error: float  # L2 norm of the rounding error of ``masses``
    outside: float
    at_infinity: float

    def log_delta(self, epsilon: float) -> float:
        if not math.isfinite(self.error + self.tilt * epsilon):
            return 0.0
        # Past the last loss taken the weights are below e^-60, and the masses sum to one.
        first, last = np.searchsorted(self.losses, [epsilon, epsilon + 60 / self.tilt], side="right")
        x = self.losses[first:last] - epsilon
        weights = np.exp(-self.tilt * x) * -np.expm1(-x)
        total = float(self.masses[first:last] @ weights) * (1 + len(x) * 4 * _UNIT)
        slack = self.error * float(np.linalg.norm(weights)) + self.outside + math.exp(-60)
        exponent = self.log_moment - self.tilt * epsilon
        exponent += 4 * _UNIT * (abs(self.log_moment) + self.tilt * epsilon)
        finite = exponent + math.log(max(total + slack, math.ulp(0.0)))
        return guard.log_delta(float(np.logaddexp(finite, math.log(max(self.at_infinity, math.ulp(0.0))))))


def _convolve(tilted: Sequence[tuple[FloatArray, FloatArray, int]], size: int) -> tuple[FloatArray, float]:
    """The circular convolution of all parts, and a bound on the L2 norm of its rounding error.

    A transform errs by at most 8 u log2(size) in relative L2 norm (Higham 2002, Theorem 24.2). All transforms
    are at most one in modulus, so a T-fold product multiplies absolute errors by at most T; computed ones may
    exceed one by so little that this costs a factor below 2, or else the bound is infinite.
    """
    transform_error = 8 * _UNIT * math.log2(size)
    product: np.ndarray[tuple[int], np.dtype[np.complex128]] | None = None
    error = excess = 0.0
    for indices, masses, times in tilted:
        wrapped = np.bincount(indices.astype(np.int64) % size, weights=masses, minlength=size)
        transform = rfft(wrapped)
        power = np.abs(transform) ** times * np.exp(1j * times * np.angle(transform))
        product = power if product is None else product * power
        norm = float(np.linalg.norm(wrapped))
        error += (times * (transform_error + 16 * _UNIT) + transform_error) * norm
        excess += times * transform_error * math.sqrt(size) * norm
    return irfft(product, size), 2 * error if excess < 0.5 else math.inf


def _log_peak(tilt: float) -> float:
    """log of the largest w(x), reached at x = log(1 + 1/tilt): what the sum in delta is at most."""
    return -tilt * math.log1p(1 / tilt) - math.log1p(tilt)


def _minimise(objective: Callable[[float], float]) -> float:
    """The tilt of the best bound; any other would be valid, only less precise."""
    found = minimize_scalar(lambda x: objective(math.exp(x)), bounds=(-15, 15), method="bounded")
    return math.exp(float(found.x))
