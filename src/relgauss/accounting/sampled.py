"""What all guarantees on a random part of the records have in common.

A release that reads a part of the records at a public rate s discloses a record only if the record is in that
part, so a leak counts s times; a failure is charged in full. Between integer orders the Rényi curve is at
most a chord, since (alpha - 1) D(alpha) is convex, and no more than the curve without sampling. The rest is
up to the kind of sampling: ``subsample``, ``poisson``.
Proofs: proofs/conversions.md, 7; proofs/sampling.md.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np

from relgauss import validate
from relgauss.accounting import guard
from relgauss.accounting.guarantees import Guarantee
from relgauss.accounting.guarded import Guarded
from relgauss.arrays import FloatArray
from relgauss.errors import InvalidParameterError


@dataclass(frozen=True)
class Sampled(Guarantee):
    """A guarantee of a mechanism that runs on a random part of the records, which is not published."""

    guarantee: Guarantee
    rate: float

    highest_order: ClassVar[int]  # past which the bound without sampling is read

    def __post_init__(self) -> None:
        self._check_guarantee()
        object.__setattr__(self, "rate", checked_rate(self.rate))

    @abstractmethod
    def _check_guarantee(self) -> None:
        """Refuse what is no guarantee for the neighbours of this kind of sampling."""

    @abstractmethod
    def _log_moment(self, alpha: int) -> float:
        """(alpha - 1) D(alpha) at an integer order by the theorem for this sampling, rounded up."""

    @cached_property
    def _inner(self) -> Guarded:
        return Guarded.of(self.guarantee)

    @property
    def _share(self) -> float:
        """The rate, rounded up: a quotient of whole numbers is seldom a double."""
        return min(1.0, math.nextafter(self.rate, 2.0))

    @property
    def leak(self) -> float:
        """A leak discloses a record only if the record is drawn."""
        return min(1.0, guard.product(self._share, self._inner.leak))

    @property
    def failure(self) -> float:
        """As without sampling: what is relied on may be wrong whatever is drawn."""
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
    def only_renyi(self) -> bool:
        """Whether the Rényi curve is all that is known without sampling."""
        return self._inner.only_renyi

    def rdp(self, alpha: float) -> float:
        """The smaller of the bound without sampling and, between two integers, the chord."""
        alpha = validate.order("alpha", alpha)
        plain = self._inner.rdp(alpha)
        upper = math.ceil(alpha)
        if (
            self._inner.leak > 0
            or upper > self.highest_order
            or not math.isfinite(self._inner.rdp(float(upper)))
        ):
            return plain
        lower = upper - 1
        # (alpha - 1) D(alpha) is convex: its chord between integers, and from 0 at order 1, lies above.
        start = self._least_moment(lower) if lower >= 2 else 0.0
        chord = start + (alpha - lower) * (self._least_moment(upper) - start)
        return min(plain, chord / (alpha - 1) * (1 + 1e-14))

    def _least_moment(self, alpha: int) -> float:
        """(alpha - 1) D(alpha) at an integer order, with sampling or without."""
        return min(self._log_moment(alpha), guard.multiple(alpha - 1, self._inner.rdp(float(alpha))))

    def reach(self, log_tail: float) -> float:
        """log(1 + s (e^x - 1)) where the profile without sampling reaches to x."""
        far = self._inner.reach(min(log_tail - math.log(self._share), -1e-6))
        return far + math.log(self._share) if far > 700 else math.log1p(self._share * math.expm1(far))


def checked_rate(rate: object) -> float:
    """A sampling rate: above zero and at most one."""
    fix = "Pass the part of the records that a batch holds, on average."
    found = validate.positive("rate", rate, fix)
    if not 1e-100 <= found <= 1:
        raise InvalidParameterError("rate", rate, "between 1e-100 and 1", fix)
    return found


def curve_on_batch(inner: Guarded, last: int) -> FloatArray:
    """The Rényi curve without sampling at the orders 2, 3, ..., last."""
    return _curve_up_to(inner, 2 ** math.ceil(math.log2(last)))[: last - 1]


@lru_cache(maxsize=128)
def _curve_up_to(inner: Guarded, last: int) -> FloatArray:
    return np.array([inner.rdp(float(order)) for order in range(2, last + 1)])
