"""Counts and sums with noise: all that an enforced release ever computes from the records.

    counts of a group's bins                                   noise count_sensitivity/mu_counts
    its values, clipped to a window, centred, in widths;
    3/16 of the number of values outside of it                 noise (about) sum_sensitivity/mu_sums

Windows are chosen from noisy counts alone, and mu_counts² + mu_sums² <= mu². Proof: proofs/grouped-means.md.

How much of the budget a group spends on finding its window is a public rule in its size and the budget:
with mu the GDP parameter of the whole budget, a peak of n records stands n mu_1/sqrt(2) noise levels high
in counts released at mu_1, and the highest of B pure noises about sqrt(2 log B). A group needs

    n mu >= need = 3.25 sqrt(log B)

to be found in nine cases of ten, and half as much again to be missed only once in thirty. From the need on,
its share of mu² for the counts falls as need/(n mu), to 0.3; smaller groups spend 0.9 on being found, and
those below need/4, which would not be, spend nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.bounded.answer import BoundedAnswer
from relgauss.grouped.contribution import Contribution
from relgauss.grouped.signed_grid import Windows
from relgauss.grouped.totals import OUTSIDE_WEIGHT, CellTotals
from relgauss.mechanisms import Gaussian

_TOGETHER = 4096  # groups in one vector
_NEED = 3.25
_LEAST_SHARE, _LARGEST_SHARE = 0.3, 0.9
_LEAST_FOR_QUANTILES = 0.5
_SHARE_OF_SIZES, _SHARE_OF_COUNTS = 0.1, 0.5
_HOPELESS = 0.25  # of the need


@dataclass(frozen=True, eq=False)
class WindowBudget:
    """For each group, mu_counts² + mu_sums² <= mu²; all of it follows from public or released numbers.

    Attributes
    ----------
    mu_counts
        What the counts of its bins, from which its window is found, are released at.
    mu_sums
        What its sum, clipped to the window, is released at.
    released
        Whether anything is: the smallest groups spend nothing.
    """

    mu_counts: FloatArray
    mu_sums: FloatArray
    released: NDArray[np.bool_]


def split_off_sizes(mu: float) -> tuple[float, float]:
    """What sizes that are not public are released at, out of a budget, and what is left of it."""
    kept = mu * (1 - 1e-14)
    return kept * math.sqrt(_SHARE_OF_SIZES), kept * math.sqrt(1 - _SHARE_OF_SIZES)


def divide_budget(
    sizes: FloatArray, mu: float, bins: int, contribution: Contribution, *, quantiles: bool = False
) -> WindowBudget:
    """What groups of these sizes spend out of ``mu``, on a grid of this many bins.

    If sizes are public a unit stays in its group, and each group divides the budget by its own size. If they
    are not, a unit may be in several groups, and all groups divide it alike: half of mu² for counts. Requests
    for quantiles, which counts answer, give counts at least one half.
    """
    kept = mu * (1 - 1e-14)  # for the roundings of the two roots
    clear = sizes * mu * math.sqrt(2) / contribution.count_sensitivity
    strength = clear / (_NEED * math.sqrt(math.log(max(bins, 2))))
    least = _LEAST_FOR_QUANTILES if quantiles else _LEAST_SHARE
    share = np.clip(1 / np.maximum(strength, 1e-9), least, _LARGEST_SHARE)
    if not contribution.sizes_public:
        share = np.full(len(sizes), _SHARE_OF_COUNTS)
    return WindowBudget(
        mu_counts=kept * np.sqrt(share),
        mu_sums=kept * np.sqrt(1 - share),
        released=strength >= _HOPELESS,
    )


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
