"""Guarantees that may fail outright: (epsilon, delta)-DP by a leak, a certificate by being wrong.

Proof: proofs/composition.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from relgauss import validate
from relgauss.accounting import guard, rdp
from relgauss.accounting.adjacency import NEIGHBOURS, REPLACE_ONE, Neighbours
from relgauss.accounting.guarantees import Guarantee
from relgauss.arrays import FloatArray
from relgauss.errors import NoGuaranteeError
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
    neighbours
        Which tables the promise is about: "replace-one" or "add-or-remove".
    """

    epsilon: float
    delta: float = 0.0
    neighbours: Neighbours = REPLACE_ONE

    def __post_init__(self) -> None:
        validate.choice("neighbours", self.neighbours, NEIGHBOURS)
        fix = "Pass the epsilon that the mechanism promises."
        object.__setattr__(self, "epsilon", validate.rounded_up("epsilon", self.epsilon, fix))
        fix = "Pass the probability with which the promise may fail."
        delta = validate.rounded_up("delta", self.delta, fix)
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

    @property
    def curve_is_of_pair(self) -> bool:
        """True: randomised response is such a pair."""
        return True

    def rdp(self, alpha: float) -> float:
        """The divergence of randomised response."""
        return guard.divergence(rdp.pure(self.epsilon, validate.order("alpha", alpha)))

    def log_delta(self, epsilon: float) -> float:
        """log of (e^epsilon0 - e^epsilon)/(1 + e^epsilon0), epsilon0 the guarantee's own."""
        gap = self.epsilon - epsilon
        if gap <= 0:
            return -math.inf
        return guard.log_up(math.log(-math.expm1(-gap)) - math.log1p(math.exp(-self.epsilon)))

    def reach(self, log_tail: float) -> float:
        """Nothing is lost beyond epsilon."""
        return self.epsilon

    def profile_at(self, epsilon: FloatArray) -> FloatArray:
        """The profile of randomised response."""
        below = np.maximum(self.epsilon - epsilon, 0.0)
        scale = (1 + 1e-15) / (1 + math.exp(-self.epsilon))
        return -scale * np.expm1(-below)

    def for_larger_groups(self, size: int, neighbours: Neighbours | None) -> ApproximateDP:
        """(k epsilon, delta (e^{k epsilon} - 1)/(e^epsilon - 1)) for a group of k."""
        epsilon = guard.multiple(size, self.epsilon)
        if self.delta == 0:
            return ApproximateDP(epsilon, 0.0, neighbours or REPLACE_ONE)
        # The sum of k terms is at most k times the largest, where the quotient would overflow or cancel.
        exponent = (size - 1) * self.epsilon
        growth = size * math.exp(exponent) * (1 + 1e-13) if exponent < 700 else math.inf
        if self.epsilon > 1e-3 and epsilon < 700:
            growth = min(growth, math.expm1(epsilon) / math.expm1(self.epsilon) * (1 + 1e-12))
        if not self.delta * growth < 1:
            raise NoGuaranteeError("For a group of this size delta would exceed one.", "Take a smaller one.")
        return ApproximateDP(epsilon, self.delta * growth, neighbours or REPLACE_ONE)

    def describe(self) -> str:
        """The parameters, rounded up."""
        return f"({round_up(self.epsilon, 6)}, {round_up(self.delta)})-DP"


def PureDP(epsilon: float, neighbours: Neighbours = REPLACE_ONE) -> ApproximateDP:  # noqa: N802 - reads as the guarantee it makes
    """epsilon-DP, which is (epsilon, 0)-DP.

    Parameters
    ----------
    epsilon
        The epsilon that the mechanism promises.
    neighbours
        Which tables the promise is about: "replace-one" or "add-or-remove".
    """
    return ApproximateDP(epsilon, neighbours=neighbours)


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
        validate.probability("probability", self.probability)
        fix = "Pass how often the certificate may be wrong."
        object.__setattr__(self, "probability", validate.rounded_up("probability", self.probability, fix))

    @property
    def neighbours(self) -> None:
        """It holds whatever the neighbours are."""
        return None

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

    def profile_at(self, epsilon: FloatArray) -> FloatArray:
        return np.zeros(len(epsilon))

    def for_larger_groups(self, size: int, neighbours: Neighbours | None) -> Failure:
        """Refused: the tables between two that are far apart may fail too."""
        raise NoGuaranteeError(
            "What a failure costs a group is not proven.",
            "Take the group's guarantee of the other parts alone.",
        )

    def describe(self) -> str:
        return f"failure probability {round_up(self.probability)}"
