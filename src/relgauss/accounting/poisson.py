"""A guarantee of a mechanism that runs on a Poisson sample: each record is in it with probability q, alone.

Neighbours: one record added or removed; the sample is not published. With R the profile on samples with the
record against those without, and A that of the other order (e = e^epsilon),

    removed:  H(epsilon) = q R(log(1 + (e - 1)/q))
    added:    H(epsilon) = w A(log(q e/w)),   w = 1 - (1 - q) e,   and 0 from w = 0 on

For Gaussian noise these are exact. By the Rényi curve, at integer orders alpha >= 2:

    removed:  sum_j C(alpha,j) (1-q)^{alpha-j} q^j e^{(j-1) eps(j)}
    added:    1 + q²/(1-q) (e^{eps(2)} - 1) C,   C = (z^alpha - 1 - alpha (z-1))/(z-1)²,   z = 1/(1-q)
              and no more than removed, where the curve is that of one pair which is the same in both orders

The bound must hold on every sample. Proof: proofs/sampling.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from relgauss.accounting import guard
from relgauss.accounting.adjacency import ADD_OR_REMOVE, Neighbours, Order
from relgauss.accounting.guarantees import Guarantee
from relgauss.accounting.sampled import Sampled, curve_on_batch
from relgauss.arrays import FloatArray
from relgauss.errors import InvalidParameterError
from relgauss.rounding import round_up

_DOWN = 1 - 4e-15  # of a few roundings of a loss


@dataclass(frozen=True)
class PoissonSampled(Sampled):
    """What a release on a Poisson sample promises: formulas at the head of this module.

    >>> compose((PoissonSampled(GaussianDP(1.0, "add-or-remove"), 0.01), 1000)).epsilon(1e-6)

    Parameters
    ----------
    guarantee
        What the mechanism promises on every sample, about added or removed records.
    rate
        The probability with which each record is in the sample, on its own. The sample is not published.
    """

    highest_order = 1024

    def _check_guarantee(self) -> None:
        if not isinstance(self.guarantee, Guarantee) or self._inner.neighbours not in (ADD_OR_REMOVE, None):
            raise InvalidParameterError(
                "guarantee",
                self.guarantee,
                "a guarantee about added or removed records that holds on every sample",
                'Pass for example GaussianDP(0.5, "add-or-remove"); for replaced records use Subsampled.',
            )

    @property
    def neighbours(self) -> Neighbours:
        """Tables of any number of records."""
        return ADD_OR_REMOVE

    @property
    def largest_loss(self) -> float:
        """log(1 + q (e^L - 1)), or log(1/(1 - q)), for a largest loss of L: at most L."""
        return self._inner.largest_loss

    @property
    def is_symmetric(self) -> bool:
        """Only where every record is taken."""
        return self.rate == 1 and self._inner.is_symmetric

    def log_delta(self, epsilon: float) -> float:
        """The larger of the two orders'."""
        at = np.array([epsilon])
        share = self._share
        removed = math.log(share) + self._inner.log_delta(float(self._when_removed(at)[0]))
        weight, on_sample = self._when_added(at)
        added = -math.inf
        if weight[0] > 0:
            added = math.log(weight[0]) + self._inner.log_delta(float(on_sample[0]))
        return guard.log_up(max(removed, added) + 4e-15 * (1 - math.log(share)))

    def profile_at(self, epsilon: FloatArray) -> FloatArray:
        """The larger of the two orders'."""
        orders: tuple[Order, ...] = ("removed", "added")
        return np.asarray(np.maximum(*(self.ordered_profile_at(epsilon, order) for order in orders)))

    def ordered_profile_at(self, epsilon: FloatArray, order: Order) -> FloatArray:
        """From the profile on a sample, at as many epsilons."""
        if order == "removed":
            on_sample = np.maximum.accumulate(self._when_removed(epsilon))
            return np.minimum(
                self._inner.ordered_profile_at(on_sample, order) * (self._share * (1 + 1e-15)), 1.0
            )
        weight, on_sample = self._when_added(epsilon)
        on_sample = np.maximum.accumulate(on_sample)
        found = self._inner.ordered_profile_at(on_sample, order) * (weight * (1 + 1e-15))
        return np.minimum(found, 1.0)

    def describe(self) -> str:
        """The guarantee on a sample, and the rate."""
        return f"{self._inner.describe()} on a Poisson sample of {round_up(self.rate)} of the records"

    def _when_removed(self, epsilon: FloatArray) -> FloatArray:
        """log(1 + (e^epsilon - 1)/q), rounded down."""
        share = self._share
        small = np.log1p(np.expm1(np.minimum(epsilon, 1.0)) / share)
        large = epsilon - math.log(share) + np.log1p((share - 1) * np.exp(-epsilon))
        return np.asarray(np.where(epsilon < 1, small, large) * _DOWN)

    def _when_added(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
        """w = q - (1 - q) (e^epsilon - 1), rounded up, 0 past its end; log(q e^epsilon/w), rounded down."""
        share = self._share
        rise = (1 - share) * np.expm1(np.minimum(epsilon, 700.0))
        weight = np.maximum(share - rise + 1e-15 * (share + rise), 0.0)
        inside = np.where(weight > 0, weight, share)
        on_sample = epsilon + np.log1p(np.maximum(share - inside, 0.0) / inside)
        return weight, np.where(weight > 0, on_sample * _DOWN, 0.0)

    def _log_moment(self, alpha: int) -> float:
        """(alpha - 1) D(alpha) at an integer order, of the larger order, rounded up."""
        share, orders = self._share, np.arange(2, alpha + 1)
        curve = curve_on_batch(self._inner, alpha)
        if share == 1:
            return (alpha - 1) * float(curve[-1])
        kept = math.log1p(-share)
        log_binomial = gammaln(alpha + 1) - gammaln(orders + 1) - gammaln(alpha - orders + 1)
        # Of each term the part that is left when e^{eps(j)} = 1 sums to one: only what exceeds it counts.
        growth = (orders - 1) * curve
        with np.errstate(divide="ignore"):
            excess = np.where(
                growth < 1, np.log(np.expm1(np.minimum(growth, 1.0))), growth + np.log1p(-np.exp(-growth))
            )
        terms = (alpha - orders) * kept + orders * math.log(share) + log_binomial + excess
        removed = float(np.logaddexp.reduce(np.append(terms, 0.0)))
        second, added = float(curve[0]), 0.0
        if second > 0 and not self._inner.curve_is_of_pair:
            chi = second if second > 30 else math.log(math.expm1(second))
            added = float(np.logaddexp(0.0, 2 * math.log(share) - kept + chi + _log_curvature(alpha, share)))
            added = min(added, -(alpha - 1) * kept)
        return max(removed, added) * (1 + 1e-12) + (alpha - 1) * 1e-15


def _log_curvature(alpha: int, share: float) -> float:
    """log of sum_{j=2..alpha} C(alpha,j) (z-1)^{j-2}, z = 1/(1-q): nothing cancels in it."""
    orders = np.arange(2, alpha + 1)
    log_binomial = gammaln(alpha + 1) - gammaln(orders + 1) - gammaln(alpha - orders + 1)
    return float(np.logaddexp.reduce(log_binomial + (orders - 2) * (math.log(share) - math.log1p(-share))))
