"""How much of what clipping took from gradients is put back, and how much of it may be there unseen.

What is released of it is seen through noise of std s. Along the line, the direction of its slopes, it is
taken by itself: where slopes differ from record to record, or records lie beyond the edge of a feature, all
that clipping took points there. Proof: proofs/regression.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.descent.clipping_bias import Cut

_LEAST_SQUARE = 1e-300


class Weights(NamedTuple):
    """Matrices that take what was released to what is ``kept``, put back for being seen, and to what is
    ``likely``, which counts what noise may hide as well.
    """

    kept: FloatArray
    likely: FloatArray


def weigh(cut: Cut, slopes: FloatArray, hidden_std: float, *, puts_back: bool) -> Weights:
    """The weights along the line of these slopes, and across it.

    With m directions and a sum of squares S kept is max(1 - (m + 1) s²/S, 0), a little less than James and
    Stein keep; likely is t²/(t² + s²) with t² = max(S/m - s², 0) + ``hidden_std``².
    """
    dim, noise = cut.mean.size, cut.noise_std**2
    line = np.zeros(dim)
    if slopes.any():
        line[: slopes.size] = slopes / np.abs(slopes).max()  # so that squares neither vanish nor overflow
        line /= np.linalg.norm(line)
    along = np.outer(line, line)
    kept, likely = np.zeros((2, dim, dim))
    for projection, directions in ((along, 1), (np.eye(dim) - along, dim - 1)):
        if not directions:
            continue
        seen = max(float(cut.mean @ projection @ cut.mean), _LEAST_SQUARE)
        expected = max(seen / directions - noise, 0.0) + hidden_std**2
        likely += expected / (expected + noise) * projection
        if puts_back:
            kept += max(1 - (directions + 1) * noise / seen, 0.0) * projection
    return Weights(kept, likely)
