"""One-dimensional searches that end on the private side of the root.

Each returns a point at which the bound was evaluated and holds, never one that is merely close.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy.optimize import brentq, minimize_scalar

from relgauss.errors import NoGuaranteeError

Bound = Callable[[float], float]

_LEAST_ROOM = 1e-14  # between order one and the limit: with less there are too few doubles to search among


def least_epsilon(log_delta: Bound, log_target: float, upper: float, precision: float = 1e-13) -> float:
    """The least epsilon >= 0 with log_delta(epsilon) <= log_target, for a decreasing log_delta.

    ``upper`` is a guess at it; the result is about this ``precision`` above it, relatively.
    """
    log_target = _below(log_target)
    if log_delta(0.0) <= log_target:
        return 0.0
    upper = _expand(log_delta, log_target, max(upper, 1e-12))
    if math.isinf(upper):
        return upper
    while log_delta(upper / 16) <= log_target:  # bracket the root by its size, however small
        upper /= 16
        if upper < 1e-290:
            return upper
    root = brentq(
        lambda x: _finite(log_delta(x) - log_target), upper / 16, upper, xtol=1e-300, rtol=precision
    )
    return _walk(log_delta, log_target, root, upper, precision)


def largest_allowed(log_delta: Bound, log_target: float, upper: float) -> float:
    """The largest x in (0, upper) with log_delta(x) <= log_target, for an increasing log_delta."""
    log_target = _below(log_target)
    lower = upper
    while not log_delta(lower) <= log_target:  # NaN holds nothing
        lower /= 16
        if lower < 1e-280:
            raise NoGuaranteeError(
                "No noise level of a representable size reaches this target.",
                "Ask for a larger epsilon or delta.",
            )
    if lower == upper:
        return upper
    root = brentq(lambda x: _finite(log_delta(x) - log_target), lower, 16 * lower, xtol=1e-300, rtol=1e-13)
    return _walk(log_delta, log_target, root, lower)


def _below(log_target: float) -> float:
    """A logarithm that was rounded to the nearest double, rounded down."""
    return log_target - 1e-15 * (1 + abs(log_target))


def _expand(log_delta: Bound, log_target: float, upper: float) -> float:
    """Double upper until the bound holds there; infinity where it never does."""
    while not log_delta(upper) <= log_target:
        upper *= 2
        if not math.isfinite(upper):
            return math.inf
    return upper


def _walk(log_delta: Bound, log_target: float, root: float, safe: float, precision: float = 1e-13) -> float:
    """Step from the root towards the safe end until the bound holds: at most to the safe end itself."""
    step = math.copysign(precision * root, safe - root)
    while not log_delta(root) <= log_target:
        root += step
        step *= 2
        if (root - safe) * step >= 0:
            return safe
    return root


def _finite(value: float) -> float:
    """Searches need numbers: an infinite value keeps its sign, and NaN is as bad as infinity."""
    return max(value, -1e300) if value <= 1e300 else 1e300


def least_over_orders(objective: Bound, limit: float) -> tuple[float, float]:
    """Minimise objective(alpha) over 1 < alpha < limit; return (alpha, value), infinite if there is no order.

    Every order gives a valid bound, so an imperfect minimum is safe. The search runs over log(alpha - 1).
    """
    if not limit - 1 > _LEAST_ROOM:
        return 1.0, math.inf
    top = math.log(min(limit - 1, 1e12))
    bottom = min(math.log(1e-9), top - 10)

    def value(x: float) -> float:
        alpha = 1 + math.exp(x)
        return objective(alpha) if 1 < alpha < limit else math.inf

    count = 60
    grid = [bottom + (top - bottom) * (i + 0.5) / count for i in range(count)]
    values = [_finite(value(x)) for x in grid]
    best = min(range(count), key=values.__getitem__)
    low = grid[best - 1] if best > 0 else bottom
    high = grid[best + 1] if best < count - 1 else top
    found = minimize_scalar(
        lambda x: _finite(value(x)), bounds=(low, high), method="bounded", options={"xatol": 1e-10}
    )
    at = float(found.x) if found.fun <= values[best] else grid[best]
    return 1 + math.exp(at), value(at)
