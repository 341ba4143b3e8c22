"""All that is released of a column, and what is said of it: one entry for every promise and every statistic.

Three steps: noisy counts of each group's bins, a window chosen from them, the noisy sum of the clipped
values. Estimates and intervals are then computed from what was released.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from relgauss.grouped.column_budget import divide_budget, split_off_sizes
from relgauss.grouped.column_estimates import (
    FLAGS,
    TOO_SMALL,
    UNKNOWN,
    ColumnEstimates,
    EdgeCounts,
    WindowFacts,
)
from relgauss.grouped.contribution import Contribution
from relgauss.grouped.mean_interval import is_whole_range
from relgauss.grouped.measured_batches import Plan, measure_batches
from relgauss.grouped.noisy_measurements import NoisySizes, measure_sizes
from relgauss.grouped.statistic_names import check_statistic, quantile_level
from relgauss.grouped.totals import CellTotals
from relgauss.grouped.usefulness import EDGES, FACTS, Yardsticks, said_of
from relgauss.records.threads import one_blas_thread, thread_count

_OF_MEANS = {"mean", "sum", "std"}
_MOST_THREADS = 4  # each has a batch in memory


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
        plan = Plan(totals, contribution, sizes, budget, groups, tuple(levels), tuple(asked), confidence)
        threads = min(thread_count(None), _MOST_THREADS)
        with one_blas_thread():
            for batch, found in measure_batches(plan, threads, rng):
                columns[:, :, batch], facts[:, batch], edges[:, batch] = (
                    found.columns,
                    found.facts,
                    found.edges,
                )
                below += found.below
                flags[batch], unknown[batch] = found.flags, found.unknown
    by = Yardsticks(*facts[:5])
    said = {}
    for name, (estimate, lower, upper) in zip(asked, columns, strict=True):
        of_mean = quantile_level(name) is None
        none = unknown if of_mean else is_whole_range(totals.grid, lower, upper)
        its_flags = np.where(none, FLAGS.index(UNKNOWN), flags).astype(np.int8)
        said[name] = said_of(name, (estimate, lower, upper), its_flags, by)
    return ColumnEstimates(
        sizes.values,
        said,
        WindowFacts(*facts[5:].copy()),  # a view would keep all of the facts in memory
        EdgeCounts(*edges),
        below,
    )
