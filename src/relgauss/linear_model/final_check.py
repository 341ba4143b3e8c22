"""The final check of a regression: that predictions are right on average, and better than a constant."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.bounded.answer import BoundedAnswer
from relgauss.bounded.block_mean import bounded_mean
from relgauss.linear_model.problem import Found, WhitenedProblem
from relgauss.records.blocks import Block, Rows
from relgauss.spending import Spending

SHIFT, CHECK = "shift", "check"
PREDICTED_DEVIATIONS = 4.0  # how far predictions may lie from the constant, in deviations of their own
_COMPARED_DEVIATIONS = 2.0  # how far they count in the comparison with the constant
_SHIFT_PART = 0.3  # of the share
_SHIFT_CAUTION = 2.0  # noise levels from which a shift is applied
_GAIN_CAUTION = 2.5  # noise levels by which a model must be better than a constant
_THRESHOLDS = 3.0  # residuals are averaged up to so many clip thresholds
_INTERCEPT_REACH = 0.3  # label scales that the intercept may lie from the released mean,
_INTERCEPT_CAUTION = 2.5  # or so many noise levels of that mean
_SMALLEST = 1e-100  # slopes below this predict a constant


@dataclass(frozen=True, eq=False)
class Checked:
    """A solution with its intercept put right, and whether it was seen to be better than a constant.

    ``constant`` is what it predicts where its features have no say, ``shift_std`` the noise of the
    intercept's correction, ``deviation`` the spread of predictions that the check went by; all in scaled
    units of the label.
    """

    theta: FloatArray
    constant: float
    is_better: bool
    shift_std: float
    deviation: float


def mean_residual(rows: Rows, theta: FloatArray, slopes: int, most: float, bound: float) -> BoundedAnswer:
    """The mean of t - clip(a, ±most) - θ_0, clipped to ±bound: a is the slopes' part of the score.

    Two contributions differ by at most 2 bound.
    """

    def block_sum(block: Block) -> FloatArray:
        predictions = np.clip(block.features[:, :slopes] @ theta[:slopes], -most, most)
        residuals = block.labels - predictions - theta[slopes:].sum()
        return np.atleast_1d(np.clip(residuals, -bound, bound).sum())

    return bounded_mean(rows, block_sum, largest=bound, apart=2 * bound)


def gain(rows: Rows, theta: FloatArray, slopes: int, most: float, label_bound: float) -> BoundedAnswer:
    """The mean of (a - b)² - b² = a² - 2ab for a = clip(slopes' part of the score, ±most) and
    b = clip(t - θ_0, ±label_bound): how much more a model errs than its own constant.

    For most <= label_bound two contributions differ by at most 4 most · label_bound: proofs/regression.md.
    """

    def block_sum(block: Block) -> FloatArray:
        predictions = np.clip(block.features[:, :slopes] @ theta[:slopes], -most, most)
        labels = np.clip(block.labels - theta[slopes:].sum(), -label_bound, label_bound)
        return np.atleast_1d(predictions @ (predictions - 2 * labels))

    return bounded_mean(
        rows, block_sum, largest=most * (most + 2 * label_bound), apart=4 * most * label_bound
    )


def check_solution(whitened: WhitenedProblem, found: Found, spending: Spending) -> Checked:
    """Shift the intercept, and compare with a constant, for all that is left of the budget.

    Clipped gradients pull the mean of skewed labels towards their median, so a mean residual that stands out
    of the noise is added to the intercept. An intercept of noise cannot pass: it stays near the mean of the
    labels that was released before.
    """
    rows, theta, slopes = whitened.rows, found.theta.copy(), whitened.slopes
    scale = whitened.label_scale
    deviation = float(np.linalg.norm(theta[:slopes])) if whitened.is_white else scale
    if not deviation > _SMALLEST:
        return Checked(theta, float(theta[slopes:].sum()), False, 0.0, 0.0)
    shift_std = 0.0
    if whitened.has_intercept:
        most = PREDICTED_DEVIATIONS * deviation
        bound = whitened.largest_label
        if found.clip_threshold is not None:
            bound = min(bound, _THRESHOLDS * found.clip_threshold)
        answer = mean_residual(rows, theta, slopes, most, bound)
        released = spending.release(SHIFT, answer, _SHIFT_PART * spending.left)
        shift, shift_std = float(released.value[0]), released.noise_std
        if abs(shift) > _SHIFT_CAUTION * shift_std:
            theta[-1] += shift
        reach = max(_INTERCEPT_REACH * scale, _INTERCEPT_CAUTION * whitened.mean_std)
        theta[-1] = np.clip(theta[-1], -reach, reach)
    compared = min(scale, _COMPARED_DEVIATIONS * deviation)
    released = spending.release(CHECK, gain(rows, theta, slopes, compared, scale), spending.left)
    is_better = bool(released.value[0] < -_GAIN_CAUTION * released.noise_std)
    return Checked(theta, float(theta[slopes:].sum()), is_better, shift_std, deviation)
