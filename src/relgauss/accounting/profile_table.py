"""A guarantee that is known by its profile at some points, as another accountant reads it.

The profile is convex in e^epsilon, so between two points it lies below their chord; beyond the last point it
is no larger than there. Proof: proofs/composition.md, 1 and 5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from relgauss import validate
from relgauss.accounting import guard
from relgauss.accounting.adjacency import NEIGHBOURS, REPLACE_ONE, Neighbours
from relgauss.accounting.guarantees import Guarantee
from relgauss.arrays import FloatArray
from relgauss.errors import InvalidParameterError
from relgauss.rounding import round_up

_FARTHEST = 700.0  # whose exponential is representable


@dataclass(frozen=True)
class ProfileTable(Guarantee):
    """delta(epsilon) at some points, for both orders of neighbours; nothing more is known.

    >>> compose(ProfileTable((0.0, 0.5, 1.0), (0.1, 1e-3, 1e-6)), GaussianDP(0.1)).epsilon(1e-5)

    Parameters
    ----------
    epsilons
        Ascending, from 0.
    deltas
        The proven delta at each: none larger than the one before.
    neighbours
        Which tables it is about: "replace-one" or "add-or-remove".
    """

    epsilons: tuple[float, ...]
    deltas: tuple[float, ...]
    neighbours: Neighbours = REPLACE_ONE

    def __post_init__(self) -> None:
        validate.choice("neighbours", self.neighbours, NEIGHBOURS)
        fix = "Pass epsilons from 0 on, ascending, and the delta at each."
        epsilons, deltas = (
            tuple(validate.rounded_up(name, each, fix) for each in validate.sequence(name, given, fix))
            for name, given in (("epsilons", self.epsilons), ("deltas", self.deltas))
        )
        if not epsilons or epsilons[0] != 0 or epsilons[-1] > _FARTHEST:
            raise InvalidParameterError("epsilons", epsilons[:1], f"from 0 to {_FARTHEST:g} at most", fix)
        if any(later <= earlier for earlier, later in pairwise(epsilons)):
            raise InvalidParameterError("epsilons", "those", "ascending", fix)
        if len(deltas) != len(epsilons) or any(later > earlier for earlier, later in pairwise(deltas)):
            raise InvalidParameterError("deltas", "those", "one for each epsilon, and nowhere rising", fix)
        object.__setattr__(self, "epsilons", epsilons)
        object.__setattr__(self, "deltas", deltas)

    @property
    def order_limit(self) -> float:
        """No Rényi order is known."""
        return 1.0

    @property
    def loss_std(self) -> float:
        """That of a Gaussian of the same distance in variation, about."""
        return 2.5 * self.deltas[0]

    def rdp(self, alpha: float) -> float:
        """Nothing is known of it."""
        validate.order("alpha", alpha)
        return math.inf

    def log_delta(self, epsilon: float) -> float:
        """By the chord around this epsilon."""
        found = float(self.profile_at(np.array([epsilon]))[0])
        return guard.log_up(math.log(found)) if found > 0 else -math.inf

    def reach(self, log_tail: float) -> float:
        """The last point that matters: beyond it nothing more is known."""
        wanted = math.exp(max(log_tail, -700.0))
        return next(
            (at for at, delta in zip(self.epsilons, self.deltas, strict=True) if delta <= wanted),
            self.epsilons[-1],
        )

    def profile_at(self, epsilon: FloatArray) -> FloatArray:
        """The chords, and the last delta from there on."""
        grown, points, deltas = np.expm1(np.minimum(epsilon, self.epsilons[-1])), *self._chords
        before = deltas[np.maximum(np.searchsorted(points, grown) - 1, 0)]
        chord = np.interp(grown, points, deltas) * (1 + 1e-14)
        # A steep chord loses digits at its lower end.
        return np.asarray(np.minimum(chord + 1e-15 * before, 1.0))

    def describe(self) -> str:
        """How many points there are, and the last of them."""
        last, least = round_up(self.epsilons[-1]), round_up(self.deltas[-1])
        return f"profile at {len(self.epsilons):,} points, down to delta {least} at epsilon {last}"

    @cached_property
    def _chords(self) -> tuple[FloatArray, FloatArray]:
        return np.expm1(np.array(self.epsilons)), np.array(self.deltas)
