"""The only computations of an enforced release that touch the records: noisy counts, then noisy means.

    counts of a group's bins                  sensitivity sqrt(2),   mu_counts
    its mean, clipped to a window [a, b]      sensitivity (b - a)/n, mu_mean

Windows are chosen from noisy counts alone. Groups are disjoint, so each spends the whole budget,
mu_counts² + mu_mean² <= mu². Proof: proofs/grouped-means.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.estimate import NoisyCounts, Windows, count_mechanism
from relgauss.grouped.totals import CellTotals
from relgauss.mechanisms import Gaussian


@dataclass(frozen=True, eq=False)
class NoisyMeans:
    """Released means of values that were clipped to windows, with their noise levels."""

    windows: Windows
    values: FloatArray
    noise_std: FloatArray


def measure_counts(
    totals: CellTotals, groups: NDArray[np.intp], mu: FloatArray, rng: np.random.Generator | None
) -> NoisyCounts:
    """Release the counts of some groups' bins, each group at its own mu."""
    values, noise_std = [], []
    for group, mu_counts in zip(groups, mu, strict=True):
        mechanism = count_mechanism(totals.grid.bins, mu_counts)
        values.append(np.asarray(mechanism.release(totals.bin_counts(group), rng=rng)))
        noise_std.append(mechanism.noise_std)
    return NoisyCounts(totals.sizes[groups].astype(np.float64), np.stack(values), np.array(noise_std))


def measure_means(
    totals: CellTotals,
    groups: NDArray[np.intp],
    windows: Windows,
    mu: FloatArray,
    rng: np.random.Generator | None,
) -> NoisyMeans:
    """Release the clipped means of some groups, each group at its own mu."""
    values, noise_std = [], []
    for group, lower, upper, mu_mean in zip(groups, windows.lower, windows.upper, mu, strict=True):
        answer = totals.clipped_mean(group, lower, upper)
        mechanism = Gaussian(answer.sensitivity, 1, 1 / mu_mean)
        released = np.asarray(mechanism.release(answer.value, rng=rng))
        values.append(totals.grid.edges[lower] + released[0])
        noise_std.append(mechanism.noise_std)
    return NoisyMeans(windows, np.array(values), np.array(noise_std))
