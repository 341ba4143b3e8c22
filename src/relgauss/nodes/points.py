"""Which points a node answers at: decided by public numbers, before anything is read or charged."""

from __future__ import annotations

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.errors import InvalidValueError

FARTHEST = 1e9
"""The largest norm of a point that is answered, in the node's own coordinates. Rows there have a size of
about one in each coordinate and labels are at most 1e3, so no useful point is near it; scores, gradients and
sums at points up to it are far from overflow for all records (proofs/node-points.md)."""


def refuse_far(point: FloatArray) -> None:
    """Refuse a point beyond ``FARTHEST``, and one whose coordinates overflowed on the way here."""
    with np.errstate(all="ignore"):
        norm = float(np.linalg.norm(point))
    if not norm <= FARTHEST:  # NaN fails this too
        raise InvalidValueError(
            f"The point lies further than {FARTHEST:g} from the origin of the node's coordinates.",
            "Ask at a point of a usual size: make steps smaller if the descent diverges.",
        )
