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
from functools import cached_property, lru_cache

import numpy as np
from scipy.special import gammaln

from relgauss import validate
from relgauss.accounting.adjacency import REPLACE_ONE
from relgauss.accounting.guarantees import Guarantee
from relgauss.accounting.guarded import Guarded
from relgauss.arrays import FloatArray
from relgauss.errors import InvalidParameterError
from relgauss.rounding import round_up

_MAX_ORDER = 4096
_DOWN = 1 - 2e-15  # of a few roundings of a loss


@dataclass(frozen=True)
class Subsampled(Guarantee):
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

    guarantee: Guarantee
    rate: float

    def __post_init__(self) -> None:
        if not isinstance(self.guarantee, Guarantee):
            raise InvalidParameterError(
                "guarantee",
                self.guarantee,
                "a guarantee that holds on every batch",
                "Pass for example GaussianDP(0.5), or mechanism.guarantee.",
            )
        if self._inner.neighbours not in (REPLACE_ONE, None):
            raise InvalidParameterError(
                "guarantee",
                self.guarantee,
                "for replaced records",
                "Batches of added or removed records are Poisson samples: use PoissonSampled.",
            )
        object.__setattr__(self, "rate", checked_rate(self.rate))

    @cached_property
    def _inner(self) -> Guarded:
        return Guarded.of(self.guarantee)

    @property
    def _share(self) -> float:
        """The rate, rounded up: a quotient of whole numbers is seldom a double."""
        return min(1.0, math.nextafter(self.rate, 2.0))

    @property
    def leak(self) -> float:
        """A leak discloses a record only if the record is in the batch."""
        return min(1.0, self._share * self._inner.leak * (1 + 1e-15))

    @property
    def failure(self) -> float:
        """As on every batch: what is relied on may be wrong whichever batch is drawn."""
        return self._inner.failure

    @property
    def order_limit(self) -> float:
        """The same orders as without sampling."""
        return self._inner.order_limit

    @property
    def loss_std(self) -> float:
        """By the divergence at order two, which is the variance of a small loss."""
        second = self.rdp(2.0)
        return math.sqrt(second) if math.isfinite(second) else self.rate * self._inner.loss_std

    @property
    def largest_loss(self) -> float:
        """log(1 + s (e^L - 1)) for a largest loss of L."""
        largest = self._inner.largest_loss
        if not largest < 1:
            return largest  # no larger than without sampling
        return min(largest, math.log1p(self._share * math.expm1(largest)) * (1 + 2e-15))

    def rdp(self, alpha: float) -> float:
        """The smaller of the bound without sampling and, between two integers, the chord of the theorem's."""
        alpha = validate.order("alpha", alpha)
        plain = self._inner.rdp(alpha)
        upper = math.ceil(alpha)
        if self._inner.leak > 0 or upper > _MAX_ORDER or not math.isfinite(self._inner.rdp(float(upper))):
            return plain
        lower = upper - 1
        # (alpha - 1) D(alpha) is convex: its chord between integers, and from 0 at order 1, lies above.
        start = self._log_moment(lower) if lower >= 2 else 0.0
        chord = start + (alpha - lower) * (self._log_moment(upper) - start)
        return min(plain, chord / (alpha - 1) * (1 + 1e-14))

    def log_delta(self, epsilon: float) -> float:
        """log H', from the profile on a batch at a larger epsilon."""
        log_share = math.log(self._share)
        inner = self._inner.log_delta(self._epsilon_on_batch(epsilon))
        return min(0.0, inner + log_share + 1e-15 * (1 - log_share))

    def reach(self, log_tail: float) -> float:
        """log(1 + s (e^x - 1)) where the profile on a batch reaches to x."""
        far = self._inner.reach(min(log_tail - math.log(self._share), -1e-6))
        return far + math.log(self._share) if far > 700 else math.log1p(self._share * math.expm1(far))

    def profile_at(self, epsilon: FloatArray) -> FloatArray:
        """H' at many epsilons, from the profile on a batch at as many."""
        share = self._share
        small = np.log1p(np.expm1(np.minimum(epsilon, 1.0)) / share)
        large = epsilon - math.log(share) + np.log1p((share - 1) * np.exp(-epsilon))
        on_batch = np.where(epsilon < 1, small, large) * _DOWN
        return np.minimum(
            self._inner.profile_at(np.maximum.accumulate(on_batch)) * (share * (1 + 1e-15)), 1.0
        )

    @property
    def only_renyi(self) -> bool:
        """As on a batch."""
        return self._inner.only_renyi

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


def checked_rate(rate: object) -> float:
    """A sampling rate: above zero and at most one."""
    fix = "Pass the part of the records that a batch holds, on average."
    found = validate.positive("rate", rate, fix)
    if not 1e-100 <= found <= 1:
        raise InvalidParameterError("rate", rate, "between 1e-100 and 1", fix)
    return found


def curve_on_batch(inner: Guarded, last: int) -> FloatArray:
    """The Rényi curve on a batch at the orders 2, 3, ..., last."""
    return _curve_up_to(inner, 2 ** math.ceil(math.log2(last)))[: last - 1]


@lru_cache(maxsize=128)
def _curve_up_to(inner: Guarded, last: int) -> FloatArray:
    return np.array([inner.rdp(float(order)) for order in range(2, last + 1)])
