"""What two counts say about two probabilities, at a stated confidence and without approximation.

    X ~ Bin(n, p):  p is the lower Clopper-Pearson bound at the level U = Pr[Bin(n, p) >= X]
    Y ~ Bin(m, q):  q is the upper Clopper-Pearson bound at the level V = Pr[Bin(m, q) <= Y]

U and V are independent and each at most a with probability at most a, so Pr[UV <= k] <= k (1 - log k),
which is Fisher's combination of two tests. Outside that event the true (p, q) lies on no worse a split
of the confidence than V = k/U. Proof: proofs/audit.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import betainccinv, betaincinv, lambertw

from relgauss.arrays import FloatArray

_SPLITS = 256  # a finer staircase narrows the margin by less than 0.3 %
_ROUNDING = 1e-12  # relative error of the inverse beta function, charged to the bounds


def lower(successes: int, trials: int, level: FloatArray | float) -> FloatArray:
    """The p at which this many successes or more have probability ``level``; 0 where there are none."""
    if successes == 0:
        return np.zeros(np.shape(level))
    bound: FloatArray = betaincinv(successes, trials - successes + 1, level) * (1 - _ROUNDING)
    return bound


def upper(successes: int, trials: int, level: FloatArray | float) -> FloatArray:
    """The q at which this many successes or fewer have probability ``level``; 1 where all succeeded."""
    if successes == trials:
        return np.ones(np.shape(level))
    bound: FloatArray = betainccinv(successes + 1, trials - successes, level) * (1 + _ROUNDING)
    return np.minimum(bound, 1.0)


def product_level(error: float) -> float:
    """The k with k (1 - log k) = error: a product of two independent levels is below it that rarely."""
    return float(math.exp(1 + lambertw(-error / math.e, k=-1).real)) * (1 - _ROUNDING)


@dataclass(frozen=True)
class Counts:
    """How often an event was seen in n draws of P and in m draws of Q."""

    in_p: int
    draws_of_p: int
    in_q: int
    draws_of_q: int


@dataclass(frozen=True)
class Region:
    """A set that holds (p, q) but for a probability of at most ``error``.

    It is the union of the rectangles p >= p_lower[i], q <= q_upper[i], a staircase around the curve of
    all splits. An event of probabilities (p, q) shows delta(epsilon) >= p - e^epsilon q, which every
    rectangle bounds: the region speaks for all epsilon and all delta at once.
    """

    counts: Counts
    error: float

    @cached_property
    def _levels(self) -> FloatArray:
        """The levels of U at the ends of the steps: from k, where V is 1, to 1, where V is k."""
        return np.geomspace(product_level(self.error), 1.0, _SPLITS + 1)

    @cached_property
    def p_lower(self) -> FloatArray:
        """The least p on each step."""
        return lower(self.counts.in_p, self.counts.draws_of_p, self._levels[:-1])

    @cached_property
    def q_upper(self) -> FloatArray:
        """The largest q on each step."""
        return upper(self.counts.in_q, self.counts.draws_of_q, self._levels[0] / self._levels[1:])

    def delta(self, epsilon: float) -> float:
        """The least delta that this event leaves possible at this epsilon."""
        return max(0.0, float(np.min(self.p_lower - math.exp(epsilon) * self.q_upper)))

    def epsilon(self, delta: float) -> float:
        """The least epsilon that this event leaves possible at this delta."""
        above = self.p_lower - delta
        if not (above > 0).all():
            return 0.0
        return max(0.0, float(np.min(np.log(above / self.q_upper))))
