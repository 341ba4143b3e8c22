"""The final check of a regression: whether predictions follow the labels and are right on average."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.bounded.answer import BoundedAnswer
from relgauss.bounded.block_mean import bounded_mean
from relgauss.records.blocks import Block, Rows
from relgauss.spending import Spending

STAGE = "check"
_CAUTION = 2.0  # noise levels from which a moment is known well enough to judge by


def prediction_moments(rows: Rows, theta: FloatArray, bound: float) -> BoundedAnswer:
    """The means of p t, p², B p and B t for predictions p and labels t, both clipped to [-B, B].

    Two records are at most sqrt(8) B² apart: proofs/regression.md.
    """

    def block_sum(block: Block) -> FloatArray:
        predictions = np.clip(block.features @ theta, -bound, bound)
        labels = np.clip(block.labels, -bound, bound)
        sums = bound * predictions.sum(), bound * labels.sum()
        return np.array([predictions @ labels, predictions @ predictions, *sums])

    square = bound**2
    return bounded_mean(rows, block_sum, largest=2 * square, apart=math.sqrt(8) * square)


@dataclass(frozen=True)
class Correction:
    """Predictions are to be multiplied by ``factor`` (0: they explain nothing) and moved by ``shift``."""

    factor: float
    shift: float


def correct(rows: Rows, theta: FloatArray, bound: float, spending: Spending, share: float) -> Correction:
    """How to correct the predictions x @ theta, from one release of their moments for this share.

    The factor in [0, 1] by which they fit best around their mean is cov(p, t)/var(p), plus one noise level:
    it shrinks them only where noise is seen to dominate. Clipped gradients pull the mean of skewed labels
    towards their median, so a difference of the means that stands out of the noise is added back.
    """
    released = spending.release(STAGE, prediction_moments(rows, theta, bound), share)
    noise = released.noise_std
    product, square, mean, mean_label = (float(each) for each in released.value / [1, 1, bound, bound])
    covariance, variance = product - mean * mean_label, square - mean**2
    factor = 1.0
    if variance > _CAUTION * noise:
        doubt = noise / variance * math.sqrt(1 + min((covariance / variance) ** 2, 1.0))
        factor = min(1.0, max(0.0, covariance / variance + doubt))
    missed = mean_label - mean
    is_seen = abs(missed) > _CAUTION * math.sqrt(2) * noise / bound
    return Correction(factor, (1 - factor) * mean + (missed if is_seen else 0.0))
