"""The privacy loss of many uses together, with its own rounding error bounded and charged.

With the tilt q(l) = p(l) e^{lambda l}/M of each use's atoms and T uses,

    delta(epsilon) = (mass at infinity) + M^T e^{-lambda epsilon} sum_l q^{*T}(l) w(l - epsilon)
    w(x) = e^{-lambda x} (1 - e^{-x}) for x > 0, else 0

The FFT then works where the answer lies, and its error is relative to delta instead of absolute:
delta = 1e-100 is as reliable as delta = 1e-3. Proof: proofs/composition.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from scipy.optimize import minimize_scalar

from relgauss.accounting import guard
from relgauss.accounting.adjacency import Order
from relgauss.accounting.guarantees import Guarantee
from relgauss.accounting.guarded import Guarded
from relgauss.accounting.loss_grid import Atoms, atoms, tilted_rounding
from relgauss.accounting.solve import least_epsilon
from relgauss.accounting.tilted_window import TiltedWindow, convolve, log_peak

_UNIT = 2.0**-53
_TAIL = 1e-6  # share of delta that grids may cut off at their upper ends, all uses together
_LEAST_TAIL = 1e-305
_OUTSIDE = 1e-13  # mass of the tilted loss that may lie outside the FFT's window
_MAX_WINDOW = 2**21
_PRECISION = 1e-9  # of an epsilon that is read from a window
_NEGLIGIBLE = math.log(1e-5)  # share of delta that the errors of a window may come to
_ENOUGH = math.log(_OUTSIDE / 2)  # on either side of the window
_FRACTIONS = tuple(
    0.6**k for k in range(28)
)  # of the best exponent for a Gaussian: heavier tails want smaller ones
_COARSER = (1.0, 3.0, 10.0)  # grids
_TILTS = tuple(0.5**k for k in range(8))  # of the tilt of the best bound

Uses = Sequence[tuple[Guarantee, int]]


def epsilon(parts: Uses, delta: float) -> float:
    """The least epsilon of all uses at this delta, leaks apart; infinite where no grid fits."""
    found = 0.0
    for order in _orders(parts):
        found = max(found, _epsilon(parts, delta, order, found))
    return found


def log_delta(parts: Uses, epsilon: float, guess: float) -> float:
    """log delta of all uses at this epsilon, leaks apart; ``guess`` its rough size; 0 where no grid fits."""
    return log_delta_near(parts, epsilon, guess)(epsilon)


def log_delta_near(parts: Uses, epsilon: float, guess: float) -> Callable[[float], float]:
    """log delta as a function of epsilon: proven wherever it is read, and tight near this ``epsilon``."""
    by_order = [_bounds_near(parts, epsilon, guess, order) for order in _orders(parts)]
    return lambda at: max(min((bound(at) for bound in bounds), default=0.0) for bounds in by_order)


def _epsilon(parts: Uses, delta: float, order: Order, known: float) -> float:
    """In this order; where it is below the ``known`` epsilon of the other, any bound below that will do."""
    log_target, least = math.log(delta), math.inf
    for total in _totals(parts, delta, order):
        tilt = _minimise(partial(total.epsilon_bound, log_target=log_target))
        upper = total.epsilon_bound(tilt, log_target)
        least = min(least, total.proven_epsilon(tilt, delta))
        if least <= known:
            return known
        window, is_precise = total.window(tilt, upper, log_target)
        if window is not None:
            least = min(least, least_epsilon(window.log_delta, log_target, upper, _PRECISION))
            if is_precise:
                break
    return least


def _bounds_near(parts: Uses, epsilon: float, guess: float, order: Order) -> list[Callable[[float], float]]:
    """Bounds on log delta in this order, each proven at every epsilon."""
    found: list[Callable[[float], float]] = []
    for total in _totals(parts, guess, order):
        tilt = _minimise(partial(total.log_delta_bound, epsilon=epsilon))
        found.append(partial(total.proven_log_delta, tilt))
        window, is_precise = total.window(tilt, epsilon, total.log_delta_bound(tilt, epsilon))
        if window is not None:
            found.append(window.log_delta)
            if is_precise:
                break
    return found


def _totals(parts: Uses, delta: float, order: Order) -> Iterator[_TotalLoss]:
    """The total loss on a grid that is fine enough, then on coarser ones, whose windows reach further."""
    uses = sum(times for _, times in parts)
    guarded = [(Guarded.of(part), times) for part, times in parts]
    for coarser in _COARSER:
        grids = atoms(guarded, delta, max(delta * _TAIL / uses, _LEAST_TAIL), order, coarser)
        if grids is None:
            return
        yield _TotalLoss(grids)


def _orders(parts: Uses) -> tuple[Order, ...]:
    """Both, unless all parts are the same in both: two tables are in one order at every step."""
    return ("removed",) if all(Guarded.of(part).is_symmetric for part, _ in parts) else ("removed", "added")


@dataclass(frozen=True)
class _TotalLoss:
    """The sum of independent losses, each part's atoms drawn ``times`` times."""

    parts: Sequence[tuple[Atoms, int]]

    def epsilon_bound(self, tilt: float, log_target: float) -> float:
        """What the tilt alone proves at this delta: a Chernoff bound."""
        return (self._log_moment(tilt) + log_peak(tilt) - log_target) / tilt

    def log_delta_bound(self, tilt: float, epsilon: float) -> float:
        """What the tilt alone proves at this epsilon."""
        return self._log_moment(tilt) + log_peak(tilt) - tilt * epsilon

    def proven_epsilon(self, tilt: float, delta: float) -> float:
        """The same bound, with what leaks and all roundings charged."""
        rest = delta - self.at_infinity
        if not rest > 0:
            return math.inf
        bound = self.epsilon_bound(tilt, math.log(rest)) + self._rounding(tilt) / tilt
        return guard.epsilon(bound * (1 + 1e-12) + 1e-12 / tilt)

    def proven_log_delta(self, tilt: float, epsilon: float) -> float:
        """The same bound, with what leaks and all roundings charged."""
        bound = self.log_delta_bound(tilt, epsilon) + self._rounding(tilt) + 1e-12 * (1 + tilt * epsilon)
        return guard.log_delta(float(np.logaddexp(bound, math.log(max(self.at_infinity, math.ulp(0.0))))))

    @cached_property
    def at_infinity(self) -> float:
        """The mass that leaks, of all uses."""
        log_kept = -guard.total(-times * math.log1p(-part.leak) for part, times in self.parts)
        return -math.expm1(log_kept) * (1 + 1e-12)

    def _rounding(self, tilt: float) -> float:
        """What rounding may take from the logarithm of the moments."""
        return guard.total(
            times * tilted_rounding(part, tilt, part.tilted(tilt)[0]) for part, times in self.parts
        )

    def _log_moment(self, tilt: float) -> float:
        return math.fsum(times * part.tilted(tilt)[0] for part, times in self.parts)

    def window(self, tilt: float, epsilon: float, log_delta: float) -> tuple[TiltedWindow | None, bool]:
        """A window for the total near epsilon, and whether its errors are nothing beside delta.

        The tilt of the best bound is the most precise. Where single losses are rare and large it spreads them
        far; a smaller one may need a shorter window, and still be precise.
        """
        frames = [frame for share in _TILTS if (frame := self._frame(tilt * share)) is not None]
        if not frames:
            return None, False

        def share_of_delta(frame: _Frame) -> float:
            return frame.log_moment - frame.tilt * epsilon + frame.log_slack - log_delta

        precise = [frame for frame in frames if share_of_delta(frame) < _NEGLIGIBLE]
        best = min(precise, key=lambda frame: frame.size) if precise else min(frames, key=share_of_delta)
        return self._convolved(best), bool(precise)

    def _frame(self, tilt: float) -> _Frame | None:
        """A window that holds all but a bounded part of the tilted mass; None where it would be too long."""
        log_moments, means, variances, norm = [], [], [], 0.0
        for part, times in self.parts:
            log_m, masses = part.tilted(tilt)
            centre = float(masses @ part.losses)
            norm += times * float(np.linalg.norm(masses))
            log_moments.append(times * log_m)
            means.append(times * centre)
            variances.append(times * float(masses @ (part.losses - centre) ** 2))
        log_moment, mean, variance = map(math.fsum, (log_moments, means, variances))
        gap = self.parts[0][0].gap
        sides = []
        for side in (-1, 1):
            reach, outside = 6 * math.sqrt(variance) + 2 * gap, 1.0
            while outside > _OUTSIDE / 2:
                reach *= 1.5
                if not reach < gap * _MAX_WINDOW:
                    return None
                outside = self._mass_outside(tilt, side, log_moment, mean, reach, variance)
            sides.append(reach)
        size = 2 ** math.ceil(math.log2(sum(sides) / gap + 2))
        # About what the window's errors come to: of the transforms, times the weights' norm, and outside.
        weights = 1 / (2 * tilt * (2 * tilt + 1) * (tilt + 1) * gap)
        slack = 16 * _UNIT * (math.log2(size) + 2) * norm * math.sqrt(weights) + _OUTSIDE
        return (
            _Frame(tilt, log_moment, mean - sides[0], size, math.log(slack)) if size <= _MAX_WINDOW else None
        )

    def _convolved(self, frame: _Frame) -> TiltedWindow:
        """Convolve the tilted atoms on the window."""
        gap, tilt, size = self.parts[0][0].gap, frame.tilt, frame.size
        tilted = [(part.indices, part.tilted(tilt)[1], times) for part, times in self.parts]
        start = math.floor(frame.lowest / gap)
        masses, error = convolve(tilted, size)
        return TiltedWindow(
            tilt=tilt,
            log_moment=frame.log_moment + self._rounding(tilt),
            losses=gap * (start + np.arange(size, dtype=np.float64)),
            masses=np.maximum(np.roll(masses, -(start % size)), 0.0),
            error=error,
            outside=_OUTSIDE,
            at_infinity=self.at_infinity,
        )

    def _mass_outside(
        self, tilt: float, side: int, log_moment: float, mean: float, reach: float, variance: float
    ) -> float:
        """Chernoff bound on the tilted total's mass further than ``reach`` from its mean, on one side."""
        if not reach * reach < variance * 1e6:  # no spread that a tilt could see
            return 1.0
        least = 0.0
        for share in _FRACTIONS:
            s = reach / variance * share
            exponent = self._log_moment(tilt + side * s) - log_moment - side * s * mean - s * reach
            if exponent > least < 0:  # convex in s: past its minimum
                break
            least = min(least, exponent)
            if least < _ENOUGH:
                break
        return math.exp(least)


@dataclass(frozen=True)
class _Frame:
    """Where a tilted total lies: from which loss on, and how many cells hold all but ``_OUTSIDE`` of it."""

    tilt: float
    log_moment: float
    lowest: float
    size: int
    log_slack: float


def _minimise(objective: Callable[[float], float]) -> float:
    """The tilt of the best bound; any other would be valid, only less precise."""
    found = minimize_scalar(lambda x: objective(math.exp(x)), bounds=(-15, 15), method="bounded")
    return math.exp(float(found.x))
