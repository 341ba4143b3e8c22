"""From a Rényi curve to (epsilon, delta), optimised over real orders. Proof: proofs/conversions.md.

tight    epsilon = D(alpha) + log(1 - 1/alpha) - log(delta alpha)/(alpha - 1)
         (Canonne, Kamath, Steinke 2020, Proposition 12)
Mironov  epsilon = D(alpha) + log(1/delta)/(alpha - 1)
         (Mironov 2017, Proposition 3)
"""

from __future__ import annotations

import math
from collections.abc import Callable

from relgauss.accounting import guard
from relgauss.accounting.solve import least_over_orders

RenyiCurve = Callable[[float], float]

_ROUNDING = 1e-15  # of a few additions of numbers good to two units in the last place


def rdp_to_epsilon(curve: RenyiCurve, limit: float, delta: float) -> tuple[float, float]:
    """Return (alpha, epsilon) of the tight conversion at its best order below the limit."""

    def at(alpha: float) -> float:
        return tight_epsilon(_read(curve, alpha), alpha, delta)

    return _rounded_up(*least_over_orders(at, limit))


def tight_epsilon(divergence: float, alpha: float, delta: float) -> float:
    """The tight conversion at one order, rounded up."""
    # The logarithms apart: delta·alpha would lose its digits where delta has few.
    room = alpha - 1
    terms = (divergence, _log_share(alpha), -math.log(delta) / room, -math.log(alpha) / room)
    return sum(terms) + _ROUNDING * sum(map(abs, terms))


def rdp_to_epsilon_mironov(curve: RenyiCurve, limit: float, delta: float) -> tuple[float, float]:
    """Return (alpha, epsilon) of Mironov's conversion at its best order below the limit."""

    def at(alpha: float) -> float:
        return _read(curve, alpha) - math.log(delta) / (alpha - 1)

    return _rounded_up(*least_over_orders(at, limit))


def rdp_to_log_delta(curve: RenyiCurve, limit: float, epsilon: float) -> tuple[float, float]:
    """Return (alpha, log delta) of the tight conversion at its best order below the limit."""

    def at(alpha: float) -> float:
        divergence, loss = _read(curve, alpha), _log_share(alpha)
        slack = 1e-14 * (1 + (alpha - 1) * (epsilon + divergence))
        return (alpha - 1) * (divergence - epsilon + loss) - math.log(alpha) + slack

    alpha, log_delta = least_over_orders(at, limit)
    return alpha, guard.log_delta(log_delta)


def _log_share(alpha: float) -> float:
    """log(1 - 1/alpha), to full precision near order one too."""
    return math.log1p(-1 / alpha) if alpha > 2 else math.log((alpha - 1) / alpha)


def _read(curve: RenyiCurve, alpha: float) -> float:
    return guard.divergence(guard.read(lambda: curve(alpha)))


def _rounded_up(alpha: float, epsilon: float) -> tuple[float, float]:
    return alpha, guard.epsilon(epsilon) * (1 + 1e-13)
