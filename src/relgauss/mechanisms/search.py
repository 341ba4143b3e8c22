"""The one search for the least noise that meets a target.

It runs over the signal, the inverse of a noise level, with which epsilon grows, and ends below the target.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

from scipy.optimize import brentq

from relgauss.errors import UnreachableTargetError

_MARGIN = 20  # times the precision: the search aims so far below the target, to end below it


def largest_signal_near(
    epsilon: Callable[[float], float],
    target: float,
    guess: float,
    unreachable: Callable[[float], UnreachableTargetError],
) -> float:
    """The same, from a guess: the ends are found by doubling and halving, a millionfold at most."""
    epsilon = cache(epsilon)
    low = guess
    while not epsilon(low) <= target:
        low /= 2
        if low < guess * 1e-6:
            raise unreachable(epsilon(low))
    high = 2 * low
    while epsilon(high) <= target and high < guess * 1e6:
        low, high = high, 2 * high
    return largest_signal(epsilon, target, low, high, unreachable)


def largest_signal(
    epsilon: Callable[[float], float],
    target: float,
    least: float,
    most: float,
    unreachable: Callable[[float], UnreachableTargetError],
    precision: float = 1e-5,
) -> float:
    """The largest signal between two ends at which epsilon was computed and is no more than the target.

    Parameters
    ----------
    epsilon
        What a signal costs, an increasing function: of this mechanism alone, or with everything else that the
        same budget pays for.
    target
        The epsilon to stay at or below.
    least, most
        The ends, both above zero. A smaller signal than ``least`` would change epsilon in no digit that
        matters: if even that one is too dear, the target is out of reach.
    unreachable
        The error to raise then, from the least epsilon.
    precision
        The result is this near the exact one, relatively.
    """
    epsilon = cache(epsilon)
    floor, aim = epsilon(least), target * (1 - _MARGIN * precision)
    if not floor <= target:  # NaN meets nothing
        raise unreachable(floor)
    if floor > aim:
        return least
    if epsilon(most) <= target:
        return most

    def excess(log_signal: float) -> float:
        value = epsilon(math.exp(log_signal)) - aim
        return value if value <= 1e300 else 1e300

    low, high = math.log(least), math.log(most)
    if excess(low) > 0:  # exp(log(least)) is rounded
        return least
    found = float(brentq(excess, low, high, xtol=precision))
    while not epsilon(math.exp(found)) <= target:
        found -= precision
        if found <= low:
            return least
    return math.exp(found)
