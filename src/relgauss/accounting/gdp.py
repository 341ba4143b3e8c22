"""Gaussian differential privacy: mu-GDP is as hard to tell apart as N(0, 1) and N(mu, 1).

    delta(epsilon) = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu)
    mu of a composition = sqrt(mu_1² + mu_2² + ...)

With a = epsilon/mu - mu/2, b = a + mu and R the Mills ratio, delta = phi(a) (R(a) - R(b)); for small
mu the difference is integrated instead, so that no digits cancel. Proof: proofs/conversions.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import erfcx, log_ndtr

from relgauss import validate
from relgauss.accounting import guard, rdp
from relgauss.accounting.adjacency import NEIGHBOURS, REPLACE_ONE, Neighbours
from relgauss.accounting.guarantees import Guarantee
from relgauss.accounting.quadrature import unit_rule
from relgauss.accounting.solve import largest_allowed, least_epsilon
from relgauss.arrays import FloatArray
from relgauss.rounding import round_up

_SMALL_MU = 0.5
_FAR, _FARTHEST = 1e7, 1e150
_NODES, _WEIGHTS = unit_rule(20)
_LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)


@dataclass(frozen=True)
class GaussianDP(Guarantee):
    """mu-GDP: every pair of neighbours is at least as hard to tell apart as N(0,1) and N(mu,1).

    Parameters
    ----------
    mu
        The sensitivity over the standard deviation of the noise.
    neighbours
        Which tables the sensitivity is for: "replace-one" or "add-or-remove".
    """

    mu: float
    neighbours: Neighbours = REPLACE_ONE

    def __post_init__(self) -> None:
        validate.choice("neighbours", self.neighbours, NEIGHBOURS)
        fix = "Pass sensitivity / noise_std."
        object.__setattr__(self, "mu", validate.zero_or_within("mu", self.mu, 1e-100, 1e300, fix))

    @property
    def order_limit(self) -> float:
        """Every order is bounded."""
        return math.inf

    @property
    def loss_std(self) -> float:
        """The privacy loss is N(±mu²/2, mu²)."""
        return self.mu

    @property
    def curve_is_of_pair(self) -> bool:
        """True: N(0, 1) and N(mu, 1) are such a pair."""
        return True

    def rdp(self, alpha: float) -> float:
        """The divergence of two Gaussians: alpha mu²/2."""
        return guard.divergence(rdp.gaussian(self.mu, validate.order("alpha", alpha)))

    def log_delta(self, epsilon: float) -> float:
        """The exact Gaussian profile."""
        return log_delta(self.mu, epsilon)

    def reach(self, log_tail: float) -> float:
        """delta(epsilon) <= Phi(-a) <= e^{-a²/2}, a = epsilon/mu - mu/2."""
        return self.mu * (self.mu / 2 + math.sqrt(-2 * log_tail))

    def profile_at(self, epsilon: FloatArray) -> FloatArray:
        """The exact Gaussian profile."""
        return np.exp(log_profile(self.mu, epsilon))

    def for_larger_groups(self, size: int, neighbours: Neighbours | None) -> GaussianDP:
        """mu times the size, exactly: proofs/neighbours.md."""
        return GaussianDP(guard.multiple(size, self.mu), neighbours or REPLACE_ONE)

    def describe(self) -> str:
        """The parameter, rounded up."""
        return f"{round_up(self.mu, 6)}-GDP"


def log_profile(mu: float, epsilon: FloatArray) -> FloatArray:
    """Return log delta(epsilon) elementwise for mu > 0, rounded up."""
    a, b = epsilon / mu - mu / 2, epsilon / mu + mu / 2
    if mu < _SMALL_MU:
        slope = _mills_slope(a[:, None] + mu * _NODES) @ _WEIGHTS
        value = np.log(mu * slope) - a * a / 2 - _LOG_SQRT_2PI
    else:
        # The ratio of the two terms is one of Mills ratios; far left the second is nothing, and left out.
        tail = a > -30
        ratio = np.log(_mills(b) / _mills(np.where(tail, a, 0.0)))
        second = np.log(-np.expm1(np.where(tail, np.minimum(ratio, -1e-300), -1e3)))
        value = log_ndtr(-a) + np.where(tail, second, 0.0)
    # a and b err by a few 2^-53 b, which moves the logarithm by at most |a| + 1 times that.
    rounded_up: FloatArray = np.minimum(value + (b * (np.abs(a) + 1) + 50) * 4e-16, 0.0)
    return rounded_up


def log_delta(mu: float, epsilon: float) -> float:
    """Return log delta(epsilon), rounded up; -inf where mu is 0."""
    if mu == 0:
        return -math.inf
    a = epsilon / mu - mu / 2
    if a > _FAR:  # delta < phi(a)/a; a errs by a few 2^-53
        a = min(a, _FARTHEST)
        return -a * a / 2 * (1 - 1e-14) - _LOG_SQRT_2PI - math.log(_FAR)
    return float(log_profile(mu, np.array([epsilon]))[0])


def epsilon(mu: float, delta: float) -> float:
    """Return the least epsilon >= 0 with delta(epsilon) <= delta, rounded up."""
    if mu == 0:
        return 0.0
    if not math.isfinite(mu * mu):
        return math.inf
    # delta(eps) <= Phi(-a), so a = sqrt(2 log 1/delta) is enough.
    upper = mu * (mu / 2 + math.sqrt(2 * math.log(1 / delta)))
    return least_epsilon(lambda eps: log_delta(mu, eps), math.log(delta), upper)


@lru_cache(maxsize=1024)
def mu(epsilon: float, delta: float) -> float:
    """Return the largest mu whose profile passes below (epsilon, delta), rounded down.

    Plans, checks and forecasts ask again and again for that of one budget: it is searched once.
    """
    # delta(epsilon) grows with mu; with z = Phi^{-1}(delta) + 40 it is one at mu = z + sqrt(z² + 2 epsilon).
    upper = 80 + math.hypot(40.0, math.sqrt(2) * math.sqrt(epsilon))  # where 2 epsilon would overflow too
    return largest_allowed(lambda m: log_delta(m, epsilon), math.log(delta), upper)


def composed(uses: Iterable[tuple[float, int]]) -> float:
    """mu = sqrt(sum times mu²) of uses (mu, times), rounded up; at most 1e300, which is no privacy at all."""
    parts = [(each, times) for each, times in uses if each != 0]
    if len(parts) == 1 and parts[0][1] == 1:
        return parts[0][0]
    largest = max((each for each, _ in parts), default=0.0)  # so that no square overflows
    squares = guard.total(times * (each / largest) ** 2 for each, times in parts)
    # Each square errs by four roundings at most; the root halves that, the product adds one.
    return min(largest * math.sqrt(squares) * (1 + 1e-15), 1e300)


def _mills(x: FloatArray) -> FloatArray:
    """R(x) = (1 - Phi(x)) / phi(x)."""
    result: FloatArray = math.sqrt(math.pi / 2) * erfcx(x / math.sqrt(2))
    return result


def _mills_slope(x: FloatArray) -> FloatArray:
    """-R'(x) = 1 - x R(x) > 0; for large x by its alternating series, cut below the last digit."""
    large = x > 30
    slope = 1 - np.where(large, 0.0, x * _mills(np.where(large, 0.0, x)))
    if large.any():
        y = x[large] ** -2.0
        slope[large] = y * (1 - y * (3 - y * (15 - y * (105 - y * (945 - y * 10395)))))
    return slope
