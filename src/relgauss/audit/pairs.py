"""Two neighbouring answers that are as easy to tell apart as the bound allows.

    radial:    u e_1  and  (u + S(u)) e_1                       noise that follows the norm differs most
    rotation:  two answers of norm u, min(S(u), 2u) apart       the same noise, the largest distance

Everything here is public: bounds and noise levels, never a record. Proof: proofs/audit.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import singledispatch
from typing import get_args

import numpy as np

from relgauss.accounting import gdp
from relgauss.accounting.gaussian_pair import Order
from relgauss.accounting.guarantees import GaussianPairDP
from relgauss.arrays import FloatArray, l2_norm
from relgauss.errors import InvalidParameterError
from relgauss.mechanisms import Gaussian, IsometricGaussian, Mechanism, RelativeGaussian
from relgauss.sensitivity import RelativeSensitivity

FAR = 1e3  # norms this many times r/eta: there the floor r moves local scales by a millionth


@dataclass(frozen=True, eq=False)
class Pair:
    """Two answers that one replaced record may turn into each other."""

    first: FloatArray
    second: FloatArray

    @property
    def difference(self) -> FloatArray:
        """From the first to the second."""
        return self.second - self.first


@singledispatch
def worst_pair(mechanism: Mechanism, epsilon: float) -> Pair:
    """The pair at which a mechanism shows the most of its delta at this epsilon.

    To audit another mechanism, register its pair here and its score in ``statistics``.
    """
    raise InvalidParameterError(
        "mechanism",
        type(mechanism).__name__,
        "Gaussian, RelativeGaussian or IsometricGaussian",
        "Audit other mechanisms with audit_samplers, on a pair of your own.",
    )


@worst_pair.register
def _(mechanism: Gaussian, epsilon: float) -> Pair:
    """Any two answers r apart."""
    return _on_axis(0.0, mechanism.sensitivity.r, mechanism.dim)


@worst_pair.register
def _(mechanism: RelativeGaussian, epsilon: float) -> Pair:
    """Radial, unless equal variances are worse at this epsilon and answers of equal norm can be S apart."""
    bound, dim, guarantee = mechanism.sensitivity, mechanism.dim, mechanism.guarantee
    if not isinstance(guarantee, GaussianPairDP):
        return _on_axis(0.0, bound.r, dim)
    floor = mechanism.sigma / math.sqrt(mechanism.gamma)
    norm = _rotation_norm(bound, dim, floor)
    if norm is not None:
        turned = rotation(bound, dim, norm)
        shift = l2_norm(turned.difference) / mechanism.noise_std(norm)
        unlike = max(guarantee.pair.log_hockey_stick(epsilon, order) for order in get_args(Order))
        if gdp.log_delta(shift, epsilon) > unlike:
            return turned
    return radial(bound, dim, _far(floor))


@worst_pair.register
def _(mechanism: IsometricGaussian, epsilon: float) -> Pair:
    """Rotation, which decoding keeps; radial where all answers have one sign."""
    bound, dim = mechanism.sensitivity, mechanism.dim
    if bound.eta == 0:
        return _on_axis(0.0, bound.r, dim)
    norm = _rotation_norm(bound, dim, bound.r / bound.eta)
    if norm is not None:
        return rotation(bound, dim, norm)
    return radial(bound, dim, 0.0 if bound.r > 0 else 1.0)


def radial(bound: RelativeSensitivity, dim: int, norm: float) -> Pair:
    """u e_1 and its farthest neighbour of the same direction."""
    return _on_axis(norm, norm + bound.local_scale(norm), dim)


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


def _rotation_norm(bound: RelativeSensitivity, dim: int, floor: float) -> float | None:
    """A norm at which two answers of equal norm are S apart; None where there is none.

    In one dimension they are opposite: S(u) = 2u. From eta = 2 on, opposite is as far as they get.
    """
    if dim > 1:
        return _far(floor)
    if bound.nonnegative:
        return None
    if bound.eta >= 2:
        return _far(floor)
    if bound.r == 0:
        return None
    return bound.r / (2 - bound.eta if bound.form == "linear" else math.sqrt(4 - bound.eta**2))


def _far(floor: float) -> float:
    """A norm that dwarfs the floor, which is r/eta or its like; any norm if there is no floor."""
    return FAR * floor if floor > 0 else 1.0


def _on_axis(first: float, second: float, dim: int) -> Pair:
    """Two answers on the first axis."""
    axis = np.zeros(dim)
    axis[0] = 1.0
    return Pair(first * axis, second * axis)
