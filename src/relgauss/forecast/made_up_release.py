"""One release of made-up groups by the code that releases real ones, with simulated noise."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from relgauss.arrays import FloatArray
from relgauss.forecast.column_plan import ColumnPlan
from relgauss.forecast.made_up_values import make_up_values
from relgauss.grouped.assumed_spread import estimate_assumed
from relgauss.grouped.column_estimates import StatisticEstimates
from relgauss.grouped.measure_column import measure_column
from relgauss.grouped.noisy_measurements import NoisySizes
from relgauss.grouped.private_groups import Threshold
from relgauss.grouped.result import Estimates
from relgauss.grouped.totals import GroupTotals

SHARES = ("zeros", "missing")
"""Statistics that are shares already: their errors and widths are in points, not relative to themselves."""

MOST_OF_THE_RANGE = 2 / 3
"""An interval that is wider than this part of the public range is called the whole of it."""

_NOT_IN_THE_RANGE = (*SHARES, "count", "sum", "std")  # statistics that are no value of a record


@dataclass(frozen=True, eq=False)
class Found:
    """What a statistic was like: for each made-up group, or the typical one of each size.

    Attributes
    ----------
    sizes
        Of the groups.
    error, width
        Relative to the truth; NaN where nothing was released.
    usable
        The share of groups that were of use.
    known
        The share of groups whose interval was not the whole public range.
    """

    sizes: NDArray[np.int64]
    error: FloatArray
    width: FloatArray
    usable: FloatArray
    known: FloatArray

    @classmethod
    def joined(cls, parts: list[Found]) -> Found:
        """All parts, in the order of their sizes."""
        names = ("sizes", "error", "width", "usable", "known")
        every = [np.concatenate([getattr(part, name) for part in parts]) for name in names]
        order = np.argsort(every[0], kind="stable")
        return cls(*(each[order] for each in every))

    def typical(self, places: Sequence[slice]) -> Found:
        """The typical group of each of these places, under the middle of their sizes."""

        def medians(values: FloatArray) -> FloatArray:
            """Those without an estimate are above all others; NaN if the median is one."""
            each = np.nan_to_num(values, nan=math.inf)
            found = np.array([np.median(each[place]) for place in places])
            return np.where(np.isinf(found), math.nan, found)

        def shares(values: FloatArray) -> FloatArray:
            return np.array([values[place].mean() for place in places])

        logs = [np.log(self.sizes[place]).mean() for place in places]
        return Found(
            np.maximum(np.rint(np.exp(logs)), 1).astype(np.int64),
            medians(self.error),
            medians(self.width),
            shares(self.usable),
            shares(self.known),
        )


def release_made_up(
    plan: ColumnPlan, mu: float, sizes: NDArray[np.int64], rng: np.random.Generator
) -> dict[str, Found]:
    """Release made-up groups of these sizes as one table: what each was like, by statistic."""
    estimates: Mapping[str, Estimates | StatisticEstimates]
    if plan.spread is None:
        made = make_up_values(sizes, plan.form, plan.grid, plan.rule, rng)
        truths = {name: made.truth(name) for name in (*plan.statistics, "mean")}
        sizes_with_noise = sizes + plan.size_noise * rng.standard_normal(len(sizes))
        released = NoisySizes(sizes_with_noise, plan.size_noise).not_negative()
        measured = measure_column(
            made.cells, plan.contribution, mu, plan.statistics, plan.confidence, rng, released
        )
        estimates = measured.statistics
    else:
        totals, means = _alike(sizes, plan, rng)
        truths = {"mean": means}
        spreads = (plan.spread,) * len(sizes)
        estimates = {"mean": estimate_assumed(totals, spreads, mu, plan.confidence, rng)}
    shown = np.ones(len(sizes)) if plan.shown is None else _shown(sizes, plan.shown)
    edges = plan.grid.edges
    found = {}
    for name, each in estimates.items():
        unit, width = _unit(name, truths), each.upper - each.lower
        whole = math.inf if name in _NOT_IN_THE_RANGE else MOST_OF_THE_RANGE * (edges[-1] - edges[0])
        error = np.abs(each.estimate - truths[name]) / unit
        found[name] = Found(sizes, error, width / unit, each.usable * shown, (width < whole).astype(float))
    return found


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


def _alike(
    sizes: NDArray[np.int64], plan: ColumnPlan, rng: np.random.Generator
) -> tuple[GroupTotals, FloatArray]:
    """Groups whose values are all the same: under an assumed spread nothing else matters."""
    magnitudes = plan.grid.magnitudes
    means = plan.form.scales(len(sizes), magnitudes.low, magnitudes.high, rng)
    sums = tuple(plan.rule.units(mean) * int(size) for mean, size in zip(means, sizes, strict=True))
    return GroupTotals(tuple(range(len(sizes))), sizes, sums, plan.rule), means
