"""Means without any assumption: a record is clipped to a window that is found privately."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.grouped.estimates import Estimates
from relgauss.grouped.noisy_measurements import measure_counts, measure_means
from relgauss.grouped.posterior_mean import conclude
from relgauss.grouped.shape_prior import learn_forms
from relgauss.grouped.shape_weights import fit_shapes
from relgauss.grouped.shapes import shapes_on
from relgauss.grouped.totals import CellTotals
from relgauss.grouped.window import choose_windows
from relgauss.grouped.window_budget import Plan, plan_groups

_BATCH = 256  # groups in memory at once
_LEARN_FROM = 512  # groups that tell well enough which forms are common


def estimate_enforced(
    totals: CellTotals, mu: float, confidence: float, rng: np.random.Generator | None
) -> Estimates:
    """Release all groups that are large enough, together at mu-GDP. Proof: proofs/grouped-means.md."""
    plan = plan_groups(totals.sizes.astype(np.float64), mu, totals.grid.bins)
    groups = np.flatnonzero(plan.asked)
    groups = groups[np.argsort(totals.sizes[groups], kind="stable")]  # those of like size are alike
    quantiles = np.full((3, len(totals.groups)), np.nan)
    if groups.size:
        levels = (0.5, (1 - confidence) / 2, (1 + confidence) / 2)
        quantiles[:, groups] = _quantiles(totals, groups, plan, levels, rng)
    estimate, lower, upper = quantiles
    return Estimates(totals.groups, totals.sizes, estimate, lower, upper, plan.usable)


def _quantiles(
    totals: CellTotals,
    groups: NDArray[np.intp],
    plan: Plan,
    levels: tuple[float, ...],
    rng: np.random.Generator | None,
) -> FloatArray:
    """What is known of the groups' means after counts, windows and clipped means; a row for each level."""
    all_counts = measure_counts(totals, groups, plan.mu_counts[groups], rng)
    shapes = shapes_on(totals.grid)
    log_prior = learn_forms(shapes, all_counts.at_most(_LEARN_FROM).batches(_BATCH))
    parts = []
    for number, counts in enumerate(all_counts.batches(_BATCH)):
        batch = groups[number * _BATCH : (number + 1) * _BATCH]
        mu_mean = plan.mu_mean[batch]
        fit = fit_shapes(shapes, log_prior, counts)
        windows = choose_windows(shapes, fit, counts.sizes, 1 / (counts.sizes * mu_mean))
        means = measure_means(totals, batch, windows, mu_mean, rng)
        known = conclude(shapes, counts, fit, means)
        parts.append(known.quantiles(levels, totals.rule.low, totals.rule.high))
    return np.concatenate(parts, axis=1)
