"""A guarantee of a mechanism that runs on a random batch of the records.

Sampling without replacement at a public rate s = batch/n, replace-one neighbours; the batch is not published.
By the profile (Balle, Barthe, Gaboardi 2018), with leak D and profile H of the mechanism on every batch:

    leak' = s D,   H'(epsilon') = s H(epsilon),   epsilon = log(1 + (e^epsilon' - 1)/s)

By the Rényi curve, if there is no leak (Wang, Balle, Kasiviswanathan 2019, Theorem 9), at integer alpha >= 2:

    eps'(alpha) <= 1/(alpha-1) log( 1 + s² C(alpha,2) min(4(e^{eps(2)}-1), 2 e^{eps(2)})
                                      + sum_{j=3..alpha} 2 s^j C(alpha,j) e^{(j-1) eps(j)} )

A failure is charged in full. The sensitivity must hold on every batch: a certificate on the full data says
nothing about batches. Proof: proofs/conversions.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from relgauss.accounting import guard
from relgauss.accounting.adjacency import REPLACE_ONE
from relgauss.accounting.guarantees import Guarantee
from relgauss.accounting.sampled import Sampled, curve_on_batch
from relgauss.arrays import FloatArray
from relgauss.errors import InvalidParameterError
from relgauss.rounding import round_up

_DOWN = 1 - 2e-15  # of a few roundings of a loss


@dataclass(frozen=True)
class Subsampled(Sampled):
    """What a release on a random batch promises: formulas at the head of this module.

    >>> compose((Subsampled(GaussianDP(1.0), 0.01), 1000)).epsilon(1e-6)

    Parameters
    ----------
    guarantee
        What the mechanism promises on every batch.
    rate
        The size of a batch over the number of records. The batch is drawn without replacement and is not
        published.
    """

    highest_order = 4096

    def _check_guarantee(self) -> None:
        if not isinstance(self.guarantee, Guarantee):
            raise InvalidParameterError(
                "guarantee",
                self.guarantee,
                "a guarantee that holds on every batch",
                "Pass for example GaussianDP(0.5); of a mechanism take mechanism.on_draws(Batches(rate)), "
                "which asks that its bound was stated for every batch.",
            )
        if self._inner.neighbours not in (REPLACE_ONE, None):
            raise InvalidParameterError(
                "guarantee",
                self.guarantee,
                "for replaced records",
                "Batches of added or removed records are Poisson samples: use PoissonSampled.",
            )

    @property
    def largest_loss(self) -> float:
        """log(1 + s (e^L - 1)) for a largest loss of L."""
        largest = self._inner.largest_loss
        if not largest < 1:
            return largest  # no larger than without sampling
        return min(largest, math.log1p(self._share * math.expm1(largest)) * (1 + 2e-15))

    def log_delta(self, epsilon: float) -> float:
        """log H', from the profile on a batch at a larger epsilon."""
        log_share = math.log(self._share)
        inner = self._inner.log_delta(self._epsilon_on_batch(epsilon))
        return guard.log_up(inner + log_share - 1e-15 * log_share)

    def profile_at(self, epsilon: FloatArray) -> FloatArray:
        """H' at many epsilons, from the profile on a batch at as many."""
        share = self._share
        small = np.log1p(np.expm1(np.minimum(epsilon, 1.0)) / share)
        large = epsilon - math.log(share) + np.log1p((share - 1) * np.exp(-epsilon))
        on_batch = np.where(epsilon < 1, small, large) * _DOWN
        return np.minimum(
            self._inner.profile_at(np.maximum.accumulate(on_batch)) * (share * (1 + 1e-15)), 1.0
        )

    def describe(self) -> str:
        """The guarantee on a batch, and the rate."""
        return f"{self._inner.describe()} on a random batch of {round_up(self.rate)} of the records"

    def _epsilon_on_batch(self, epsilon: float) -> float:
        """log(1 + (e^epsilon - 1)/s), rounded down."""
        share = self._share
        if epsilon < 1:
            return math.log1p(math.expm1(epsilon) / share) * _DOWN
        return (epsilon - math.log(share) + math.log1p((share - 1) * math.exp(-epsilon))) * _DOWN

    def _log_moment(self, alpha: int) -> float:
        """(alpha - 1) eps'(alpha) at an integer order, rounded up."""
        orders = np.arange(2, alpha + 1)
        curve = curve_on_batch(self._inner, alpha)
        log_binomial = gammaln(alpha + 1) - gammaln(orders + 1) - gammaln(alpha - orders + 1)
        log_terms = orders * math.log(self._share) + log_binomial + math.log(2) + (orders - 1) * curve
        second = float(curve[0])
        if second < math.log(2):  # 4(e^x - 1) < 2 e^x exactly there
            log_terms[0] += math.log(2 * -math.expm1(-second)) if second > 0 else -math.inf
        return float(np.logaddexp.reduce(np.append(log_terms, 0.0))) * (1 + 1e-12) + (alpha - 1) * 1e-15
