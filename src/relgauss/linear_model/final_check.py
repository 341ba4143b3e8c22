"""The final check of a model: that predictions are right on average, and better than a constant."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from relgauss.arrays import FloatArray
from relgauss.bounded.answer import BoundedAnswer
from relgauss.bounded.block_mean import bounded_mean
from relgauss.descent.softmax import Softmax
from relgauss.linear_model.class_check import class_loss_gain
from relgauss.linear_model.problem import Found, WhitenedProblem
from relgauss.records.blocks import Block, Rows
from relgauss.spending import Spending

SHIFT, CHECK = "shift", "check"
_PREDICTED_DEVIATIONS = 4.0  # how far predictions may lie from the constant, in deviations of their own
_COMPARED_DEVIATIONS = 2.0  # how far they count in the comparison with the constant
_SHIFT_PART = 0.3  # of the share
_SHIFT_CAUTION = 2.0  # noise levels from which a shift is applied
_GAIN_CAUTION = 2.5  # noise levels by which a model must be better than a constant
_THRESHOLDS = 3.0  # residuals are averaged up to so many clip thresholds
_INTERCEPT_REACH = 0.3  # label scales that the intercept may lie from the released mean,
_INTERCEPT_CAUTION = 2.5  # or so many noise levels of that mean
_SCORE_DEVIATIONS, _MOST_SCORE = 3.0, 6.0  # how far log-odds may lie from the constant's
_LOG_ROUNDING = 2.0**-40  # far above what logarithms of a score err by
_SMALLEST = 1e-100  # slopes below this predict a constant


@dataclass(frozen=True, eq=False)
class Checked:
    """A solution with its intercept put right, and whether it was seen to be better than a constant.

    Predictions may lie ``reach`` from the ``constant``; ``shift_std`` is the noise of the intercept's
    correction. All are in scaled units of the label or, for a classifier, log-odds.
    """

    theta: FloatArray
    constant: FloatArray
    reach: float
    is_better: bool
    shift_std: float = 0.0


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


def log_loss_gain(rows: Rows, theta: FloatArray, constant: float, reach: float) -> BoundedAnswer:
    """The mean of log(1 + q (e^a - 1)) - p a for a = clip(score - constant, ±reach): how much more log-loss
    a classifier has than the probability q of the constant log-odds.

    p is 0 or 1. Two contributions differ by at most the width of the interval that the four extreme ones
    span: proofs/regression.md.
    """
    odds = float(expit(constant))

    def losses(scores: FloatArray, classes: FloatArray) -> FloatArray:
        return np.log1p(odds * np.expm1(scores)) - classes * scores

    def block_sum(block: Block) -> FloatArray:
        scores = np.clip(block.features @ theta - constant, -reach, reach)
        return np.atleast_1d(losses(scores, np.clip((block.labels + 1) / 2, 0.0, 1.0)).sum())

    ends = losses(np.array([-reach, reach, -reach, reach]), np.array([0.0, 0.0, 1.0, 1.0]))
    width = float(np.ptp(ends)) * (1 + _LOG_ROUNDING)
    return bounded_mean(rows, block_sum, largest=reach * (1 + _LOG_ROUNDING), apart=width)


def check_solution(whitened: WhitenedProblem, found: Found, spending: Spending) -> Checked:
    """Compare with a constant, for all that is left of the budget; put a regression's intercept right."""
    if whitened.objective.follows_label:
        return _check_regression(whitened, found, spending)
    return _check_classifier(whitened, found.theta, spending)


def _check_regression(whitened: WhitenedProblem, found: Found, spending: Spending) -> Checked:
    """Clipped gradients pull the mean of skewed labels towards their median, so a mean residual that stands
    out of the noise is added to the intercept. An intercept of noise cannot pass: it stays near the mean of
    the labels that was released before.
    """
    rows, theta, slopes = whitened.rows, found.theta.copy(), whitened.slopes
    scale = whitened.label_scale
    size = float(np.linalg.norm(theta[:slopes]))
    if not size > _SMALLEST:
        return Checked(theta, theta[slopes:].sum(keepdims=True), 0.0, is_better=False)
    # Rows that public data whitened tell nothing of the spread of predictions.
    deviation = size if whitened.is_white else scale
    shift_std = 0.0
    if whitened.has_intercept:
        bound = whitened.largest_label
        if found.clip_threshold is not None:
            bound = min(bound, _THRESHOLDS * found.clip_threshold)
        answer = mean_residual(rows, theta, slopes, _PREDICTED_DEVIATIONS * deviation, bound)
        released = spending.release(SHIFT, answer, _SHIFT_PART * spending.left)
        shift, shift_std = float(released.value[0]), released.noise_std
        if abs(shift) > _SHIFT_CAUTION * shift_std:
            theta[-1] += shift
        far = max(_INTERCEPT_REACH * scale, _INTERCEPT_CAUTION * whitened.mean_std)
        theta[-1] = np.clip(theta[-1], -far, far)
    compared = min(scale, _COMPARED_DEVIATIONS * deviation)
    is_better = _is_better(gain(rows, theta, slopes, compared, scale), spending)
    reach = _PREDICTED_DEVIATIONS * deviation if whitened.is_white else math.inf
    return Checked(theta, theta[slopes:].sum(keepdims=True), reach, is_better, shift_std)


def _check_classifier(whitened: WhitenedProblem, theta: FloatArray, spending: Spending) -> Checked:
    """Scores are compared as far as predictions may go, with the constant of the released mean."""
    objective, rows = whitened.objective, whitened.rows
    scores = objective.mixing @ theta.reshape(objective.outputs, -1)  # of each class, in whitened coordinates
    constant = np.zeros(len(scores))
    if whitened.has_intercept:
        constant = objective.mixing @ objective.best_constant(whitened.mean_label)
    away = float(np.abs(scores[:, whitened.slopes :].sum(axis=1) - constant).max())
    size = float(np.linalg.norm(scores[:, : whitened.slopes], axis=1).max())
    deviation = size if whitened.is_white else _MOST_SCORE
    reach = min(_MOST_SCORE, _SCORE_DEVIATIONS * deviation + away)
    if not reach > _SMALLEST:
        return Checked(theta, constant, 0.0, is_better=False)
    if isinstance(objective, Softmax):
        difference = class_loss_gain(rows, theta, objective, constant, reach)
    else:
        difference = log_loss_gain(rows, theta, float(constant[0]), reach)
    return Checked(theta, constant, reach, _is_better(difference, spending))


def _is_better(difference: BoundedAnswer, spending: Spending) -> bool:
    """Whether a model is seen to err less than a constant, with all that is left."""
    released = spending.release(CHECK, difference, spending.left)
    return bool(released.value[0] < -_GAIN_CAUTION * released.noise_std)
