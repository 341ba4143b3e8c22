"""The final check of a model of several classes: that it has less log-loss than their shares.

Proof: proofs/regression.md.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import softmax

from relgauss.arrays import FloatArray
from relgauss.bounded.answer import BoundedAnswer, bounded_mean
from relgauss.descent.softmax import Softmax
from relgauss.records.blocks import Block, Rows

_LOG_ROUNDING = 2.0**-40  # far above what logarithms of a score err by


def class_loss_gain(
    rows: Rows, theta: FloatArray, objective: Softmax, constant: FloatArray, reach: float
) -> BoundedAnswer:
    """The mean of log Σ_k q_k e^{a_k - a_y} for a = clip(scores - constant, ±reach): how much more log-loss
    a classifier has than the probabilities q of the constant scores.

    It lies between log(q + (1 - q) e^{-2 reach}) and log(q + (1 - q) e^{2 reach}) at the smallest q, and two
    contributions are at most as far apart as these: proofs/regression.md.
    """
    chances: FloatArray = softmax(constant)

    def block_sum(block: Block) -> FloatArray:
        scores = objective.mixing @ objective.scores(block.features, theta)
        away = np.clip(scores - constant[:, None], -reach, reach)
        own = away[objective.classes_of(block.labels), np.arange(len(block.labels))]
        return np.atleast_1d(np.log1p(chances @ np.expm1(away - own)).sum())

    rarest = float(chances.min())
    low, high = (math.log1p((1 - rarest) * math.expm1(2 * end)) for end in (-reach, reach))
    width = (high - low) * (1 + _LOG_ROUNDING)
    return bounded_mean(rows, block_sum, largest=2 * reach * (1 + _LOG_ROUNDING), apart=width)
