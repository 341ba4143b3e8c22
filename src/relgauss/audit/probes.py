"""Further pairs of neighbours, beside the worst one, which looks at one place: a fault may be elsewhere.

    zero       0 and r v                            noise that is missing where the answer is small
    positive   u w and its farthest neighbour u' w, all coordinates above zero, u far out
    negative   the same below zero, u where the bound's two parts are alike
    axes       u e_i, and from there along e_j      a coordinate that has too little noise
    weakest    u w, and from there along v ⟂ w, the direction in which outputs at zero vary least

v, w, i and j are random. Everything here is public. Proof: proofs/audit.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from relgauss.arrays import FloatArray, l2_norm
from relgauss.mechanisms import Mechanism
from relgauss.mechanisms.neighbours import FAR, Pair
from relgauss.mechanisms.sensitivity import AbsoluteSensitivity, RelativeSensitivity

_ROWS_PER_COLUMN = 10  # outputs for each coordinate that make a covariance worth looking into


def turned(mechanism: Mechanism, pair: Pair, rng: np.random.Generator) -> Pair:
    """A pair in the plane of the first two axes, moved into a random plane."""
    if mechanism.dim == 1:
        return pair
    plane = np.linalg.qr(rng.normal(size=(mechanism.dim, 2)))[0]
    return Pair(plane @ pair.first[:2], plane @ pair.second[:2])


def fixed_probes(mechanism: Mechanism, rng: np.random.Generator) -> Iterator[Pair]:
    """The probes whose directions are drawn blindly; the first has the answer zero if the bound allows it."""
    bound, dim = _relative(mechanism), mechanism.dim
    middle, far = _norms(bound)
    if bound.r > 0:
        yield _from(mechanism, np.zeros(dim), _allowed(bound, direction(rng, dim)))
    upward = np.abs(direction(rng, dim))
    yield _from(mechanism, far * upward, upward)
    if not bound.nonnegative:
        yield _from(mechanism, -middle * upward, -upward)
    if dim > 1:
        start, along = (_axis(dim, place) for place in rng.choice(dim, 2, replace=False))
        yield _from(mechanism, far * start, along)


def weakest_probe(mechanism: Mechanism, outputs: FloatArray, rng: np.random.Generator) -> Pair:
    """A step in the direction in which these outputs vary least, from an answer at right angles to it."""
    weakest = _least_varying(outputs)
    across = direction(rng, mechanism.dim)
    across -= (across @ weakest) * weakest
    return _from(mechanism, _norms(_relative(mechanism))[1] * across / l2_norm(across), weakest)


def neighbour(mechanism: Mechanism, answer: FloatArray, along: FloatArray) -> FloatArray:
    """A neighbour as far away as the bound allows, in a direction that does not lead to a smaller norm."""
    outward = -along if along @ answer < 0 else along
    return answer + _relative(mechanism).local_scale(l2_norm(answer)) * outward


def direction(rng: np.random.Generator, dim: int) -> FloatArray:
    """A random unit vector: dense, and unlike any that a fault could have been made for."""
    normal = rng.normal(size=dim)
    return normal / l2_norm(normal)


def _from(mechanism: Mechanism, answer: FloatArray, along: FloatArray) -> Pair:
    return Pair(answer, neighbour(mechanism, answer, along))


def _least_varying(outputs: FloatArray) -> FloatArray:
    """An eigenvector of the covariance or, with few outputs for it, the axis of least variance."""
    rows, dim = outputs.shape
    if rows >= _ROWS_PER_COLUMN * dim:
        covariance = np.cov(outputs.T)
        if np.isfinite(covariance).all():
            least: FloatArray = np.linalg.eigh(covariance)[1][:, 0]
            return least
    return _axis(dim, int(np.argmin(outputs.var(axis=0))))


def _axis(dim: int, place: int) -> FloatArray:
    axis = np.zeros(dim)
    axis[place] = 1.0
    return axis


def _relative(mechanism: Mechanism) -> RelativeSensitivity:
    bound = mechanism.sensitivity
    return bound.to_relative() if isinstance(bound, AbsoluteSensitivity) else bound


def _norms(bound: RelativeSensitivity) -> tuple[float, float]:
    """Where the two parts of the bound are alike, and where the relative part dwarfs the other."""
    if bound.r == 0:
        return 1.0, FAR
    middle = bound.r / bound.eta if bound.eta > 0 else math.sqrt(FAR) * bound.r
    return middle, FAR * middle


def _allowed(bound: RelativeSensitivity, along: FloatArray) -> FloatArray:
    return np.abs(along) if bound.nonnegative else along
