"""Two neighbouring answers, as far apart as a bound allows.

    radial:    u e_1  and  (u + S(u)) e_1                       noise that follows the norm differs most
    rotation:  two answers of norm u, min(S(u), 2u) apart       the same noise, the largest distance

Everything here is public: bounds and noise levels, never a record. Proof: proofs/audit.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.mechanisms.sensitivity import AbsoluteSensitivity, RelativeSensitivity

FAR = 1e3  # norms this many times r/eta: there the floor r moves local scales by a millionth


@dataclass(frozen=True, eq=False)
class Pair:
    """Two answers that one replaced record may turn into each other.

    Parameters
    ----------
    first, second
        The answers on the two tables.
    """

    first: FloatArray
    second: FloatArray

    @property
    def difference(self) -> FloatArray:
        """The second answer minus the first."""
        return self.second - self.first


def farthest(bound: RelativeSensitivity | AbsoluteSensitivity, dim: int) -> Pair:
    """Zero and an answer r away; for a relative bound, a large answer and its farthest neighbour."""
    if isinstance(bound, AbsoluteSensitivity) or bound.eta == 0:
        return on_axis(0.0, bound.r, dim)
    return radial(bound, dim, far(bound.r / bound.eta))


def radial(bound: RelativeSensitivity, dim: int, norm: float) -> Pair:
    """u e_1 and its farthest neighbour of the same direction."""
    return on_axis(norm, norm + bound.local_scale(norm), dim)


def rotation(bound: RelativeSensitivity, dim: int, norm: float) -> Pair:
    """Two answers of this norm, as far apart as the bound allows: on either side of e_1, or opposite."""
    half = min(bound.local_scale(norm) / 2, norm)
    first, second = np.zeros(dim), np.zeros(dim)
    if dim == 1:
        first[0], second[0] = -half, half
    else:
        along = math.sqrt((norm - half) * (norm + half))
        first[:2], second[:2] = (along, -half), (along, half)
    return Pair(first, second)


def rotation_or_radial(bound: RelativeSensitivity, dim: int) -> Pair:
    """A rotation where answers of equal norm can be S apart; else radial, from the least answer."""
    if bound.eta == 0:
        return on_axis(0.0, bound.r, dim)
    norm = rotation_norm(bound, dim, bound.r / bound.eta)
    if norm is not None:
        return rotation(bound, dim, norm)
    return radial(bound, dim, 0.0 if bound.r > 0 else 1.0)


def rotation_norm(bound: RelativeSensitivity, dim: int, floor: float) -> float | None:
    """A norm at which two answers of equal norm are S apart; None where there is none.

    In one dimension they are opposite: S(u) = 2u. From eta = 2 on, opposite is as far as they get.
    ``floor`` is r/eta, or the norm below which a mechanism's noise no longer follows the answer.
    """
    if dim > 1:
        return far(floor)
    if bound.nonnegative:
        return None
    if bound.eta >= 2:
        return far(floor)
    if bound.r == 0:
        return None
    return bound.r / (2 - bound.eta if bound.form == "linear" else math.sqrt(4 - bound.eta**2))


def far(floor: float) -> float:
    """A norm that dwarfs the floor, which is r/eta or its like; any norm if there is no floor."""
    return FAR * floor if floor > 0 else 1.0


def on_axis(first: float, second: float, dim: int) -> Pair:
    """Two answers on the first axis."""
    axis = np.zeros(dim)
    axis[0] = 1.0
    return Pair(first * axis, second * axis)
