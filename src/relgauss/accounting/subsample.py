"""Rényi differential privacy of a mechanism run on a random batch.

Sampling without replacement, replace-one neighbours, rate s = batch/n, integer alpha >= 2
(Wang, Balle, Kasiviswanathan 2019, Theorem 9):

    eps'(alpha) <= 1/(alpha-1) log( 1 + s² C(alpha,2) min(4(e^{eps(2)}-1), 2 e^{eps(2)})
                                      + sum_{j=3..alpha} 2 s^j C(alpha,j) e^{(j-1) eps(j)} )

The sensitivity must hold on every batch: a certificate on the full data says nothing about batches.
Proof: proofs/conversions.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from relgauss import validate
from relgauss.accounting.convert import RenyiCurve
from relgauss.errors import InvalidParameterError, NoGuaranteeError

_MAX_ORDER = 4096


@dataclass(frozen=True)
class Subsampled:
    """The Rényi curve, at integer orders, of ``curve`` run on a batch drawn without replacement."""

    curve: RenyiCurve
    order_limit: float
    rate: float

    def __post_init__(self) -> None:
        rate = validate.positive("rate", self.rate, "Pass batch size / number of records.")
        if rate > 1:
            raise InvalidParameterError(
                "rate", self.rate, "at most 1", "Pass batch size / number of records."
            )
        if self.order_limit != math.inf:
            validate.number("order_limit", self.order_limit, "Pass the mechanism's guarantee.order_limit.")
        if not self.order_limit > 2:
            raise NoGuaranteeError(
                f"The Rényi curve ends at order {self.order_limit:.4g}: no integer order is bounded.",
                "Subsampling needs a curve past order 2: for RelativeGaussian eta < sqrt(2) - 1; "
                "the isometric mechanism has no limit.",
            )

    def rdp(self, alpha: int) -> float:
        """The bound at an integer order; infinite where the curve itself is, and past order 4096."""
        alpha = validate.count("alpha", alpha, "The theorem holds at integer orders, 2 or above.")
        if alpha < 2:
            raise InvalidParameterError("alpha", alpha, "2 or above", "The theorem starts at order 2.")
        if alpha >= self.order_limit or alpha > _MAX_ORDER:
            return math.inf
        orders = np.arange(2, alpha + 1)
        curve = np.array([self.curve(float(j)) for j in orders])
        log_binomial = gammaln(alpha + 1) - gammaln(orders + 1) - gammaln(alpha - orders + 1)
        log_terms = orders * math.log(self.rate) + log_binomial + math.log(2) + (orders - 1) * curve
        second = float(curve[0])
        if second < math.log(2):  # 4(e^x - 1) < 2 e^x exactly there
            log_terms[0] += math.log(2 * -math.expm1(-second)) if second > 0 else -math.inf
        total = float(np.logaddexp.reduce(np.append(log_terms, 0.0)))
        amplified = total / (alpha - 1) * (1 + 1e-12) + 1e-15
        return min(amplified, second if alpha == 2 else float(curve[-1]))

    def epsilon(self, delta: float, steps: int = 1) -> float:
        """The epsilon of this many batches, by the tight conversion at the best integer order."""
        delta = validate.probability("delta", delta)
        steps = validate.count("steps", steps)
        return min(self._epsilon_at(alpha, delta, steps) for alpha in self._orders())

    def _epsilon_at(self, alpha: int, delta: float, steps: int) -> float:
        bound = steps * self.rdp(alpha) + math.log1p(-1 / alpha) - math.log(delta * alpha) / (alpha - 1)
        return max(0.0, bound) * (1 + 1e-13)

    def _orders(self) -> list[int]:
        """Integer orders below the limit: every one up to 64, then evenly spaced in log."""
        top = math.ceil(min(_MAX_ORDER + 1, self.order_limit)) - 1
        spaced = np.unique(np.geomspace(64, max(top, 64), 40).astype(int))
        return [int(alpha) for alpha in sorted({*range(2, 65), *spaced.tolist()}) if alpha <= top]
