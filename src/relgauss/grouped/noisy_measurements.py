"""The only computations of an enforced release that touch the records: noisy counts, then noisy means.

    counts of a group's bins                              sensitivity sqrt(2),  mu_counts
    its values, clipped to a window, in window widths     sensitivity 1,        mu_mean

Windows are chosen from noisy counts alone. Groups are disjoint: replacing a record touches one of them, so
groups are released together at the sensitivity of one, and each spends the whole budget,
mu_counts² + mu_mean² <= mu². Proof: proofs/grouped-means.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.grouped.noisy_counts import NoisyCounts, count_mechanism
from relgauss.grouped.totals import CellTotals
from relgauss.grouped.window import Windows
from relgauss.mechanisms import Gaussian
from relgauss.sensitivity import AbsoluteSensitivity

_TOGETHER = 4096  # groups in one vector


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
    exact = totals.bin_counts[groups]
    values, noise_std = np.empty(exact.shape), np.empty(len(groups))

    def release(mu_counts: float, same: NDArray[np.intp]) -> None:
        mechanism = count_mechanism(exact[same].size, mu_counts)
        values[same] = mechanism.release(exact[same].ravel(), rng=rng).reshape(exact[same].shape)
        noise_std[same] = mechanism.noise_std

    _for_equal(mu, release)
    return NoisyCounts(totals.sizes[groups].astype(np.float64), values, noise_std)


def measure_means(
    totals: CellTotals,
    groups: NDArray[np.intp],
    windows: Windows,
    mu: FloatArray,
    rng: np.random.Generator | None,
) -> NoisyMeans:
    """Release the clipped means of some groups, each group at its own mu."""
    places = zip(groups, windows.lower, windows.upper, strict=True)
    answers = [totals.window_sum(group, lower, upper) for group, lower, upper in places]
    exact = np.concatenate([answer.value for answer in answers])
    bound = AbsoluteSensitivity(max(answer.sensitivity.r for answer in answers), "enforced")
    values, noise_std = np.empty(len(groups)), np.empty(len(groups))

    def release(mu_mean: float, same: NDArray[np.intp]) -> None:
        mechanism = Gaussian(bound, exact[same].size, 1 / mu_mean)
        values[same] = mechanism.release(exact[same], rng=rng)
        noise_std[same] = mechanism.noise_std

    _for_equal(mu, release)
    start, end = totals.grid.edges[windows.lower], totals.grid.edges[windows.upper]
    per_record = (end - start) / totals.sizes[groups]
    return NoisyMeans(windows, start + values * per_record, noise_std * per_record)


def _for_equal(mu: FloatArray, release: Callable[[float, NDArray[np.intp]], None]) -> None:
    """Release those of each distinct mu as one vector, or as a few if they are many."""
    for each in np.unique(mu):
        same = np.flatnonzero(mu == each)
        for start in range(0, len(same), _TOGETHER):
            release(float(each), same[start : start + _TOGETHER])
