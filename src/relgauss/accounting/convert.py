"""From a Rényi curve to (epsilon, delta), optimised over real orders. Proof: proofs/conversions.md.

tight    epsilon = D(alpha) + log(1 - 1/alpha) - log(delta alpha)/(alpha - 1)
         (Canonne, Kamath, Steinke 2020, Proposition 12)
Mironov  epsilon = D(alpha) + log(1/delta)/(alpha - 1)
         (Mironov 2017, Proposition 3)
"""

from __future__ import annotations

import math
from collections.abc import Callable

from relgauss.accounting.solve import least_over_orders

RenyiCurve = Callable[[float], float]


def rdp_to_epsilon(curve: RenyiCurve, limit: float, delta: float) -> tuple[float, float]:
    """Return (alpha, epsilon) of the tight conversion at its best order below the limit."""

    def at(alpha: float) -> float:
        return curve(alpha) + math.log1p(-1 / alpha) - math.log(delta * alpha) / (alpha - 1)

    return _rounded_up(*least_over_orders(at, limit))


def rdp_to_epsilon_mironov(curve: RenyiCurve, limit: float, delta: float) -> tuple[float, float]:
    """Return (alpha, epsilon) of Mironov's conversion at its best order below the limit."""
    return _rounded_up(*least_over_orders(lambda alpha: curve(alpha) - math.log(delta) / (alpha - 1), limit))


def rdp_to_log_delta(curve: RenyiCurve, limit: float, epsilon: float) -> tuple[float, float]:
    """Return (alpha, log delta) of the tight conversion at its best order below the limit."""

    def at(alpha: float) -> float:
        return (alpha - 1) * (curve(alpha) - epsilon + math.log1p(-1 / alpha)) - math.log(alpha)

    alpha, log_delta = least_over_orders(at, limit)
    slack = 1e-14 * (1 + (alpha - 1) * (epsilon + curve(alpha)))
    return alpha, min(0.0, log_delta + slack)


def _rounded_up(alpha: float, epsilon: float) -> tuple[float, float]:
    return alpha, max(0.0, epsilon) * (1 + 1e-13)
