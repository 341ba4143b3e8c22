"""The last look: do the predictions follow the labels at all?"""

from __future__ import annotations

import math

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.estimate.spending import Spending
from relgauss.records import BoundedAnswer
from relgauss.records.blocks import Block, Rows
from relgauss.records.bounded_mean import bounded_mean

STAGE = "check"
_CAUTION = 2.0  # noise levels from which the predictions' size is known well enough to judge


def prediction_moments(rows: Rows, theta: FloatArray, bound: float) -> BoundedAnswer:
    """The means of p t and p² for predictions p and labels t, both moved into [-B, B].

    p t lies in [-B², B²] and p² in [0, B²]: two records are at most sqrt(5) B² apart.
    """

    def block_sum(block: Block) -> FloatArray:
        predictions = np.clip(block.features @ theta, -bound, bound)
        labels = np.clip(block.labels, -bound, bound)
        return np.array([predictions @ labels, predictions @ predictions])

    square = bound**2
    return bounded_mean(rows, block_sum, largest=math.sqrt(2) * square, apart=math.sqrt(5) * square)


def best_factor(rows: Rows, theta: FloatArray, bound: float, spending: Spending, share: float) -> float:
    """The factor in [0, 1] by which predictions fit best, E[p t]/E[p²], plus one noise level.

    It shortens predictions only where noise is seen to dominate them; zero means that they explain nothing.
    """
    released = spending.release(STAGE, prediction_moments(rows, theta, bound), share)
    product, square = released.value
    if square <= _CAUTION * released.noise_std:
        return 1.0
    factor = product / square
    doubt = released.noise_std / square * math.sqrt(1 + min(factor * factor, 1.0))
    return float(min(1.0, max(0.0, factor + doubt)))
