"""Counts and means with noise: all that an enforced release ever computes from the records.

    counts of a group's bins                              sensitivity sqrt(2),  mu_counts
    its values, clipped to a window, in window widths     sensitivity 1,        mu_mean

Windows are chosen from noisy counts alone. Groups are disjoint: replacing a record touches one of them, so
groups are released together at the sensitivity of one, and each spends the whole budget,
mu_counts² + mu_mean² <= mu². Proof: proofs/grouped-means.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.bounded.answer import BoundedAnswer
from relgauss.grouped.log_grid import Windows
from relgauss.grouped.totals import CellTotals
from relgauss.mechanisms import Gaussian

_TOGETHER = 4096  # groups in one vector


@dataclass(frozen=True, eq=False)
class NoisyCounts:
    """Released counts: a row of ``values`` for each group, with its public size and its noise level."""

    sizes: FloatArray
    values: FloatArray
    noise_std: FloatArray

    def batches(self, length: int) -> Iterator[NoisyCounts]:
        """The same groups, at most ``length`` at a time."""
        for start in range(0, len(self.sizes), length):
            part = slice(start, start + length)
            yield NoisyCounts(self.sizes[part], self.values[part], self.noise_std[part])

    def at_most(self, groups: int) -> NoisyCounts:
        """At most this many of the groups, evenly picked."""
        every = -(-len(self.sizes) // groups)
        return NoisyCounts(self.sizes[::every], self.values[::every], self.noise_std[::every])


@dataclass(frozen=True, eq=False)
class NoisyMeans:
    """Released means of values that were clipped to windows, with their noise levels."""

    windows: Windows
    values: FloatArray
    noise_std: FloatArray


def measure_counts(
    totals: CellTotals, groups: NDArray[np.intp], mu: FloatArray, rng: np.random.Generator | None
) -> NoisyCounts:
    """Release the counts of the bins of ``groups`` (indices), each group at its own mu."""
    values, noise_std = _release(totals.bin_counts(groups), mu, rng)
    return NoisyCounts(totals.sizes[groups].astype(np.float64), values, noise_std)


def measure_means(
    totals: CellTotals,
    groups: NDArray[np.intp],
    windows: Windows,
    mu: FloatArray,
    rng: np.random.Generator | None,
) -> NoisyMeans:
    """Release the means of ``groups`` (indices) after clipping to their windows, each at its own mu."""
    values, noise_std = _release(totals.window_sums(groups, windows), mu, rng)
    start, end = totals.grid.edges[windows.lower], totals.grid.edges[windows.upper]
    per_record = (end - start) / totals.sizes[groups]
    return NoisyMeans(windows, start + values * per_record, noise_std * per_record)


def _release(
    answer: BoundedAnswer, mu: FloatArray, rng: np.random.Generator | None
) -> tuple[FloatArray, FloatArray]:
    """Release an answer that has a row for each group, each row at its own mu; return also noise levels.

    Groups of equal mu are released as one vector, or as a few if they are many.
    """
    values, noise_std = np.empty(answer.value.shape), np.empty(len(mu))
    for each in np.unique(mu):
        same = np.flatnonzero(mu == each)
        for start in range(0, len(same), _TOGETHER):
            some = same[start : start + _TOGETHER]
            exact = answer.value[some]
            mechanism = Gaussian(answer.sensitivity, exact.size, 1 / float(each))
            values[some] = mechanism.release(exact.ravel(), rng=rng).reshape(exact.shape)
            noise_std[some] = mechanism.noise_std
    return values, noise_std
