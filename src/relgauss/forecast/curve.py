"""What the made-up releases showed, as curves over n mu: how far an average stands out of its noise."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import isotonic_regression, minimize
from scipy.special import expit

from relgauss.accounting import gdp
from relgauss.arrays import FloatArray

MOST_EPSILON = 10.0  # beyond it hardly anybody is protected, so that it is not advised
_LEAST = 1e-12  # what stands for no error at all on a logarithmic axis
_STEEP = 10.0  # in log-odds by factor of two
_NOTHING = 1e9  # what stands for an error without a bound while curves are smoothed


@dataclass(frozen=True, eq=False)
class Curve:
    """A quantity that falls (or grows) with n mu: straight lines between points on logarithmic axes.

    Simulated points scatter. So each is averaged with its neighbours, and then replaced by the nearest ones
    that fall (or grow) throughout.

    Attributes
    ----------
    signals
        The values of n mu that were simulated, from small to large.
    values
        What was found there; infinite if nothing is released.
    """

    signals: FloatArray
    values: FloatArray

    @classmethod
    def falling(cls, signals: FloatArray, found: FloatArray) -> Curve:
        """An error or a width; NaN where nothing was released."""
        logs = _smoothed(np.log(np.clip(np.nan_to_num(found, nan=_NOTHING), _LEAST, _NOTHING)))
        values = np.exp(isotonic_regression(logs, increasing=False).x)
        return cls(signals, np.where(values > 0.99 * _NOTHING, math.inf, values))

    @classmethod
    def as_found(cls, signals: FloatArray, found: FloatArray) -> Curve:
        """What may rise and fall: a slope that noise hides is left out of a fit, with a narrow interval."""
        return cls(signals, np.nan_to_num(found, nan=math.inf))

    @classmethod
    def growing(cls, signals: FloatArray, found: FloatArray) -> Curve:
        """A share of releases that end well."""
        return cls(signals, np.asarray(isotonic_regression(found).x, dtype=np.float64))

    @classmethod
    def logistic(cls, signals: FloatArray, made: FloatArray, well: FloatArray) -> Curve:
        """A share of releases that end well: so many of those that were made at each of some signals.

        Its log-odds are a straight line on the logarithmic axis, the likeliest with a slope of about ten or
        less for each factor of two: all releases tell of the share at each signal. Zero if none ended well.
        """
        if not well.any():
            return cls(signals, np.zeros(len(signals)))
        steps = np.log2(signals / signals[int(np.argmax(2 * well >= made.clip(1)))])

        def minus_log(line: FloatArray) -> float:
            scores = line[0] + line[1] * steps
            losses = made * np.logaddexp(0.0, scores) - well * scores
            return float(losses.sum() + (line[1] / _STEEP) ** 2 / 2)

        middle, slope = minimize(minus_log, np.zeros(2)).x
        return cls(signals, np.asarray(expit(middle + max(slope, 0.0) * steps), dtype=np.float64))

    def at(self, signals: ArrayLike) -> FloatArray:
        """The quantity at these values of n mu; infinite below the first at which anything was released."""
        known = np.isfinite(self.values)
        asked = np.asarray(signals, dtype=np.float64)
        if not known.any():
            return np.full(asked.shape, math.inf)
        first = self.signals[known][0]
        logs = np.log(np.maximum(self.values[known], _LEAST))
        found = np.exp(np.interp(np.log(np.maximum(asked, 1e-12)), np.log(self.signals[known]), logs))
        found = np.where(found <= _LEAST * (1 + 1e-9), 0.0, found)
        return np.where(asked >= first * (1 - 1e-9), found, math.inf)

    def share_at(self, signals: ArrayLike) -> FloatArray:
        """A share at these values of n mu, between its points on a straight line; 0 below the first."""
        asked = np.log(np.maximum(np.asarray(signals, dtype=np.float64), 1e-12))
        known = np.log(self.signals) - 1e-9
        return np.asarray(np.interp(asked, known, self.values, left=0.0), dtype=np.float64)

    def least_signal(self, target: float) -> float:
        """The least n mu at which a falling quantity is down to the target; infinite if none was seen."""
        return _first(self.signals, self.values <= target, lambda each: bool(self.at(each) <= target))

    def least_signal_of_share(self, share: float) -> float:
        """The least n mu at which a share is reached; infinite if it was at none."""
        return _first(self.signals, self.values >= share, lambda each: bool(self.share_at(each) >= share))


def _smoothed(logs: FloatArray) -> FloatArray:
    """Averages with weights 1, 2 and 1 of points inside; those beside an error without a bound stay."""
    averages = (logs[:-2] + 2 * logs[1:-1] + logs[2:]) / 4
    stays = logs[:-2] > math.log(0.99 * _NOTHING)
    smoothed = logs.copy()
    smoothed[1:-1] = np.where(stays, logs[1:-1], averages)
    return smoothed


def _first(signals: FloatArray, reached: NDArray[np.bool_], holds: Callable[[float], bool]) -> float:
    """The first signal at which a condition holds, between the points by halving."""
    if not reached.any():
        return math.inf
    place = int(np.argmax(reached))
    high = float(signals[place])
    low = float(signals[place - 1]) if place else high
    for _ in range(40):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def advised_epsilon(mu: float, delta: float) -> float | None:
    """An epsilon that buys this mu, rounded up to two digits; None beyond what can be advised."""
    if not 0 < mu < 50:
        return None
    epsilon = gdp.epsilon(mu, delta)
    unit = 10.0 ** (math.floor(math.log10(epsilon)) - 1)
    rounded = float(f"{math.ceil(epsilon / unit * (1 - 1e-12)) * unit:.2g}")
    return rounded if rounded <= MOST_EPSILON else None
