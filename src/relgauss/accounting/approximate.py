"""Guarantees that may fail outright: (epsilon, delta)-DP by a leak, a certificate by being wrong.

Proof: proofs/composition.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from relgauss import validate
from relgauss.accounting import guard, rdp
from relgauss.accounting.guarantees import Guarantee
from relgauss.arrays import FloatArray, grid
from relgauss.rounding import round_up


@dataclass(frozen=True)
class ApproximateDP(Guarantee):
    """(epsilon, delta)-DP: dominated by a leak with probability delta, else randomised response.

    delta = 0 is pure DP.

    Parameters
    ----------
    epsilon
        The epsilon that the mechanism promises.
    delta
        The probability with which that promise may fail.
    """

    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        fix = "Pass the epsilon that the mechanism promises."
        object.__setattr__(self, "epsilon", validate.nonnegative("epsilon", self.epsilon, fix))
        fix = "Pass the probability with which the promise may fail."
        delta = validate.nonnegative("delta", self.delta, fix)
        if delta != 0:
            validate.probability("delta", delta)
        object.__setattr__(self, "delta", delta)

    @property
    def leak(self) -> float:
        """The whole delta is a leak."""
        return self.delta

    @property
    def order_limit(self) -> float:
        """Every order is bounded."""
        return math.inf

    @property
    def loss_std(self) -> float:
        """The loss is ±epsilon, or at most one after the other for large epsilon."""
        return self.epsilon

    @property
    def largest_loss(self) -> float:
        """The loss never exceeds epsilon."""
        return self.epsilon

    def rdp(self, alpha: float) -> float:
        """The divergence of randomised response."""
        return guard.divergence(rdp.pure(self.epsilon, validate.order("alpha", alpha)))

    def log_delta(self, epsilon: float) -> float:
        """log of (e^epsilon0 - e^epsilon)/(1 + e^epsilon0), epsilon0 the guarantee's own."""
        gap = self.epsilon - epsilon
        if gap <= 0:
            return -math.inf
        return min(0.0, math.log(-math.expm1(-gap)) - math.log1p(math.exp(-self.epsilon)) + 1e-15)

    def profile(self, gap: float, count: int) -> FloatArray:
        """The profile of randomised response."""
        below = np.maximum(self.epsilon - grid(gap, count), 0.0)
        scale = (1 + 1e-15) / (1 + math.exp(-self.epsilon))
        return -scale * np.expm1(-below)

    def describe(self) -> str:
        """The parameters, rounded up."""
        return f"({round_up(self.epsilon, 6)}, {round_up(self.delta)})-DP"


def PureDP(epsilon: float) -> ApproximateDP:  # noqa: N802 - reads as the guarantee it makes
    """epsilon-DP, which is (epsilon, 0)-DP.

    Parameters
    ----------
    epsilon
        The epsilon that the mechanism promises.
    """
    return ApproximateDP(epsilon)


@dataclass(frozen=True)
class Failure(Guarantee):
    """A certificate that is wrong with at most this probability: charged once, whatever relies on it.

    Its delta adds to the others' and is not mixed with them as a leak is: the certificate may fail just
    where the other releases look harmless. Proof: proofs/composition.md.

    Parameters
    ----------
    probability
        How often the certificate is wrong at most, whatever the records.
    """

    probability: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "probability", validate.probability("probability", self.probability))

    @property
    def failure(self) -> float:
        return self.probability

    @property
    def order_limit(self) -> float:
        return math.inf

    @property
    def loss_std(self) -> float:
        return 0.0

    def rdp(self, alpha: float) -> float:
        return 0.0

    def log_delta(self, epsilon: float) -> float:
        return -math.inf

    def profile(self, gap: float, count: int) -> FloatArray:
        return np.zeros(count + 1)

    def describe(self) -> str:
        return f"failure probability {round_up(self.probability)}"
