"""The final check of a model: that predictions are right on average, and better than a constant."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.bounded.answer import BoundedAnswer, bounded_mean
from relgauss.descent.softmax import Softmax
from relgauss.linear_model.better_than_constant import (
    GAIN_CAUTION,
    beside_best_constant,
    gain_of_classes,
    gain_of_regression,
    is_better,
)
from relgauss.linear_model.class_check import class_loss_gain, clear_reach, log_loss_gain
from relgauss.linear_model.constant_fallback import MEAN, mean_of_labels, together
from relgauss.linear_model.problem import Found, WhitenedProblem
from relgauss.linear_model.public_plan import ENOUGH_FOR_INTERVALS
from relgauss.linear_model.units import Interval
from relgauss.records.blocks import Block, Rows
from relgauss.spending import Spending

SHIFT, CHECK = "shift", "check"
_LEAST_DEVIATIONS, _MOST_DEVIATIONS = 2.0, 4.0  # how far predictions may lie from the constant, in their own
_CLEAR_GAIN = 6.0  # and between these as far as a gain of their variance is so many noise levels of the check
_FARTHEST = 2.0  # label scales that predictions may lie from the constant, whatever their deviations
_BEYOND = 1.5  # times, since where that is near, few records are beyond what was compared
_FEW, _COMPARED_OF_FEW = 1000.0, 0.75  # below this n mu, labels are compared up to so many label scales
_SHIFT_PART, _MOST_SHIFT_PART, _SHIFT_SHARE = 0.3, 0.5, 0.03  # the shift's of what is left, or this of mu²
_SHIFT_CAUTION = 2.0  # noise levels from which a shift is applied, less these squared over itself
_MOST_SHIFT = 0.5  # of the residuals' bound: beyond, most are on one side, and how far off is not seen
_MEAN_CAUTION = 1.0  # noise levels by which a mean label is another constant: with more, far labels hide
_USUAL_SIGNAL = 100.0  # n mu of the shift up to which residuals are averaged as far as labels usually go
# Of the residuals' bound, labels are mapped to it: for less noise in the shift or, of few, in the mean label.
_LABEL_PART, _LABEL_PART_OF_FEW = 0.5, 1.0
_APART = math.hypot(4.0, 2.0)  # two gains with their levels, in the bounds of predictions and labels
# Below it, gaining five times the predictions' variance would not be seen.
_LEAST_SIGNAL = _APART * _LEAST_DEVIATIONS * GAIN_CAUTION / 5
_THRESHOLDS = 3.0  # residuals are averaged up to so many clip thresholds
_INTERCEPT_REACH = 0.3  # label scales that the intercept may lie from the released mean,
_INTERCEPT_CAUTION = 2.5  # or so many noise levels of that mean
_SCORE_DEVIATIONS, _MOST_SCORE = 3.0, 6.0  # how far log-odds may lie from the constant's
_NOWHERE = 0.0, 0.0
_SMALLEST = 1e-100  # slopes below this predict a constant


@dataclass(frozen=True, eq=False)
class Checked:
    """A solution with its intercept put right, and whether it was seen to be better than a constant.

    Predictions less the ``constant``, which is the model's own, may lie within ``reach``; ``fallback`` is the
    best known constant, ``shift`` the intercept's correction and ``shift_std`` its noise. All are in scaled
    units of the label or, for a classifier, log-odds. ``fallback_std`` is the noise of a mean label that is
    one.
    """

    theta: FloatArray
    constant: FloatArray
    reach: Interval
    is_better: bool
    fallback: FloatArray
    shift_std: float = 0.0
    fallback_std: float = 0.0
    shift: float = 0.0


def mean_residual(
    rows: Rows, theta: FloatArray, slopes: int, most: float, bound: float, labels: Interval, part: float
) -> BoundedAnswer:
    """The means of t - clip(a, ±most) - θ_0, clipped to ±bound, and of t, clipped to ``labels`` and mapped
    from there to ±part; a is the slopes' part of the score.

    Two contributions differ by at most 2 sqrt(bound² + part²).
    """

    def block_sum(block: Block) -> FloatArray:
        predictions = np.clip(block.scores(theta[:slopes]), -most, most)
        residuals = block.labels - predictions - theta[slopes:].sum()
        return np.array([residuals.clip(-bound, bound).sum(), _mapped(block.labels, labels, part).sum()])

    largest = math.hypot(bound, part)
    return bounded_mean(rows, block_sum, largest=largest, apart=2 * largest)


def _mapped(values: FloatArray, ends: Interval, bound: float) -> FloatArray:
    """Values between two ends, mapped to ±bound; others are clipped."""
    low, high = ends
    return ((values - (low + high) / 2) * (2 * bound / (high - low))).clip(-bound, bound)


def _unmapped(mapped: float, std: float, ends: Interval, bound: float) -> tuple[float, float]:
    """What was mapped to ±bound, and its noise, in the units of the ends again."""
    low, high = ends
    unit = (high - low) / (2 * bound)
    return (low + high) / 2 + unit * mapped, unit * std


def gain(rows: Rows, theta: FloatArray, slopes: int, most: float, label_bound: float) -> BoundedAnswer:
    """The means of (a - b)² - b² = a² - 2ab and of most · b for a = clip(slopes' part of the score, ±most)
    and b = clip(t - θ_0, ±label_bound): how much more a model errs than its own constant, and where labels
    are beside that. Without an intercept that constant is the only one, and the second is zero.

    For most <= label_bound two contributions differ by at most 4 most · label_bound in the first, and by half
    of that in the second: proofs/regression.md.
    """
    weight = most if slopes < theta.size else 0.0

    def block_sum(block: Block) -> FloatArray:
        predictions = np.clip(block.scores(theta[:slopes]), -most, most)
        labels = np.clip(block.labels - theta[slopes:].sum(), -label_bound, label_bound)
        return np.array([predictions @ (predictions - 2 * labels), weight * labels.sum()])

    return bounded_mean(
        rows,
        block_sum,
        largest=math.hypot(most * (most + 2 * label_bound), weight * label_bound),
        apart=math.hypot(4 * most, 2 * weight) * label_bound,
    )


def check_solution(whitened: WhitenedProblem, found: Found, spending: Spending) -> Checked:
    """Compare with a constant, for all that is left of the budget; put a regression's intercept right."""
    if whitened.objective.follows_label:
        return _check_regression(whitened, found, spending)
    return _check_classifier(whitened, found.theta, spending)


def _check_regression(whitened: WhitenedProblem, found: Found, spending: Spending) -> Checked:
    """Clipped gradients pull the mean of skewed labels towards their median, so a mean residual is added to
    the intercept, as far as it stands out of the noise. An intercept of noise cannot pass: it stays near the
    mean of the labels that was released before, and the model is compared with the best constant there is.
    """
    rows, theta, slopes = whitened.rows, found.theta.copy(), whitened.slopes
    scale = compared = whitened.label_scale
    signal = rows.count * spending.mu
    # An interval of the intercept has the shift's noise: where there are intervals, it is to be small.
    label_part = _LABEL_PART if signal >= ENOUGH_FOR_INTERVALS else _LABEL_PART_OF_FEW
    if signal < _FEW:  # less noise is worth more than rare labels there
        compared *= _COMPARED_OF_FEW
    size = float(np.linalg.norm(theta[:slopes]))
    if not size > _SMALLEST:
        constant = theta[slopes:].sum(keepdims=True)
        return Checked(theta, constant, _NOWHERE, is_better=False, fallback=constant)
    seen = reach = math.inf
    if whitened.is_white and whitened.clips:  # else predictions have a spread that nothing released tells
        check_share = spending.left - (_shift_share(spending) if whitened.has_intercept else 0.0)
        signal = size / compared * rows.count * spending.mu_of(check_share)
        if signal < _LEAST_SIGNAL and whitened.has_intercept:
            return _constant_instead(whitened, theta, spending)
        seen = size * _deviations(signal)
        reach = min(_BEYOND * seen, size * _MOST_DEVIATIONS, _FARTHEST * scale)
    fallback = mean_std = shift_std = worse = 0.0
    if whitened.has_intercept:
        bound = _residual_bound(whitened, found, spending)
        ends, part = whitened.label_range, label_part * bound
        answer = mean_residual(rows, theta, slopes, reach, bound, ends, part)
        (shift, mapped), shift_std = spending.release(SHIFT, answer, _shift_share(spending))
        if abs(shift) > _MOST_SHIFT * bound:
            return _constant_instead(whitened, theta, spending)
        mean, std = _unmapped(mapped, shift_std, ends, part)
        theta[-1] += beyond_noise(float(shift), shift_std)
        far = max(_INTERCEPT_REACH * scale, _INTERCEPT_CAUTION * whitened.mean_std)
        theta[-1] = np.clip(theta[-1], -far, far)
        fallback, mean_std = together(mean, std, 0.0, whitened.mean_std)
        worse = max(0.0, abs(mean - theta[-1]) - _MEAN_CAUTION * std) ** 2  # the own than the mean
    most = min(compared, seen)
    released = spending.release(CHECK, gain(rows, theta, slopes, most, compared), spending.left)
    more = beside_best_constant(released, most, worse) if whitened.has_intercept else released
    better = is_better(more, gain_of_regression(whitened, found))
    constant = theta[slopes:].sum(keepdims=True)
    moved = float(theta[-1] - found.theta[-1])
    return Checked(theta, constant, (-reach, reach), better, np.array([fallback]), shift_std, mean_std, moved)


def _shift_share(spending: Spending) -> float:
    """Of mu², for the shift: the check takes the rest of what is left."""
    left = spending.left
    return max(_SHIFT_PART * left, min(_SHIFT_SHARE, _MOST_SHIFT_PART * left))


def _residual_bound(whitened: WhitenedProblem, found: Found, spending: Spending) -> float:
    """How far residuals are averaged: as far as labels usually go, and farther where noise is small.

    Of tails 1/b² a bound b cuts off a mean of about 1/b, and noise grows as b/N with N = n mu of the
    release: the best b grows as sqrt(N).
    """
    signal = whitened.rows.count * spending.mu_of(_shift_share(spending))
    bound = min(whitened.largest_label, whitened.label_scale * max(1.0, math.sqrt(signal / _USUAL_SIGNAL)))
    return bound if found.clip_threshold is None else min(bound, _THRESHOLDS * found.clip_threshold)


def beyond_noise(value: float, noise_std: float) -> float:
    """v - (2 s)²/v, or zero up to |v| = 2 s: noise of std s alone leaves little, and what is clear stays."""
    least = _SHIFT_CAUTION * noise_std
    return value - least**2 / value if abs(value) > least else 0.0


def _constant_instead(whitened: WhitenedProblem, theta: FloatArray, spending: Spending) -> Checked:
    """The mean label, for all that is left: the check could hardly see that slopes so small are right."""
    centred = whitened.label_range
    answer = mean_of_labels(whitened.rows, lambda labels: _mapped(labels, centred, 1.0))
    (mapped,), noise_std = spending.release(MEAN, answer, spending.left)
    # Labels are centred at the mean that was released first: that is zero here.
    mean, std = together(*_unmapped(mapped, noise_std, centred, 1.0), 0.0, whitened.mean_std)
    constant = np.array([mean])
    return Checked(theta, constant, _NOWHERE, is_better=False, fallback=constant, fallback_std=std)


def _deviations(signal: float) -> float:
    """k deviations, for which the check's noise is sqrt(20) k/signal of the predictions' variance."""
    return min(max(signal / (_APART * _CLEAR_GAIN), _LEAST_DEVIATIONS), _MOST_DEVIATIONS)


def _check_classifier(whitened: WhitenedProblem, theta: FloatArray, spending: Spending) -> Checked:
    """Scores are compared as far as predictions may go, with the constant of the released mean."""
    objective, rows = whitened.objective, whitened.rows
    scores = objective.mixing @ theta.reshape(objective.outputs, -1)  # of each class, in whitened coordinates
    constant = np.zeros(len(scores))
    if whitened.has_intercept:
        constant = objective.mixing @ objective.best_constant(whitened.mean_label, whitened.mean_std)
    middles = scores[:, whitened.slopes :].sum(axis=1)
    away = float(np.abs(middles - constant).max())
    size = float(np.linalg.norm(scores[:, : whitened.slopes], axis=1).max())
    deviation = size if whitened.is_white and whitened.clips else _MOST_SCORE
    far = min(_MOST_SCORE, _SCORE_DEVIATIONS * deviation + away)
    if not far > _SMALLEST:
        return Checked(theta, constant, _NOWHERE, is_better=False, fallback=constant)
    if isinstance(objective, Softmax):
        reach = -far, far
        difference = class_loss_gain(rows, theta, objective, constant, far)
    else:
        noise = 1 / (rows.count * spending.mu_of(spending.left))
        reach = clear_reach(float(middles[0]), deviation, float(constant[0]), noise, far)
        difference = log_loss_gain(rows, theta, float(constant[0]), reach)
    released = spending.release(CHECK, difference, spending.left)
    better = is_better(released, gain_of_classes(whitened))
    return Checked(theta, constant, reach, better, fallback=constant)
