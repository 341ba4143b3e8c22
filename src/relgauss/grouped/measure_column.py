"""All that is released of a column, and what is said of it: one entry for every promise and every statistic.

Three steps: noisy counts of each group's bins, a window chosen from them, the noisy sum of the clipped
values. Estimates and intervals are then computed from what was released.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from relgauss.arrays import FloatArray
from relgauss.grouped.column_budget import ColumnBudget, divide_budget, split_off_sizes
from relgauss.grouped.column_estimates import (
    FLAGS,
    TOO_SMALL,
    UNKNOWN,
    ColumnEstimates,
    EdgeCounts,
    WindowFacts,
)
from relgauss.grouped.column_statistics import MeasuredGroups
from relgauss.grouped.contribution import Contribution
from relgauss.grouped.mean_interval import count_outside, is_whole_range, mean_interval
from relgauss.grouped.measured_quantiles import measure_quantiles
from relgauss.grouped.noisy_measurements import (
    ClippedMeans,
    NoisyCounts,
    NoisySizes,
    Present,
    measure_counts,
    measure_sizes,
    measure_sums,
)
from relgauss.grouped.placed_shapes import PlacedShapes, placed_shapes
from relgauss.grouped.posterior_mean import mean_quantiles
from relgauss.grouped.shape_weights import learn_shape_prior
from relgauss.grouped.sides import Composition, choose_windows, compose_groups, counts_of_side, fit_sides
from relgauss.grouped.signed_grid import SignedGrid
from relgauss.grouped.statistic_names import check_statistic, quantile_level
from relgauss.grouped.totals import CellTotals
from relgauss.grouped.usefulness import EDGES, FACTS, Yardsticks, edges_of, facts_of, said_of

_WEIGHTS = 2**22  # of shapes, in memory at once: groups come in batches that have no more of them
_LEARN_FROM = 512  # groups that tell well enough which shapes are common
_OF_MEANS = {"mean", "sum", "std"}
_ROOM = 1.06  # windows follow the noisy count of missing values, which means divide by


def deviates_of(confidence: float) -> float:
    """How many noise levels an interval reaches to either side: a little more than the normal quantile."""
    return _ROOM * float(ndtri((1 + confidence) / 2))


def measure_column(
    totals: CellTotals,
    contribution: Contribution,
    mu: float,
    statistics: Sequence[str],
    confidence: float,
    rng: np.random.Generator | None,
    sizes: NoisySizes | None = None,
) -> ColumnEstimates:
    """Release what is asked about all groups, together at mu-GDP. Proof: proofs/grouped-means.md.

    Parameters
    ----------
    totals
        Exact counts and sums by group and cell.
    contribution
        How far one protected unit moves them.
    mu
        The budget of the column.
    statistics
        What is asked for; shares, counts and spreads come from the same noisy counts, and are free. Quantiles
        take a part of the budget where sizes are public.
    confidence
        The probability that intervals are made for.
    rng
        A generator for simulated noise; without it noise is secure.
    sizes
        The number of rows of each group, if it was released before; else it is public, or released here.
    """
    asked = list(statistics)
    others = [each for each in asked if each != "mean"]
    for each in others:
        check_statistic(each, leaves_out_missing=totals.grid.leaves_out_missing)
    if sizes is None and contribution.sizes_public:
        sizes = NoisySizes(totals.sizes.astype(np.float64), 0.0)
    elif sizes is None:
        mu_sizes, mu = split_off_sizes(mu)
        sizes = measure_sizes(totals, contribution, mu_sizes, rng)
    levels = sorted({level for each in others if (level := quantile_level(each)) is not None})
    means = not _OF_MEANS.isdisjoint(asked)
    budget = divide_budget(
        sizes.values, mu, totals.grid.bins, contribution, quantiles=bool(levels), means=means
    )
    groups = np.flatnonzero(budget.released)
    groups = groups[np.argsort(sizes.values[groups], kind="stable")]  # those of like size are alike
    columns = np.full((len(asked), 3, len(totals.groups)), np.nan)
    facts = np.full((FACTS, len(totals.groups)), np.nan)
    edges, below = np.zeros((EDGES, len(totals.groups))), np.zeros(len(totals.coarse.grid.edges))
    flags = np.full(len(totals.groups), FLAGS.index(TOO_SMALL), dtype=np.int8)
    unknown = np.zeros(len(totals.groups), dtype=np.bool_)
    if groups.size:
        plan = _Plan(totals, contribution, sizes, budget, groups, tuple(levels))
        for batch, measured in _measure(plan, confidence, rng):
            columns[:, :, batch] = np.array(
                [measured.mean if each == "mean" else measured.interval(each) for each in asked]
            )
            facts[:, batch] = facts_of(measured)
            edges[:, batch] = edges_of(measured)
            below += measured.below() if levels else 0.0
            flags[batch] = measured.outside.flags
            unknown[batch] = is_whole_range(totals.grid, *measured.mean[1:])
    by = Yardsticks(*facts[:3])
    said = {}
    for name, (estimate, lower, upper) in zip(asked, columns, strict=True):
        of_mean = quantile_level(name) is None
        none = unknown if of_mean else is_whole_range(totals.grid, lower, upper)
        its_flags = np.where(none, FLAGS.index(UNKNOWN), flags).astype(np.int8)
        said[name] = said_of(name, (estimate, lower, upper), its_flags, by)
    return ColumnEstimates(
        sizes.values,
        said,
        WindowFacts(*facts[3:].copy()),  # a view would keep all of the facts in memory
        EdgeCounts(*edges),
        below,
    )


@dataclass(frozen=True, eq=False)
class _Plan:
    """What is to be released, and of which groups."""

    totals: CellTotals
    contribution: Contribution
    sizes: NoisySizes
    budget: ColumnBudget
    groups: NDArray[np.intp]
    levels: tuple[float, ...]


def _measure(
    plan: _Plan, confidence: float, rng: np.random.Generator | None
) -> Iterator[tuple[NDArray[np.intp], MeasuredGroups]]:
    """Release counts of all groups, then ramps, windows and sums of some at a time."""
    totals, groups, contribution = plan.totals, plan.groups, plan.contribution
    coarse, size_std = totals.coarse, plan.sizes.noise_std
    grid, shapes = coarse.grid, placed_shapes(coarse.grid.magnitudes)
    counts, parts, budget = _find(plan, shapes, rng)
    batch_length = max(_WEIGHTS // len(shapes.below), 1)
    log_prior = _learn(grid, shapes, counts, parts, batch_length)
    deviates = deviates_of(confidence)
    ends = (0.5, (1 - confidence) / 2, (1 + confidence) / 2)
    for start in range(0, len(groups), batch_length):
        chosen = slice(start, start + batch_length)
        batch, some, composition = groups[chosen], counts.rows(chosen), parts.rows(chosen)
        mu_sums, zero = budget.mu_sums[batch], composition.zero_of_present
        number = np.maximum(some.sizes * (1 - composition.missing), 1.0)
        present = Present.of(grid, some, size_std)
        sides = fit_sides(grid, shapes, log_prior, some, composition)
        look, values = None, Present(number, present.noise_std)
        if plan.levels:
            look = measure_quantiles(
                plan.levels, totals, batch, contribution, budget, sides, zero, values, rng
            )
        noise_per_width = contribution.sum_sensitivity / (number * mu_sums)
        windows = choose_windows(grid, sides, composition, number, noise_per_width)
        sums = measure_sums(coarse, batch, windows, contribution, mu_sums, rng)
        outside = count_outside(grid, sums, some, sides, zero, number, deviates)
        within = mean_interval(grid, sums, present, outside, deviates)
        means = ClippedMeans.of(grid, sums, values)
        (middle, low, high), located = mean_quantiles(
            sides if look is None else look.sides, zero, number, means, ends, locates=look is not None
        )
        lower, upper = np.minimum(within[0], low), np.maximum(within[1], high)
        mean = np.clip(middle, lower, upper), lower, upper
        quantiles = {} if look is None else look.estimates(located)
        yield (
            batch,
            MeasuredGroups(
                grid=grid,
                counts=some,
                size_std=size_std,
                present=present,
                number=number,
                sums=sums,
                sides=sides,
                zero=zero,
                outside=outside,
                mean=mean,
                quantiles=quantiles,
                reading=None if look is None else look.reading,
                deviates=deviates,
            ),
        )


def _find(
    plan: _Plan, shapes: PlacedShapes, rng: np.random.Generator | None
) -> tuple[NoisyCounts, Composition, ColumnBudget]:
    """Counts of all groups, released again where few values are neither zero nor missing; what they show."""
    grid, groups, sizes = plan.totals.coarse.grid, plan.groups, plan.sizes.values[plan.groups]

    def measure(places: NDArray[np.intp], mu: FloatArray) -> NoisyCounts:
        some = groups[places]
        return measure_counts(plan.totals, some, sizes[places], plan.contribution, mu[some], rng)

    counts = measure(np.arange(len(groups)), plan.budget.mu_counts)
    parts = compose_groups(grid, shapes, counts)
    budget = plan.budget.after_counts(groups, sizes, sizes * (parts.positive + parts.negative))
    few = np.flatnonzero(budget.more[groups])
    if few.size:
        counts = counts.joined(few, measure(few, budget.mu_more))
        parts = compose_groups(grid, shapes, counts)
    return counts, parts, budget


def _learn(
    grid: SignedGrid, shapes: PlacedShapes, counts: NoisyCounts, parts: Composition, batch_length: int
) -> FloatArray:
    """The log-prior of placed shapes, learned from the larger side of every group."""
    positive = parts.positive >= parts.negative
    batches: list[NoisyCounts] = []
    for sign, share, chosen in ((1, parts.positive, positive), (-1, parts.negative, ~positive)):
        if chosen.any():
            of_side = counts_of_side(grid, counts, sign, share)
            batches += of_side.rows(chosen).at_most(_LEARN_FROM).batches(batch_length)
    return learn_shape_prior(shapes, batches)
