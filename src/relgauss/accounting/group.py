"""What a guarantee promises groups of records, and what one about added records says about replaced ones.

    H_k(epsilon)  <=  sum_{i<k} e^{i epsilon/k} H(epsilon/k)
    D_k(alpha)    <=  k alpha/(k alpha - 1) D_{k-1}((k alpha - 1)/(k - 1)) + D(k alpha)

Gaussians, boxes of Gaussian pairs, (epsilon, delta) and concentrated DP have closed forms.
Proof: proofs/neighbours.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np

from relgauss import validate
from relgauss.accounting import guard
from relgauss.accounting.adjacency import REPLACE_ONE, Neighbours
from relgauss.accounting.compose import Composition, HasGuarantee, HasUses, compose
from relgauss.accounting.convex import convex_minorant
from relgauss.accounting.guarantees import Guarantee
from relgauss.accounting.guarded import Guarded
from relgauss.arrays import FloatArray
from relgauss.errors import InvalidParameterError, NoGuaranteeError

_LARGEST = 1000  # group that a chain is followed for, step by step


@overload
def for_group(guarantee: Guarantee, size: int) -> Guarantee: ...
@overload
def for_group(guarantee: HasGuarantee | HasUses, size: int) -> Composition: ...
def for_group(guarantee: Guarantee | HasGuarantee | HasUses, size: int) -> Guarantee | Composition:
    """What a guarantee promises about tables that differ in up to ``size`` records, or persons.

    Parameters
    ----------
    guarantee
        What holds for one record; for one person, if a record is all that a person holds. Of a composition,
        a charge, a statement or a mechanism every part is taken for the group.
    size
        How many records, or persons, the group has.
    """
    size = validate.count("size", size)
    return _of_every_part(
        guarantee, lambda part: part if size == 1 else _chained(part, size, part.neighbours)
    )


@overload
def as_replace_one(guarantee: Guarantee) -> Guarantee: ...
@overload
def as_replace_one(guarantee: HasGuarantee | HasUses) -> Composition: ...
def as_replace_one(guarantee: Guarantee | HasGuarantee | HasUses) -> Guarantee | Composition:
    """What a guarantee about added or removed records promises about replaced ones: removed, then added.

    Parameters
    ----------
    guarantee
        One whose neighbours are "add-or-remove"; one that is for "replace-one" already stays as it is, one
        that may fail is refused. Of a composition, a charge, a statement or a mechanism every part is taken.
    """
    return _of_every_part(guarantee, _replaced)


def _of_every_part(part: object, change: Callable[[Guarantee], Guarantee]) -> Guarantee | Composition:
    if isinstance(part, Guarantee):
        return change(part)
    if isinstance(part, HasGuarantee | HasUses):
        return Composition(tuple((change(each), times) for each, times in compose(part).uses))
    raise InvalidParameterError(
        "guarantee", part, "a guarantee, or what has one", "Pass for example GaussianDP(0.5)."
    )


def _replaced(guarantee: Guarantee) -> Guarantee:
    if guarantee.neighbours == REPLACE_ONE:
        return guarantee
    _refuse_failures(guarantee)  # one that is for any neighbours may fail on the table in between as well
    return guarantee if guarantee.neighbours is None else _chained(guarantee, 2, REPLACE_ONE)


def _refuse_failures(guarantee: Guarantee) -> None:
    if Guarded.of(guarantee).failure > 0:
        raise NoGuaranteeError(
            "What a failure costs a group, or a replacement, is not proven.",
            "Take the group's guarantee of the other parts alone.",
        )


def _chained(guarantee: Guarantee, size: int, neighbours: Neighbours | None) -> Guarantee:
    found = guarantee.for_larger_groups(size, neighbours)
    return found if found is not None else Chained(guarantee, size, neighbours)


@dataclass(frozen=True)
class Chained(Guarantee):
    """A guarantee along ``size`` steps between neighbours: formulas at the head of this module."""

    guarantee: Guarantee
    size: int
    neighbours: Neighbours | None = REPLACE_ONE

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", validate.count("size", self.size))
        if self.size > _LARGEST:
            raise InvalidParameterError(
                "size",
                self.size,
                f"at most {_LARGEST} for a guarantee without a closed form",
                "Take a smaller one.",
            )
        _refuse_failures(self.guarantee)

    @cached_property
    def _inner(self) -> Guarded:
        return Guarded.of(self.guarantee)

    @property
    def order_limit(self) -> float:
        """The steps need orders up to size·alpha; with a leak there is none."""
        return max(1.0, self._inner.order_limit / self.size * (1 - 1e-15)) if self._inner.leak == 0 else 1.0

    @property
    def loss_std(self) -> float:
        """About that of one step, as often."""
        return self.size * self._inner.loss_std

    @property
    def largest_loss(self) -> float:
        """Losses of the steps add up."""
        return self.size * self._inner.largest_loss * (1 + 1e-15) if self._inner.leak == 0 else math.inf

    @property
    def only_renyi(self) -> bool:
        """Whether the Rényi curve is all that is known of one step."""
        return self._inner.only_renyi

    def rdp(self, alpha: float) -> float:
        """Step by step, from groups of one to groups of ``size``."""
        alpha = validate.order("alpha", alpha)
        if not alpha < self.order_limit:
            return math.inf
        # The orders at which groups of size, size - 1, ..., 2 are read, from the last to the first.
        orders = [alpha]
        for k in range(self.size, 2, -1):
            orders.append((k * orders[-1] - 1) / (k - 1))
        found = self._inner.rdp((2 * orders[-1] - 1) * (1 + 1e-15))
        for k, order in zip(range(2, self.size + 1), reversed(orders), strict=True):
            found = (k * order / (k * order - 1) * found + self._inner.rdp(k * order)) * (1 + 1e-15)
        return found

    def log_delta(self, epsilon: float) -> float:
        """The leak of a step is part of it here."""
        return min(
            0.0, self._log_growth(epsilon) + self._log_step(self._inner.log_delta(epsilon / self.size))
        )

    def reach(self, log_tail: float) -> float:
        """As far as one step, as often, and further by what the sum adds."""
        once = self._inner.reach(log_tail)
        return self.size * self._inner.reach(log_tail - self.size * min(once, 50.0))

    def profile_at(self, epsilon: FloatArray) -> FloatArray:
        """The greatest convex profile below the chain."""
        steps = self._inner.profile_at(epsilon / self.size)
        with np.errstate(divide="ignore"):
            logs = np.log(steps + self._inner.leak * (1 - steps))
        found = [self._log_growth(at) + log for at, log in zip(epsilon.tolist(), logs.tolist(), strict=True)]
        return convex_minorant(epsilon, np.minimum(np.exp(np.minimum(found, 0.0)) * (1 + 1e-13), 1.0))

    def describe(self) -> str:
        """The guarantee of a step, and their number."""
        return f"{self._inner.describe()}, for {self.size} records together"

    def _log_growth(self, epsilon: float) -> float:
        """log of the sum of e^{i epsilon/k}, i < k, rounded up."""
        exponents = epsilon / self.size * np.arange(self.size)
        return float(np.logaddexp.reduce(exponents)) * (1 + 1e-13) + 1e-15 * self.size

    def _log_step(self, log_delta: float) -> float:
        """log of D + (1 - D) H for the leak D of one step."""
        leak = self._inner.leak
        if leak == 0:
            return log_delta
        if leak == 1:
            return 0.0
        return guard.log_up(float(np.logaddexp(math.log(leak), math.log1p(-leak) + log_delta)) + 1e-14)
