"""The central value of the library: an answer that carries the bound it was clipped to.

Here too is how means of clipped contributions become one, with the error of the summation in the bound.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.errors import InvalidValueError
from relgauss.mechanisms.sensitivity import AbsoluteSensitivity
from relgauss.records.blocks import Block, Rows

_ROUNDOFF = 2.0**-53


@dataclass(frozen=True, eq=False)
class BoundedAnswer:
    """An answer and how far replacing one record can move it: made together, to be passed on together.

    Attributes
    ----------
    value : array
        The exact answer: private until a mechanism releases it. It is made read-only.
    sensitivity : AbsoluteSensitivity
        How far replacing one record can move the value, in L2 norm.
    """

    value: FloatArray
    sensitivity: AbsoluteSensitivity

    def __post_init__(self) -> None:
        self.value.flags.writeable = False

    @classmethod
    def enforced(cls, value: FloatArray, moved: float) -> Self:
        """A ``value`` of which clipping enforced that replacing one record moves it by at most ``moved``."""
        return cls(value, AbsoluteSensitivity(moved, "enforced"))


def clip_weights(norms: FloatArray, clip_radius: float) -> FloatArray:
    """min(1, clip_radius/norm): the weight that clips a row to this norm, 1 for a row of zeros."""
    return clip_radius / np.maximum(norms, clip_radius)


def bounded_mean(
    rows: Rows, block_sum: Callable[[Block], FloatArray], *, largest: float, apart: float
) -> BoundedAnswer:
    """(1/n) Σ g_i, where g_i depends on row i only, ||g_i|| <= largest and ||g_i - g_i'|| <= apart.

    ``block_sum`` returns the sum of g_i over a block, summed in any order. A sum of k floats is off by at
    most k u/(1 - k u) times the sum of their sizes, so the computed mean moves by at most

        apart/n + 2 largest k u/(1 - k u),   k = rows of a block + blocks + 4

    and ``largest``, ``apart`` hold up to a relative (d + 16) u for the clipping itself. Each is given by the
    function that clips, so bound and answer travel together. Proof: proofs/float-sums.md.
    """
    total = rows.total(block_sum)
    if not np.isfinite(total).all():
        raise InvalidValueError("A sum over the records overflows.", "Express the records in other units.")
    roundings = (min(rows.count, rows.block_rows) + rows.most_blocks + 4) * _ROUNDOFF
    drift = 2 * largest * roundings / (1 - roundings)
    growth = 1 + (rows.columns + 16) * 2 * _ROUNDOFF
    moved = (apart / rows.count + drift) * growth * (1 + 2.0**-48)
    return BoundedAnswer.enforced(np.atleast_1d(total / rows.count), moved)
