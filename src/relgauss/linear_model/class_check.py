"""The final check of a classifier: that it has less log-loss than the shares of the classes.

Proof: proofs/regression.md.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import expit, ndtri, softmax

from relgauss.arrays import FloatArray
from relgauss.bounded.answer import BoundedAnswer, bounded_mean
from relgauss.descent.softmax import Softmax
from relgauss.linear_model.units import Interval
from relgauss.records.blocks import Block, Rows

_LOG_ROUNDING = 2.0**-34  # near the ends of their range logarithms were seen to err by 2^-38
_PARTS = np.array([1.0, 0.8, 0.65, 0.5, 0.4, 0.3])  # of the farthest, as the check can see
_CLEAR = 6.0  # noise levels of the check by which a gain is to show
_NORMAL_POINTS = ndtri((np.arange(64) + 0.5) / 64)


def log_loss_gain(rows: Rows, theta: FloatArray, constant: float, reach: Interval) -> BoundedAnswer:
    """The mean of log(1 + q (e^a - 1)) - p a for a = score - constant, clipped to ``reach``: how much more
    log-loss a classifier has than the probability q of the constant log-odds.

    p is 0 or 1. Two contributions differ by at most the width of the interval that the four extreme ones
    span: proofs/regression.md.
    """
    share = float(expit(constant))

    def block_sum(block: Block) -> FloatArray:
        away = np.clip(block.features @ theta - constant, *reach)
        return np.atleast_1d(_extra_loss(share, away, np.clip((block.labels + 1) / 2, 0.0, 1.0)).sum())

    largest = max(-reach[0], reach[1]) * (1 + _LOG_ROUNDING)
    return bounded_mean(rows, block_sum, largest=largest, apart=_loss_width(share, reach))


def _extra_loss(share: float, away: FloatArray, chances: FloatArray) -> FloatArray:
    """The log-loss of log-odds that are so far ``away`` from those of a share, less that of the share."""
    return np.log1p(share * np.expm1(away)) - chances * away


def _loss_width(share: float, reach: Interval) -> float:
    """How far two extra losses may be apart."""
    ends = _extra_loss(share, np.array([*reach, *reach]), np.array([0.0, 0.0, 1.0, 1.0]))
    return float(np.ptp(ends)) * (1 + _LOG_ROUNDING)


def clear_reach(middle: float, deviation: float, constant: float, noise: float, farthest: float) -> Interval:
    """How far from a constant log-odds may go, below and above: where most is gained, as far as it shows,
    and at most ``farthest``.

    ``noise`` is that of the check for losses of width one. The gain is what the model itself promises, where
    its log-odds are normal of this middle and deviation. If none would show, the reach is taken whose gain
    comes nearest to it.
    """
    points = middle + deviation * _NORMAL_POINTS
    chances, share = expit(points), float(expit(constant))

    def clear_gain(reach: Interval) -> tuple[bool, float]:
        gained = -float(_extra_loss(share, np.clip(points - constant, *reach), chances).mean())
        missing = _CLEAR * noise * _loss_width(share, reach) - gained
        return missing <= 0, gained if missing <= 0 else -missing

    ends = farthest * _PARTS
    return max(((-below, above) for below in ends for above in ends), key=clear_gain)


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
