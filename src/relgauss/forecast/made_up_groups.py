"""Made-up groups of a stated form, released by the code that releases real ones, with simulated noise."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.forecast.curve import Curve
from relgauss.forecast.form import Form
from relgauss.grouped.assumed_spread import estimate_assumed
from relgauss.grouped.column_estimates import StatisticEstimates
from relgauss.grouped.contribution import ONE_ROW
from relgauss.grouped.measure_column import measure_column
from relgauss.grouped.result import Estimates
from relgauss.grouped.signed_grid import LogGrid, SignedGrid
from relgauss.grouped.totals import CellTotals, GroupTotals
from relgauss.grouped.value_rule import ValueRule

_SEED = 20_240_229  # made-up records are the same every time, so that forecasts can be compared
_REPEATS = 12  # made-up groups of each size
_STEP = 2.0  # from one size to the next
_LEAST_SIGNAL = 0.5  # at any range, groups below it are not released
_WORST_NOISE = 20.0  # spread/(n mu) past which nothing is released under an assumed spread


@dataclass(frozen=True, eq=False)
class GroupCurves:
    """Over n mu: the typical error and width of an interval relative to the mean, the share of usable groups.

    ``seconds`` is what a group took.
    """

    error: Curve
    width: Curve
    usable: Curve
    seconds: float


def simulate_groups(
    value_range: tuple[float, float],
    form: Form,
    spread: float | None,
    mu: float,
    confidence: float,
    largest: float,
) -> GroupCurves:
    """Release groups of all sizes whose n mu is at most ``largest``; with ``spread``, under that assumption.

    Parameters
    ----------
    value_range
        The public range of values; groups lie in its middle third, on a logarithmic axis.
    form
        How the values of a group are distributed.
    spread
        The spread that is assumed, or None if values are clipped.
    mu
        The budget of the table.
    confidence
        The probability that intervals are made for.
    largest
        The largest n mu that is asked about.
    """
    grid = LogGrid.over(*value_range)
    made = _Made(grid, ValueRule(grid.low, grid.high), form, spread, mu, confidence)
    least = _LEAST_SIGNAL if spread is None else spread / _WORST_NOISE
    points = math.ceil(math.log(max(largest / least, 4)) / math.log(_STEP)) + 1
    signals = np.geomspace(least, max(largest, 4 * least), points)
    sizes = np.unique(np.maximum(np.ceil(signals / mu), 1).astype(np.int64))
    began = time.perf_counter()
    found = made.release(sizes, np.random.default_rng(_SEED))
    seconds = (time.perf_counter() - began) / (len(sizes) * _REPEATS)
    between = _around_the_smallest_usable(found)
    if between.size:
        found = found.joined(made.release(between, np.random.default_rng(_SEED + 1)))
    reached = found.sizes.astype(np.float64) * mu
    return GroupCurves(
        Curve.falling(reached, found.error),
        Curve.falling(reached, found.width),
        Curve.growing(reached, found.usable),
        seconds,
    )


@dataclass(frozen=True, eq=False)
class _Found:
    """For each size, the median error and width relative to the mean (NaN: none), the share of usable."""

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


@dataclass(frozen=True, eq=False)
class _Made:
    """How groups are made up and released."""

    grid: LogGrid
    rule: ValueRule
    form: Form
    spread: float | None
    mu: float
    confidence: float

    def release(self, sizes: NDArray[np.int64], rng: np.random.Generator) -> _Found:
        """Release ``_REPEATS`` made-up groups of each size as one table."""
        every = np.repeat(sizes, _REPEATS)
        if self.spread is None:
            cells = _made_up_cells(every, self.form, self.grid, self.rule, rng)
            means = _means(cells)
            column = measure_column(cells, ONE_ROW, self.mu, ["mean"], self.confidence, rng)
            estimates: Estimates | StatisticEstimates = column.statistics["mean"]
        else:
            totals, means = _alike(every, self.grid, self.rule, rng)
            spreads = (self.spread,) * len(every)
            estimates = estimate_assumed(totals, spreads, self.mu, self.confidence, rng)
        error = np.abs(estimates.estimate / means - 1)
        width = (estimates.upper - estimates.lower) / means
        usable = estimates.usable.reshape(len(sizes), _REPEATS).mean(axis=1)
        return _Found(sizes, _typical(error), _typical(width), usable)


def _typical(values: FloatArray) -> FloatArray:
    """The median of each size's groups, those without an estimate above all others; NaN if it is one."""
    medians = np.median(np.nan_to_num(values, nan=math.inf).reshape(-1, _REPEATS), axis=1)
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


def _made_up_cells(
    sizes: NDArray[np.int64], form: Form, grid: LogGrid, rule: ValueRule, rng: np.random.Generator
) -> CellTotals:
    """Counts and sums by cell, as one pass over made-up records would give them."""
    scales = _scales(len(sizes), grid, rng)
    below = form.below(grid.edges[None, :] / scales[:, None])
    below[:, 0], below[:, -1] = 0.0, 1.0  # what lies outside of the range counts as its end
    signed = SignedGrid(grid)
    shares = np.zeros((len(sizes), signed.cells))
    shares[:, signed.zero] = form.zeros
    shares[:, signed.zero + 1 : signed.value_cells] = (1 - form.zeros) * np.diff(below, axis=1)
    shares /= shares.sum(axis=1, keepdims=True)
    counts = np.array([rng.multinomial(size, share) for size, share in zip(sizes, shares, strict=True)])
    values = np.zeros(signed.cells, dtype=np.object_)  # of what is 0 or missing, too
    values[signed.zero + 1 : signed.value_cells] = [rule.units(centre) for centre in grid.cell_centres]
    return CellTotals(tuple(range(len(sizes))), counts, counts.astype(np.object_) * values, signed, rule)


def _means(cells: CellTotals) -> FloatArray:
    sums = cells.sums.sum(axis=1)
    pairs = zip(sums, cells.sizes.tolist(), strict=True)
    return np.array([math.ldexp(total / size, cells.rule.exponent) for total, size in pairs])


def _alike(
    sizes: NDArray[np.int64], grid: LogGrid, rule: ValueRule, rng: np.random.Generator
) -> tuple[GroupTotals, FloatArray]:
    """Groups whose values are all the same: under an assumed spread nothing else matters."""
    means = _scales(len(sizes), grid, rng)
    sums = tuple(rule.units(mean) * int(size) for mean, size in zip(means, sizes, strict=True))
    return GroupTotals(tuple(range(len(sizes))), sizes, sums, rule), means


def _scales(groups: int, grid: LogGrid, rng: np.random.Generator) -> FloatArray:
    low, high = math.log(grid.low), math.log(grid.high)
    return np.asarray(np.exp(low + (high - low) * rng.uniform(1 / 3, 2 / 3, groups)), dtype=np.float64)
