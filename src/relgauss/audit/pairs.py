"""The pair of neighbouring answers that an audit looks at most. Proof: proofs/audit.md."""

from __future__ import annotations

import math

import numpy as np

from relgauss.arrays import FloatArray, l2_norm
from relgauss.errors import InvalidParameterError
from relgauss.mechanisms import Mechanism
from relgauss.mechanisms.neighbours import Pair


def worst_pair(mechanism: Mechanism, epsilon: float) -> Pair:
    """The pair at which a mechanism shows the most of its delta at this epsilon, as it says itself.

    Where answers are whole numbers: zero and whole numbers about r away.
    """
    if not isinstance(mechanism, Mechanism):
        raise InvalidParameterError(
            "mechanism", mechanism, "a mechanism", "For any other sampler use audit_samplers."
        )
    if mechanism.whole_numbers:
        return Pair(np.zeros(mechanism.dim), whole_step(mechanism.sensitivity.r, np.ones(mechanism.dim)))
    return mechanism.hardest_pair(epsilon)


def whole_step(r: float, along: FloatArray) -> FloatArray:
    """Whole numbers near this direction, their norm as near r as they come without passing it."""
    order = np.argsort(-np.abs(along), kind="stable")
    step = np.trunc(r * along / l2_norm(along))
    left = math.floor(r * r * (1 + 1e-12)) - float(step @ step)  # of the square; r may be a rounded root
    for place in order:
        more = 2 * abs(step[place]) + 1
        if more <= left:
            step[place] += math.copysign(1.0, along[place])
            left -= more
    return step
