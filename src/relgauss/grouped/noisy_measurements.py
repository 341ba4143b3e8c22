"""Counts and sums with noise: all that an enforced release ever computes from the records.

    counts of a group's bins                                   noise count_sensitivity/mu_counts
    its values, clipped to a window, centred, in widths;
    3/16 of the number of values outside of it                 noise (about) sum_sensitivity/mu_sums

Windows are chosen from noisy counts alone, and mu_counts² + mu_sums² <= mu². Proof: proofs/grouped-means.md.
How the budget is divided: ``column_budget``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.bounded.answer import BoundedAnswer
from relgauss.grouped.contribution import Contribution
from relgauss.grouped.signed_grid import Ramps, SignedGrid, Windows
from relgauss.grouped.totals import OUTSIDE_WEIGHT, CellTotals
from relgauss.mechanisms import Gaussian

_TOGETHER = 4096  # groups in one vector


@dataclass(frozen=True, eq=False)
class NoisySizes:
    """The number of rows of each group, and the level of the noise on it: 0 if it is public."""

    values: FloatArray
    noise_std: float

    def rows(self, chosen: slice) -> NoisySizes:
        """Some of the groups."""
        return NoisySizes(self.values[chosen], self.noise_std)

    def not_negative(self) -> NoisySizes:
        """The same, 0 where noise made it negative."""
        return NoisySizes(np.maximum(self.values, 0.0), self.noise_std)


@dataclass(frozen=True, eq=False)
class NoisyCounts:
    """Released counts: a row of ``values`` for each group, with its size and its noise level."""

    sizes: FloatArray
    values: FloatArray
    noise_std: FloatArray

    def batches(self, length: int) -> Iterator[NoisyCounts]:
        """The same groups, at most ``length`` at a time."""
        for start in range(0, len(self.sizes), length):
            yield self.rows(slice(start, start + length))

    def at_most(self, groups: int) -> NoisyCounts:
        """At most this many of the groups, evenly picked."""
        return self.rows(slice(None, None, max(-(-len(self.sizes) // groups), 1)))

    def rows(self, chosen: slice | NDArray[np.bool_]) -> NoisyCounts:
        """Some of the groups."""
        return NoisyCounts(self.sizes[chosen], self.values[chosen], self.noise_std[chosen])

    def joined(self, places: NDArray[np.intp], more: NoisyCounts) -> NoisyCounts:
        """The same, with a second release of some groups: both weighed by the inverse of their variances."""
        first, second = self.noise_std[places] ** -2, more.noise_std**-2
        values, noise_std = self.values.copy(), self.noise_std.copy()
        weight = (second / (first + second))[:, None]
        values[places] += weight * (more.values - values[places])
        noise_std[places] = (first + second) ** -0.5
        return NoisyCounts(self.sizes, values, noise_std)


@dataclass(frozen=True, eq=False)
class Present:
    """The number of values of each group that are not left out, and the level of the noise on it."""

    values: FloatArray
    noise_std: FloatArray

    @classmethod
    def of(cls, grid: SignedGrid, counts: NoisyCounts, size_std: float) -> Present:
        """What is missing is counted with noise; the number of rows has the level ``size_std``."""
        if not grid.leaves_out_missing:
            return cls(counts.sizes, np.full(len(counts.sizes), size_std))
        return cls(counts.sizes - counts.values[:, -1], np.hypot(counts.noise_std, size_std))


@dataclass(frozen=True, eq=False)
class NoisySums:
    """Released sums of (value - middle)/width in windows, and numbers of values outside of them.

    ``noise_std`` and ``outside_std`` are their noise levels.
    """

    windows: Windows
    values: FloatArray
    noise_std: FloatArray
    outside: FloatArray
    outside_std: FloatArray

    @classmethod
    def joined(cls, some: Sequence[NoisySums]) -> NoisySums:
        """Those of some groups, then those of others."""
        lower, upper = (
            np.concatenate([getattr(each.windows, end) for each in some]) for end in ("lower", "upper")
        )
        values, noise_std, outside, outside_std = (
            np.concatenate([getattr(each, name) for each in some])
            for name in ("values", "noise_std", "outside", "outside_std")
        )
        return cls(Windows(lower, upper), values, noise_std, outside, outside_std)


@dataclass(frozen=True, eq=False)
class NoisyRamps:
    """Released numbers of values below, between and above ramps; a row and a noise level for each group."""

    ramps: Ramps
    values: FloatArray
    noise_std: FloatArray


@dataclass(frozen=True, eq=False)
class ClippedMeans:
    """Means of clipped values that follow from sums and numbers of values, with their noise levels.

    ``start`` and ``end`` are the ends of the windows.
    """

    windows: Windows
    start: FloatArray
    end: FloatArray
    values: FloatArray
    noise_std: FloatArray

    @classmethod
    def of(cls, grid: SignedGrid, sums: NoisySums, present: Present) -> ClippedMeans:
        """Sums over numbers of values."""
        start, end = grid.edges[sums.windows.lower], grid.edges[sums.windows.upper]
        ratio = sums.values / present.values
        noise = np.hypot(sums.noise_std, ratio * present.noise_std) / present.values
        values = (start + end) / 2 + (end - start) * ratio
        return cls(sums.windows, start, end, values, (end - start) * noise)


def measure_sizes(
    totals: CellTotals, contribution: Contribution, mu: float, rng: np.random.Generator | None
) -> NoisySizes:
    """The sizes of all groups, released at ``mu``."""
    every = np.full(len(totals.groups), mu)
    values, noise_std = _release(totals.group_sizes(contribution), every, rng)
    return NoisySizes(values, float(noise_std.max())).not_negative()


def measure_counts(
    totals: CellTotals,
    groups: NDArray[np.intp],
    sizes: FloatArray,
    contribution: Contribution,
    mu: FloatArray,
    rng: np.random.Generator | None,
) -> NoisyCounts:
    """Release the counts of the bins of ``groups`` (indices), of these public or noisy sizes."""
    values, noise_std = _release(totals.bin_counts(groups, contribution), mu, rng)
    return NoisyCounts(sizes, values, noise_std)


def measure_sums(
    totals: CellTotals,
    groups: NDArray[np.intp],
    windows: Windows,
    contribution: Contribution,
    mu: FloatArray,
    rng: np.random.Generator | None,
) -> NoisySums:
    """Release the sums of ``groups`` (indices) after clipping to their windows, each at its own mu."""
    values, noise_std = _release(totals.window_sums(groups, windows, contribution), mu, rng)
    outside = values[:, 1] / OUTSIDE_WEIGHT
    return NoisySums(windows, values[:, 0], noise_std, outside, noise_std / OUTSIDE_WEIGHT)


def measure_ramps(
    totals: CellTotals,
    groups: NDArray[np.intp],
    ramps: Ramps,
    contribution: Contribution,
    mu: FloatArray,
    rng: np.random.Generator | None,
) -> NoisyRamps:
    """Release how the values of ``groups`` (indices) lie about their ramps, each at its own mu."""
    return NoisyRamps(ramps, *_release(totals.ramp_counts(groups, ramps, contribution), mu, rng))


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
