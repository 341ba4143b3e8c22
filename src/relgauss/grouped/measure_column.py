"""All that is released of a column, and what is said of it: one entry for every promise and every statistic.

Three steps: noisy counts of each group's bins, a window chosen from them, the noisy sum of the clipped
values. Estimates and intervals are then computed from what was released.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from relgauss.arrays import FloatArray
from relgauss.grouped.column_estimates import (
    FLAGS,
    TOO_SMALL,
    ColumnEstimates,
    StatisticEstimates,
    WindowFacts,
)
from relgauss.grouped.composition import Composition, compose_groups
from relgauss.grouped.contribution import Contribution
from relgauss.grouped.mean_interval import Present, clipped_interval, count_outside, mean_interval
from relgauss.grouped.noisy_measurements import (
    ClippedMeans,
    NoisyCounts,
    NoisySizes,
    NoisySums,
    measure_counts,
    measure_sizes,
    measure_sums,
)
from relgauss.grouped.posterior_mean import mean_quantiles
from relgauss.grouped.shape_weights import learn_shape_prior
from relgauss.grouped.shapes import PlacedShapes, placed_shapes
from relgauss.grouped.sides import counts_of_side, fit_sides
from relgauss.grouped.signed_grid import SignedGrid
from relgauss.grouped.totals import CellTotals
from relgauss.grouped.window import choose_windows, magnitudes
from relgauss.grouped.window_budget import WindowBudget, divide_budget, mu_of_sizes

_BATCH = 256  # groups in memory at once
_LEARN_FROM = 512  # groups that tell well enough which shapes are common


def measure_column(
    totals: CellTotals,
    contribution: Contribution,
    mu: float,
    statistics: Sequence[str],
    confidence: float,
    rng: np.random.Generator | None,
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
        What is asked for; everything but a mean or a sum comes from the same noisy counts, and is free.
    confidence
        The probability that intervals are made for.
    rng
        A generator for simulated noise; without it noise is secure.
    """
    grid = totals.grid
    sizes = measure_sizes(totals, contribution, mu_of_sizes(mu), rng)
    budget = divide_budget(sizes.values, mu, grid.bins, contribution)
    groups = np.flatnonzero(budget.released)
    groups = groups[np.argsort(sizes.values[groups], kind="stable")]  # those of like size are alike
    columns = np.full((10, len(totals.groups)), np.nan)
    flags = np.full(len(totals.groups), FLAGS.index(TOO_SMALL), dtype=np.int8)
    if groups.size:
        columns[:, groups], flags[groups] = _measure(
            totals, contribution, sizes, budget, groups, confidence, rng
        )
    estimate, lower, upper, typical, *facts = columns
    mean = StatisticEstimates(estimate, lower, upper, _is_useful(lower, upper, typical) & (flags == 0), flags)
    return ColumnEstimates(totals.groups, sizes.values, {"mean": mean}, WindowFacts(*facts))


def _measure(
    totals: CellTotals,
    contribution: Contribution,
    sizes: NoisySizes,
    budget: WindowBudget,
    groups: NDArray[np.intp],
    confidence: float,
    rng: np.random.Generator | None,
) -> tuple[FloatArray, NDArray[np.int8]]:
    grid, shapes = totals.grid, placed_shapes(totals.grid.magnitudes)
    counts = measure_counts(totals, groups, sizes.values[groups], contribution, budget.mu_counts[groups], rng)
    parts = compose_groups(grid, shapes, counts)
    log_prior = _learn(grid, shapes, counts, parts)
    deviates = float(ndtri((1 + confidence) / 2))
    levels = (0.5, (1 - confidence) / 2, (1 + confidence) / 2)
    found, flags = [], []
    for start in range(0, len(groups), _BATCH):
        chosen = slice(start, start + _BATCH)
        batch, some, composition = groups[chosen], counts.rows(chosen), parts.rows(chosen)
        sides = fit_sides(grid, shapes, log_prior, some, composition)
        number = np.maximum(some.sizes * (1 - composition.missing), 1.0)
        mu_sums = budget.mu_sums[batch]
        windows = choose_windows(
            grid, sides, composition, number, contribution.sum_sensitivity / (number * mu_sums)
        )
        sums = measure_sums(totals, batch, windows, contribution, mu_sums, rng)
        present = _present(grid, some, sizes.noise_std)
        zero = composition.zero_of_present
        outside = count_outside(grid, sums, some, sides, zero, number, deviates)
        clipped = clipped_interval(grid, sums, present, deviates)
        within = mean_interval(grid, sums, present, outside, deviates)
        means = _clipped_means(grid, sums, Present(number, present.noise_std))
        posterior = mean_quantiles(sides, zero, number, means, levels)
        lower, upper = np.minimum(within[0], posterior[1]), np.maximum(within[1], posterior[2])
        rows = [
            np.clip(posterior[0], lower, upper),
            lower,
            upper,
            magnitudes(sides),
            means.start,
            means.end,
            *clipped,
            outside.bound / number,
            (outside.assumed_below + outside.assumed_above) / number,
        ]
        found.append(np.array(rows))
        flags.append(outside.flags)
    return np.concatenate(found, axis=1), np.concatenate(flags)


def _learn(grid: SignedGrid, shapes: PlacedShapes, counts: NoisyCounts, parts: Composition) -> FloatArray:
    """The log-prior of placed shapes, learned from the larger side of every group."""
    positive = parts.positive >= parts.negative
    batches: list[NoisyCounts] = []
    for sign, share, chosen in ((1, parts.positive, positive), (-1, parts.negative, ~positive)):
        if chosen.any():
            of_side = counts_of_side(grid, counts, sign, share)
            batches += of_side.rows(chosen).at_most(_LEARN_FROM).batches(_BATCH)
    return learn_shape_prior(shapes, batches)


def _present(grid: SignedGrid, counts: NoisyCounts, size_std: float) -> Present:
    """The number of values that are not left out: what is missing is counted with noise."""
    if not grid.leaves_out_missing:
        return Present(counts.sizes, np.full(len(counts.sizes), size_std))
    return Present(counts.sizes - counts.values[:, -1], np.hypot(counts.noise_std, size_std))


def _clipped_means(grid: SignedGrid, sums: NoisySums, present: Present) -> ClippedMeans:
    start, end = grid.edges[sums.windows.lower], grid.edges[sums.windows.upper]
    ratio = sums.values / present.values
    noise = np.hypot(sums.noise_std, ratio * present.noise_std) / present.values
    values = (start + end) / 2 + (end - start) * ratio
    return ClippedMeans(sums.windows, start, end, values, (end - start) * noise)


def _is_useful(lower: FloatArray, upper: FloatArray, typical: FloatArray) -> NDArray[np.bool_]:
    """Whether an interval is narrower than a factor of two, or than the typical magnitude if it holds 0."""
    near, far = np.minimum(np.abs(lower), np.abs(upper)), np.maximum(np.abs(lower), np.abs(upper))
    return np.where(lower * upper > 0, far <= 2 * near, upper - lower <= typical)
