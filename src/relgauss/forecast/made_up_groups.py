"""Made-up groups of a stated form, released by the code that releases real ones, with simulated noise."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from relgauss.arrays import FloatArray
from relgauss.forecast.curve import Curve
from relgauss.forecast.form import Form
from relgauss.forecast.made_up_values import make_up_values
from relgauss.grouped.assumed_spread import estimate_assumed
from relgauss.grouped.column_estimates import StatisticEstimates
from relgauss.grouped.contribution import ONE_ROW, Contribution
from relgauss.grouped.measure_column import measure_column
from relgauss.grouped.noisy_measurements import NoisySizes
from relgauss.grouped.private_groups import Threshold
from relgauss.grouped.result import Estimates
from relgauss.grouped.signed_grid import SignedGrid
from relgauss.grouped.totals import GroupTotals
from relgauss.grouped.value_rule import ValueRule

SHARES = ("zeros", "missing")
"""Statistics that are shares already: their errors and widths are in points, not relative to themselves."""

_SEED = 20_240_229  # made-up records are the same every time, so that forecasts can be compared
_REPEATS, _REPEATS_OF_UNLIKE = 12, 48  # made-up groups of each size; where groups differ in their spread
_STEP = 2.0  # from one size to the next
_LEAST_SIGNAL = 0.5  # at any range, groups below it are not released
_WORST_NOISE = 20.0  # spread/(n mu) past which nothing is released under an assumed spread


@dataclass(frozen=True, eq=False)
class GroupCurves:
    """Over n mu: the typical error and width of an interval relative to the truth, the share of usable.

    ``seconds`` is what a group took.
    """

    error: Curve
    width: Curve
    usable: Curve
    seconds: float


@dataclass(frozen=True, eq=False)
class ColumnPlan:
    """How a column of values will be released.

    Attributes
    ----------
    grid, rule
        The public cells of values, and what each value counts as.
    form
        How the values of a group are thought to be distributed.
    statistics
        What is released.
    confidence
        The probability that intervals are made for.
    spread
        The spread that is assumed, or None if values are clipped.
    contribution
        How far one protected unit moves what is measured.
    size_noise
        The level of the noise on sizes of groups that are not public.
    shown
        The threshold that groups must pass to be shown, if they are found privately.
    """

    grid: SignedGrid
    rule: ValueRule
    form: Form
    statistics: tuple[str, ...]
    confidence: float
    spread: float | None = None
    contribution: Contribution = ONE_ROW
    size_noise: float = 0.0
    shown: Threshold | None = None

    @property
    def repeats(self) -> int:
        """How many groups of each size are made up."""
        return _REPEATS if self.form.most == self.form.spread else _REPEATS_OF_UNLIKE


def simulate_groups(plan: ColumnPlan, mu: float, largest: float) -> dict[str, GroupCurves]:
    """Release groups of all sizes whose n mu is at most ``largest`` at this mu; the curves by statistic."""
    least = _LEAST_SIGNAL if plan.spread is None else plan.spread / _WORST_NOISE
    points = math.ceil(math.log(max(largest / least, 4)) / math.log(_STEP)) + 1
    signals = np.geomspace(least, max(largest, 4 * least), points)
    sizes = np.unique(np.maximum(np.ceil(signals / mu), 1).astype(np.int64))
    began = time.perf_counter()
    first = _release(plan, mu, sizes, np.random.default_rng(_SEED))
    seconds = (time.perf_counter() - began) / (len(sizes) * plan.repeats)
    between = np.unique(np.concatenate([_around_the_smallest_usable(each) for each in first.values()]))
    second = _release(plan, mu, between, np.random.default_rng(_SEED + 1)) if between.size else {}
    return {
        name: _curves(found.joined(second[name]) if second else found, mu, seconds)
        for name, found in first.items()
    }


@dataclass(frozen=True, eq=False)
class _Found:
    """For each size, the median error and width relative to the truth (NaN: none), the share of usable."""

    sizes: NDArray[np.int64]
    error: FloatArray
    width: FloatArray
    usable: FloatArray

    def joined(self, other: _Found) -> _Found:
        """Both, by size."""
        order = np.argsort(np.concatenate([self.sizes, other.sizes]), kind="stable")
        pairs = [
            np.concatenate([getattr(self, name), getattr(other, name)])[order]
            for name in ("sizes", "error", "width", "usable")
        ]
        return _Found(*pairs)


def _curves(found: _Found, mu: float, seconds: float) -> GroupCurves:
    reached = found.sizes.astype(np.float64) * mu
    return GroupCurves(
        Curve.falling(reached, found.error),
        Curve.falling(reached, found.width),
        Curve.growing(reached, found.usable),
        seconds,
    )


def _release(
    plan: ColumnPlan, mu: float, sizes: NDArray[np.int64], rng: np.random.Generator
) -> dict[str, _Found]:
    """Release some made-up groups of each size as one table."""
    every = np.repeat(sizes, plan.repeats)
    estimates: Mapping[str, Estimates | StatisticEstimates]
    if plan.spread is None:
        made = make_up_values(every, plan.form, plan.grid, plan.rule, rng)
        truths = {name: made.truth(name) for name in (*plan.statistics, "mean")}
        sizes_with_noise = every + plan.size_noise * rng.standard_normal(len(every))
        released = NoisySizes(sizes_with_noise, plan.size_noise).not_negative()
        measured = measure_column(
            made.cells, plan.contribution, mu, plan.statistics, plan.confidence, rng, released
        )
        estimates = measured.statistics
    else:
        totals, means = _alike(every, plan, rng)
        truths = {"mean": means}
        spreads = (plan.spread,) * len(every)
        estimates = {"mean": estimate_assumed(totals, spreads, mu, plan.confidence, rng)}
    shown = np.ones(len(sizes)) if plan.shown is None else _shown(sizes, plan.shown)
    return {
        name: _found(sizes, each, _unit(name, truths), truths[name], shown)
        for name, each in estimates.items()
    }


def _found(
    sizes: NDArray[np.int64],
    estimates: Estimates | StatisticEstimates,
    unit: FloatArray,
    truth: FloatArray,
    shown: FloatArray,
) -> _Found:
    error = np.abs(estimates.estimate - truth) / unit
    width = (estimates.upper - estimates.lower) / unit
    usable = estimates.usable.reshape(len(sizes), -1).mean(axis=1)
    return _Found(sizes, _typical(error, sizes), _typical(width, sizes), usable * shown)


def _unit(statistic: str, truths: Mapping[str, FloatArray]) -> FloatArray:
    """What errors are relative to: the truth or, where that is 0, the mean; shares are as they are."""
    truth = truths[statistic]
    if statistic in SHARES:
        return np.ones(len(truth))
    unit = np.where(truth == 0, truths["mean"], truth)
    return np.where(unit == 0, 1.0, unit)


def _shown(sizes: NDArray[np.int64], limit: Threshold) -> FloatArray:
    """How often groups of one row a person pass a threshold."""
    return np.asarray(ndtr((sizes - limit.least) / limit.noise_std), dtype=np.float64)


def _typical(values: FloatArray, sizes: NDArray[np.int64]) -> FloatArray:
    """The median of each size's groups, those without an estimate above all others; NaN if it is one."""
    medians = np.median(np.nan_to_num(values, nan=math.inf).reshape(len(sizes), -1), axis=1)
    return np.where(np.isinf(medians), math.nan, medians)


def _around_the_smallest_usable(found: _Found) -> NDArray[np.int64]:
    """Sizes between the last that is mostly of no use and the first that is: there the curve is steep."""
    usable = Curve.growing(found.sizes.astype(np.float64), found.usable).values >= 0.5
    place = int(np.argmax(usable))
    if not usable.any() or place == 0:
        return np.zeros(0, dtype=np.int64)
    ends = found.sizes[place - 1 : place + 1]
    inside = np.unique(np.rint(np.geomspace(ends[0], ends[1], 6)).astype(np.int64))
    return np.asarray(inside[(inside > ends[0]) & (inside < ends[1])], dtype=np.int64)


def _alike(
    sizes: NDArray[np.int64], plan: ColumnPlan, rng: np.random.Generator
) -> tuple[GroupTotals, FloatArray]:
    """Groups whose values are all the same: under an assumed spread nothing else matters."""
    magnitudes = plan.grid.magnitudes
    means = plan.form.scales(len(sizes), magnitudes.low, magnitudes.high, rng)
    sums = tuple(plan.rule.units(mean) * int(size) for mean, size in zip(means, sizes, strict=True))
    return GroupTotals(tuple(range(len(sizes))), sizes, sums, plan.rule), means
