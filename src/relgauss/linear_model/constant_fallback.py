"""The constant prediction that remains when there is too little data for more."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from relgauss.accounting import GaussianDP
from relgauss.arrays import FloatArray
from relgauss.bounded.answer import BoundedAnswer, bounded_mean
from relgauss.budget import Budget
from relgauss.descent.softmax import Softmax
from relgauss.estimate.column_ranges import Columns, find_ranges
from relgauss.estimate.range_search import StatedBounds
from relgauss.linear_model.class_shares import release_shares
from relgauss.linear_model.outcome import Degraded, parts_outside
from relgauss.linear_model.problem import Problem, Solution
from relgauss.linear_model.public_plan import can_see_some
from relgauss.linear_model.units import ANYWHERE, Interval, LabelUnits, found_label_units, label_units
from relgauss.records.blocks import Block, Rows
from relgauss.spending import Spending

MEAN = "mean label"
MORE = "Use more records, fewer features or a larger epsilon."
_NOWHERE = 0.0, 0.0  # where labels are taken to lie of which none was seen
_SIGNAL = 100.0  # n mu at which the noise of a mean is 2 % of the label's half-width
_RANGE_SHARE = 0.5
_WORTH_A_RELEASE = 0.03  # of mu²: the share of the first estimate of the mean
_TAKE = 1.96  # noise levels that hold 95 %
_SCALES = 16.0  # the largest size in an interval over the smallest, beyond which it holds many scales
_CLEAR = 3.0  # noise levels by which a mean within bounds must be away from zero: noise is once in 370
_UNSEEN = LabelUnits(0.0, 0.0, _NOWHERE, _NOWHERE)


def open_for_constant(problem: Problem, budget: Budget, rng: np.random.Generator | None) -> Spending:
    """What a constant needs, and no more: nothing if it is zero, twice as much where a range is searched for.

    For fits of which public numbers have shown that there will be nothing else.
    """
    needed = 0.0
    if problem.has_intercept:
        needed = (2 if problem.objective.follows_label else 1) * _SIGNAL / problem.records.count
    return Spending(GaussianDP(min(budget.mu, needed)), rng)


def fit_constant(problem: Problem, spending: Spending, why: Degraded) -> Solution:
    """Find the label's range, within its bounds if it has some, and release the mean with all that is left.

    Without an intercept the constant is zero, and nothing is released.
    """
    if not problem.has_intercept:
        return _no_say(problem, why)
    units = _find_label_units(problem, spending)
    outside = parts_outside(None, problem.records.columns, units.outside)
    return constant_in(units, problem, spending, replace(why, outside=outside))


def _find_label_units(problem: Problem, spending: Spending) -> LabelUnits:
    """The range of the labels, if it can be found; the bounds of classes."""
    known, share = problem.known.label, _RANGE_SHARE * spending.left
    signal = problem.records.count * spending.mu
    if known is not None and not problem.objective.follows_label:
        return _bounds_of_label(known)
    if known is not None and not can_see_some(signal, share):
        return _UNSEEN
    stated = StatedBounds.none(1) if known is None else StatedBounds(*np.array(known)[:, None])
    found = find_ranges(problem.records, Columns(0, with_label=True), stated, spending, share)
    units = found_label_units(found, centred=True, reach=1.0, within=known or ANYWHERE)
    return replace(units, outside=float(found.outside[-1]))


def _bounds_of_label(known: Interval) -> LabelUnits:
    return label_units(*known, centred=True, reach=1.0, within=known)


def constant_in(
    units: LabelUnits,
    problem: Problem,
    spending: Spending,
    why: Degraded,
    mean_label: float = 0.0,
    noise_std: float = 0.0,
) -> Solution:
    """The best constant for labels in these units; zero if the model is to have no intercept.

    ``mean_label`` is what was released of it before, with noise of ``noise_std``, if that is not zero.
    """
    columns = problem.records.columns
    if not problem.has_intercept:
        return _no_say(problem, why)
    objective = problem.objective
    if isinstance(objective, Softmax):
        if spending.left > _WORTH_A_RELEASE:
            objective = objective.informed(*release_shares(problem, objective, spending, spending.left))
        return Solution.constant(columns, objective.constant, give_or_take(why, objective.noise_std))
    known = problem.known.label if objective.follows_label else None
    if known is not None and units.is_constant and units.fitted == _NOWHERE:
        units = _bounds_of_label(known)  # labels may lie outside of them, or anywhere within
    if units.is_constant:
        if units.fitted[0] == units.fitted[1]:
            why = replace(why, is_placed=units.fitted != _NOWHERE)
            return Solution.constant(columns, np.array([units.middle]), why)
        units = _bounds_of_label(units.fitted)
    if spending.left > _WORTH_A_RELEASE:
        answer = mean_of_labels(problem.records, units.scaled)
        released, std = spending.release(MEAN, answer, spending.left)
        mean_label, noise_std = together(float(released[0]), std, mean_label, noise_std)
    score = objective.best_constant(float(np.clip(mean_label, -1, 1)), noise_std)
    if not objective.follows_label:
        return Solution.constant(columns, score, give_or_take(why, noise_std / 2))  # classes are -1 and 1
    constant = units.to_user(float(score[0]))
    kept = constant
    if known is not None and hold_many_scales(units.fitted):
        kept = near_zero(constant, noise_std * units.half, units.fitted)
    low, high = units.fitted
    ends = max(low, units.to_user(-1)), min(high, units.to_user(1))
    why = replace(give_or_take(why, noise_std * units.half, kept - constant), clipped_to=ends)
    return Solution.constant(columns, np.array([kept]), why)


def hold_many_scales(labels: Interval) -> bool:
    """Whether an interval says hardly how large labels are: it holds zero, or numbers of unlike sizes."""
    low, high = labels
    return low <= 0 <= high or max(abs(low), abs(high)) > _SCALES * min(abs(low), abs(high))


def near_zero(mean: float, noise_std: float, bounds: Interval) -> float:
    """A mean of labels within bounds that may be far too wide: what is nearest to zero there, where noise of
    this std may be all that has moved it away. Nothing else would be known without bounds.
    """
    nearest = float(np.clip(0.0, *bounds))
    return mean if abs(mean - nearest) > _CLEAR * noise_std else nearest


def together(mean: float, std: float, first: float, first_std: float) -> tuple[float, float]:
    """The mean label from two releases, each weighted by its precision, and its noise; the first may not be
    there, which a std of zero says.
    """
    if not first_std > 0:
        return mean, std
    weight = first_std**2 / (first_std**2 + std**2)
    return weight * mean + (1 - weight) * first, math.sqrt(weight) * std


def give_or_take(why: Degraded, noise_std: float | None, moved: float = 0.0) -> Degraded:
    """The reason, with how far from the truth noise of this std, and what ``moved`` it, leaves a constant."""
    if noise_std is None:
        return why
    return replace(why, give_or_take=_TAKE * noise_std + abs(moved))


def steadied(mean: float, noise_std: float, intercept: float, threshold: float) -> float:
    """A released mean label, moved towards a model's intercept where that is known better.

    An intercept has the noise of gradients, and is off as far as these are clipped: both are about as large
    as the ``threshold`` of clipping. Where the label's range turned out far too wide it is what sees labels
    best. What is far from the mean, by its noise, is not believed: the mean moves by two noise levels at
    most.
    """
    if not noise_std > 0:
        return mean
    weight = noise_std**2 / (noise_std**2 + threshold**2)
    most = _TAKE * noise_std
    return mean + min(max(weight * (intercept - mean), -most), most)


def _no_say(problem: Problem, why: Degraded) -> Solution:
    """What a model without an intercept predicts where features have no say."""
    return Solution.constant(problem.records.columns, np.zeros(len(problem.objective.mixing)), why)


def no_label(problem: Problem) -> Degraded:
    """Why a label without a spread is predicted by a constant."""
    if problem.known.label is None:
        return Degraded("The label shows no spread, or none that this budget can see.", MORE)
    return Degraded(
        "The label shows no spread within its bounds, or none that this budget can see.",
        "Check label_bounds, or leave them out: the label's range is then found.",
    )


def mean_of_labels(rows: Rows, scaled: Callable[[FloatArray], FloatArray]) -> BoundedAnswer:
    """The mean of labels in some units, clipped to [-1, 1]."""

    def block_sum(block: Block) -> FloatArray:
        return np.atleast_1d(np.clip(scaled(block.labels), -1, 1).sum())

    return bounded_mean(rows, block_sum, largest=1.0, apart=2.0)
