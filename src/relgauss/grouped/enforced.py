"""Means without any assumption: what a record can do is bounded by clipping it to a privately found window."""

from __future__ import annotations

import numpy as np

from relgauss.estimate import choose_windows, fit_shapes, learn_forms, shapes_on
from relgauss.grouped.conclude import conclude
from relgauss.grouped.estimates import Estimates
from relgauss.grouped.measure import measure_counts, measure_means
from relgauss.grouped.plan import plan_groups
from relgauss.grouped.totals import CellTotals

_BATCH = 256  # groups in memory at once


def estimate_enforced(
    totals: CellTotals, mu: float, confidence: float, rng: np.random.Generator | None
) -> Estimates:
    """Release every group that is large enough, at mu-GDP for all together. Proof: proofs/grouped-means.md."""
    plan = plan_groups(totals.sizes.astype(np.float64), mu, totals.grid.bins)
    levels = (0.5, (1 - confidence) / 2, (1 + confidence) / 2)
    quantiles = np.full((len(levels), len(totals.groups)), np.nan)
    groups = np.flatnonzero(plan.asked)
    if groups.size == 0:
        return Estimates(*quantiles, plan.usable)
    groups = groups[np.argsort(totals.sizes[groups], kind="stable")]  # those of like size are alike
    all_counts = measure_counts(totals, groups, plan.mu_counts[groups], rng)
    shapes = learn_forms(shapes_on(totals.grid), all_counts.batches(_BATCH))
    for number, counts in enumerate(all_counts.batches(_BATCH)):
        batch = groups[number * _BATCH : (number + 1) * _BATCH]
        mu_mean = plan.mu_mean[batch]
        fit = fit_shapes(shapes, counts)
        windows = choose_windows(shapes, fit, counts.sizes, 1 / (counts.sizes * mu_mean))
        means = measure_means(totals, batch, windows, mu_mean, rng)
        known = conclude(shapes, counts, fit, means)
        for row, level in enumerate(levels):
            quantiles[row, batch] = known.quantile(level, totals.rule.low, totals.rule.high)
    return Estimates(*quantiles, plan.usable)
