"""Integrals of unimodal functions, in log space."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from relgauss.arrays import FloatArray

_DROP = 46.0  # parts below e^-46 of the peak lie beneath every digit kept
_SHRINKS = 10
_NOTHING = -1e4  # an integrand below e^-10000 everywhere: a bound of e^-5000 is below every delta there is


def unit_rule(count: int) -> tuple[FloatArray, FloatArray]:
    """Gauss-Legendre nodes and weights on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return (nodes + 1) / 2, weights / 2


CELL_NODES, CELL_WEIGHTS = unit_rule(8)


def _panelled_rule() -> tuple[FloatArray, FloatArray]:
    """A rule on [0, 1] with fine panels at 0, where integrands rise from zero, and even ones after."""
    nodes, weights = unit_rule(20)
    breaks = np.concatenate([[0.0], 4.0 ** np.arange(-8.0, -1.0), np.linspace(0.25, 1, 7)])
    widths = np.diff(breaks)[:, None]
    return (breaks[:-1, None] + widths * nodes).ravel(), (widths * weights).ravel()


_RULE_NODES, _RULE_WEIGHTS = _panelled_rule()


def log_integral(log_f: Callable[[FloatArray], FloatArray], far: float) -> float:
    """Log of the integral of exp(log_f) between 0 and far (of either sign), f unimodal.

    The window first shrinks to where f is within e^-46 of its peak.
    """
    near = 0.0
    for _ in range(_SHRINKS):
        values = log_f(np.linspace(near, far, 66)[1:-1])
        peak = float(values.max())
        kept = np.flatnonzero(values > peak - _DROP)
        step = (far - near) / 65
        first, last = int(kept[0]), int(kept[-1])
        # The points stand at near + (i+1) step: keep one cell more on each side.
        near, far = near + first * step, near + (last + 2) * step
        if last - first > 20:
            break
    values = log_f(near + (far - near) * _RULE_NODES)
    peak = float(values.max())
    if peak < _NOTHING:
        return _NOTHING / 2
    return peak + math.log(abs(far - near) * float(np.exp(values - peak) @ _RULE_WEIGHTS))
