"""The last look: do the predictions follow the labels, and are they right on average?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.estimate.spending import Spending
from relgauss.records import BoundedAnswer
from relgauss.records.blocks import Block, Rows
from relgauss.records.bounded_mean import bounded_mean

STAGE = "check"
_CAUTION = 2.0  # noise levels from which a moment is known well enough to judge by


def prediction_moments(rows: Rows, theta: FloatArray, bound: float) -> BoundedAnswer:
    """The means of p t, of p² and of B (t - p)/2 for predictions p and labels t, both moved into [-B, B].

    They lie in [-B², B²], [0, B²] and [-B², B²]: two records are at most 3 B² apart.
    """

    def block_sum(block: Block) -> FloatArray:
        predictions = np.clip(block.features @ theta, -bound, bound)
        labels = np.clip(block.labels, -bound, bound)
        residuals = bound / 2 * (labels - predictions).sum()
        return np.array([predictions @ labels, predictions @ predictions, residuals])

    square = bound**2
    return bounded_mean(rows, block_sum, largest=math.sqrt(3) * square, apart=3 * square)


@dataclass(frozen=True)
class Correction:
    """Predictions are to be multiplied by ``factor`` (0: they explain nothing) and moved by ``shift``."""

    factor: float
    shift: float


def correct(rows: Rows, theta: FloatArray, bound: float, spending: Spending, share: float) -> Correction:
    """What the moments of the predictions say about them; from one release.

    The factor in [0, 1] by which they fit best is E[p t]/E[p²], plus one noise level: it shortens them only
    where noise is seen to dominate. Clipped gradients pull the mean of skewed labels towards their median, so
    a mean residual that is seen to differ from zero is added back.
    """
    released = spending.release(STAGE, prediction_moments(rows, theta, bound), share)
    product, square, residual = released.value
    factor = 1.0
    if square > _CAUTION * released.noise_std:
        doubt = released.noise_std / square * math.sqrt(1 + min((product / square) ** 2, 1.0))
        factor = float(min(1.0, max(0.0, product / square + doubt)))
    is_seen = abs(residual) > _CAUTION * released.noise_std
    return Correction(factor, 2 / bound * factor * float(residual) if is_seen else 0.0)
