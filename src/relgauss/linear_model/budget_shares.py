"""The choices of a fit, made from public numbers only: shares of the budget, steps, quantiles."""

from __future__ import annotations

import math
from dataclasses import dataclass

from relgauss.estimate.column_ranges import unseen_part

_MOST_UNSEEN = 0.09  # the largest part of the records that may hide from the search for ranges
_LEAST_SIGNAL = 12.0  # n mu/sqrt(d (d + 1)) below which a constant serves better
_CONSTANT_SIGNAL = 100.0  # n mu at which the noise of a mean is 2 % of the label's half-width


@dataclass(frozen=True)
class Schedule:
    """Steps of descent, how many of the first still carry the start, and before which to look at norms."""

    steps: int
    unaveraged: int
    looks: tuple[int, ...] = (0, 2)


SCHEDULES = {"squared": Schedule(20, 6), "logistic": Schedule(40, 15)}


@dataclass(frozen=True)
class Shares:
    """Shares of mu², stage by stage; descent takes what is left."""

    ranges: float = 0.12
    reach: float = 0.01
    centre: float = 0.03
    radius: float = 0.02
    covariance: float = 0.25
    norms: float = 0.05
    check: float = 0.03
    certificate: float = 0.03

    def beside_planned_gradients(self, *, searched: bool) -> float:
        """The share of all stages of a certified fit but its gradients."""
        known = self.reach + self.centre + 2 * self.radius + self.covariance + self.certificate + self.check
        return known + (self.ranges if searched else 0.0)


def clipped_part(count: int, mu: float) -> float:
    """The part of the rows that the covariance shortens: fewer, the better rare rows can be seen."""
    return min(0.1, max(0.01, 100 / (count * mu)))


def least_signal(columns: int, searched: int, shares: Shares) -> float:
    """The least n mu for so many features and columns whose range must be found.

    With less, noise would outweigh what the features explain: even with perfect whitening, gradients of norm
    sqrt(d + 1) times the label's deviation put noise of 4 d (d + 1)/(n mu)² of the label's variance into the
    predictions. Or too many records could hide from the search.
    """
    signal = _LEAST_SIGNAL * math.sqrt(columns * (columns + 1))
    if searched:
        signal = max(signal, unseen_part(searched, 1, math.sqrt(shares.ranges)) / _MOST_UNSEEN)
    return signal


def constant_mu(count: int, *, has_intercept: bool, searched: bool) -> float:
    """The mu that a constant prediction needs: nothing if it is zero, twice as much to find a range."""
    if not has_intercept:
        return 0.0
    return (2 if searched else 1) * _CONSTANT_SIGNAL / count
