"""How far clipped gradients may have pulled a regression's slopes away from the mean's line.

Least squares is at θ + E[(||g|| - c)+ u], where u is the direction of a gradient g and c the threshold. Where
errors are skewed, more gradients are clipped on one side than on the other, and where they also grow with a
feature, this bends its slope. On which sides gradients are clipped is released, and what it shows is allowed
for: how far beyond the threshold they reach is hidden, and taken from public numbers.
Proof: proofs/regression.md.
"""

from __future__ import annotations

import math

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.bounded.answer import BoundedAnswer, bounded_mean
from relgauss.descent.objectives import Objective
from relgauss.records.blocks import Block, Rows
from relgauss.spending import Noisy, Spending

SIDES = "clipped sides"
_LEAST_REACH, _REACH = 0.4, 7.0  # (||g|| - c)/c of clipped gradients, and by how much more if more are
_ALONG = 1.5  # times as far where they lean: the farthest lean most
_CAUTION = 2.0  # noise levels from which one side counts as clipped more than the other
_CHANCE = 3.0  # the same of a mean square of noise in d directions: its deviations from one
_ENOUGH = 1000.0  # n mu up to which the sides are weighted like their directions,
_LEAST_WEIGHT = 0.4  # and above it less, as they show more easily
_TINY = float(np.finfo(np.float64).tiny)


def side_weight(signal: float) -> float:
    """How much the side counts beside its direction in the release, by n mu."""
    return min(1.0, max(_LEAST_WEIGHT, math.sqrt(_ENOUGH / signal)))


def clipped_sides(
    rows: Rows, theta: FloatArray, objective: Objective, slopes: int, clip_threshold: float, weight: float
) -> BoundedAnswer:
    """The mean of (1, a side, side z/||z||) over records whose gradient is longer than c, and of zeros over
    the others: the side is the residual's sign, a is ``weight`` <= 1, and of z the slopes' part counts.

    Two of them are at most 2 sqrt(a² + 1) apart: the first coordinate is never negative.
    """

    def block_sum(block: Block) -> FloatArray:
        pull = objective.pull(objective.scores(block.features, theta), block.labels)
        sides = np.sign(pull) * (block.norms * np.abs(pull) > clip_threshold)
        directions = (sides / np.maximum(block.norms, _TINY)) @ block.features[:, :slopes]
        return np.concatenate([[np.abs(sides).sum(), weight * sides.sum()], directions])

    square = weight**2 + 1
    return bounded_mean(rows, block_sum, largest=math.sqrt(1 + square), apart=2 * math.sqrt(square))


def release_sides(
    rows: Rows,
    theta: FloatArray,
    objective: Objective,
    slopes: int,
    clip_threshold: float,
    spending: Spending,
    share: float,
) -> FloatArray:
    """What clipping may have done to the slopes, as a matrix to add to their covariance."""
    weight = side_weight(rows.count * spending.mu)
    answer = clipped_sides(rows, theta, objective, slopes, clip_threshold, weight)
    return clip_threshold**2 * bias_allowance(spending.release(SIDES, answer, share), weight, rows.count)


def bias_allowance(sides: Noisy, weight: float, records: int) -> FloatArray:
    """w² b bᵀ + w s² I: the mean square of what clipping may have done to d slopes, in thresholds.

        b = 1.5 k (direction),  s its standard deviation,  k = 0.4 + 7 (part that is clipped)
        w = t²/(t² + s²),       t² = (k side)²/(d + 1) if |side| > 2 noise levels, + ||b||²/d - s² if that
                                     is above 3 sqrt(2/d) s²

    b is what the release shows, and t² what it lets expect in each direction: nothing, where neither a side
    nor a direction stands out of the noise.
    """
    clipped, side, direction = sides.value[0], sides.value[1] / weight, sides.value[2:]
    part, dim = min(max(float(clipped), 0.0), 1.0), direction.size
    reach = _LEAST_REACH + _REACH * part
    shown = _ALONG * reach * direction
    variance = (_ALONG * reach) ** 2 * (sides.noise_std**2 + part / (records * (dim + 1)))
    square = float(shown @ shown) / dim
    expected = square - variance if square > (1 + _CHANCE * math.sqrt(2 / dim)) * variance else 0.0
    if abs(side) > _CAUTION * sides.noise_std / weight:
        expected += (reach * float(side)) ** 2 / (dim + 1)
    kept = expected / (expected + variance)
    allowed: FloatArray = kept**2 * np.outer(shown, shown) + kept * variance * np.eye(dim)
    return allowed
