"""Means without any assumption: values are clipped to a window that is found privately for each group.

Three steps: noisy counts of each group's bins, a window chosen from them, the noisy mean of the clipped
values. The estimate and its interval are then computed from what was released.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.grouped.noisy_measurements import measure_counts, measure_means
from relgauss.grouped.posterior_mean import posterior_of_means
from relgauss.grouped.result import Estimates
from relgauss.grouped.shape_prior import learn_shape_prior
from relgauss.grouped.shape_weights import fit_shapes
from relgauss.grouped.shapes import placed_shapes
from relgauss.grouped.totals import CellTotals
from relgauss.grouped.window import choose_windows
from relgauss.grouped.window_budget import WindowBudget, divide_budget

_BATCH = 256  # groups in memory at once
_LEARN_FROM = 512  # groups that tell well enough which shapes are common


def estimate_enforced(
    totals: CellTotals, mu: float, confidence: float, rng: np.random.Generator | None
) -> Estimates:
    """Release all groups that are large enough, together at mu-GDP. Proof: proofs/grouped-means.md."""
    budget = divide_budget(totals.sizes.astype(np.float64), mu, totals.grid.bins)
    groups = np.flatnonzero(budget.released)
    groups = groups[np.argsort(totals.sizes[groups], kind="stable")]  # those of like size are alike
    quantiles = np.full((3, len(totals.groups)), np.nan)
    if groups.size:
        levels = (0.5, (1 - confidence) / 2, (1 + confidence) / 2)
        quantiles[:, groups] = _quantiles(totals, groups, budget, levels, rng)
    estimate, lower, upper = quantiles
    return Estimates(totals.groups, totals.sizes, estimate, lower, upper, budget.usable)


def _quantiles(
    totals: CellTotals,
    groups: NDArray[np.intp],
    budget: WindowBudget,
    levels: tuple[float, ...],
    rng: np.random.Generator | None,
) -> FloatArray:
    """Quantiles of each group's mean, given its noisy counts and clipped mean; a row for each level."""
    shapes = placed_shapes(totals.grid)
    all_counts = measure_counts(totals, groups, budget.mu_counts[groups], rng)
    log_prior = learn_shape_prior(shapes, all_counts.at_most(_LEARN_FROM).batches(_BATCH))
    parts = []
    for number, counts in enumerate(all_counts.batches(_BATCH)):
        batch = groups[number * _BATCH : (number + 1) * _BATCH]
        mu_mean = budget.mu_mean[batch]
        fit = fit_shapes(shapes, log_prior, counts)
        windows = choose_windows(shapes, fit, counts.sizes, 1 / (counts.sizes * mu_mean))
        means = measure_means(totals, batch, windows, mu_mean, rng)
        posterior = posterior_of_means(shapes, counts, fit, means)
        parts.append(posterior.quantiles(levels, totals.rule.low, totals.rule.high))
    return np.concatenate(parts, axis=1)
