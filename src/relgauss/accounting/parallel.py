"""Releases about disjoint parts of the records: together they cost the largest, not the sum.

Conditions, which the code that splits the records has to see to:

1. Each record belongs to one part, by what it alone says: neither other records nor releases move it.
2. Replaced records stay in their part, so neighbours agree on all keys. For records that are added or removed
   this is no condition.
3. Each part is released with noise of its own.

Proof: proofs/neighbours.md.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from relgauss.accounting.adjacency import Neighbours, Order, common
from relgauss.accounting.guarantees import Guarantee
from relgauss.accounting.guarded import Guarded
from relgauss.arrays import FloatArray
from relgauss.errors import InvalidParameterError

DISJOINT = (
    "each record belongs to one part by what it alone says, a replaced record stays in its part, "
    "and each part has noise of its own"
)
"""The conditions in a sentence, for a privacy statement."""


@dataclass(frozen=True)
class Parallel(Guarantee):
    """One release for each of several disjoint parts, together: the largest of their guarantees.

    >>> compose(Parallel((GaussianDP(0.5), GaussianDP(1.0)))).epsilon(1e-6)

    The code that splits the records sees to three conditions: each record belongs to one part by what it
    alone says; a replaced record stays in its part (for records that are added or removed this is no
    condition); each part has noise of its own. ``DISJOINT`` says so in a sentence, for a statement. Several
    rounds of such releases are composed round by round.

    Parameters
    ----------
    parts
        What the release of each part promises.
    """

    parts: tuple[Guarantee, ...]

    def __post_init__(self) -> None:
        fix = "Pass a tuple of guarantees, one for each part."
        if not isinstance(self.parts, tuple | list) or not self.parts:
            raise InvalidParameterError("parts", self.parts, "a tuple of guarantees", fix)
        for part in self.parts:
            if not isinstance(part, Guarantee):
                raise InvalidParameterError("parts", part, "a guarantee", fix)
            if not isinstance(part, Hashable):
                raise InvalidParameterError("parts", part, "hashable", "Make it a frozen dataclass.")
        # The same whatever their order and however often one is named.
        object.__setattr__(self, "parts", tuple(sorted(dict.fromkeys(self.parts), key=repr)))
        common("parts", (part.neighbours for part in self._inner))

    @cached_property
    def _inner(self) -> tuple[Guarded, ...]:
        return tuple(map(Guarded.of, self.parts))

    @property
    def neighbours(self) -> Neighbours | None:
        """The neighbours that all parts are for."""
        return common("parts", (part.neighbours for part in self._inner))

    @property
    def leak(self) -> float:
        """The largest leak of a part."""
        return max(part.leak for part in self._inner)

    @property
    def failure(self) -> float:
        """The largest: what fails in a part without the record shows nothing of it."""
        return max(part.failure for part in self._inner)

    @property
    def order_limit(self) -> float:
        """The least limit of a part."""
        return min(part.order_limit for part in self._inner)

    @property
    def loss_std(self) -> float:
        """The largest size of a loss."""
        return max(part.loss_std for part in self._inner)

    @property
    def largest_loss(self) -> float:
        """The largest loss of any part."""
        return max(part.largest_loss for part in self._inner)

    @property
    def is_symmetric(self) -> bool:
        """Whether all parts are symmetric."""
        return all(part.is_symmetric for part in self._inner)

    @property
    def only_renyi(self) -> bool:
        """Whether the Rényi curve is all that is known of every part."""
        return all(part.only_renyi for part in self._inner)

    def rdp(self, alpha: float) -> float:
        """The largest curve at this order."""
        return max(part.rdp(alpha) for part in self._inner)

    def log_delta(self, epsilon: float) -> float:
        """The largest profile at this epsilon."""
        return max(part.log_delta(epsilon) for part in self._inner)

    def reach(self, log_tail: float) -> float:
        """As far as the part that reaches furthest."""
        return max(part.reach(log_tail) for part in self._inner)

    def profile_at(self, epsilon: FloatArray) -> FloatArray:
        """The largest profile, point by point."""
        return np.asarray(np.maximum.reduce([part.profile_at(epsilon) for part in self._inner]))

    def ordered_profile_at(self, epsilon: FloatArray, order: Order) -> FloatArray:
        """The largest in this order, point by point."""
        return np.asarray(
            np.maximum.reduce([part.ordered_profile_at(epsilon, order) for part in self._inner])
        )

    def describe(self) -> str:
        """The guarantees of all parts."""
        return f"the largest of {'; '.join(part.describe() for part in self._inner)}, for disjoint parts"
