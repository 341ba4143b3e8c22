"""Records far outside of windows that no group shows by itself, but the counts of several groups together.

Groups of a table are often alike: what is lost in the noise of each stands out in their sum. With T_k the
residuals of the k-th bins beyond the windows, counts less what shapes and tails put there, added up over G
groups, a run of L bins has noise of level sqrt(G L) sigma. The run that stands out most is taken, then the
most of what is left, until none passes 3.8 noise levels. Each group has about its part of them, by its size:
its interval makes room for that. Where groups differ, it is an average. Proof: proofs/grouped-intervals.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.grouped.noisy_measurements import NoisyCounts
from relgauss.grouped.runs import run_sums
from relgauss.grouped.totals import summed_before

_RUNS = (1, 2, 4, 8, 16)  # bins
_SHOWN = 3.8  # noise levels, as for single groups
_MOST_RUNS = 8
_MORE, _DEVIATES = 1.5, 2.0  # times a group's part; standard deviations of a number about its part


@dataclass(frozen=True, eq=False)
class Beyond:
    """The bins beyond one end of each group's window, in the order of their values.

    Attributes
    ----------
    sign
        1 for what lies above, -1 for what lies below.
    counts
        Noisy counts, a row for each group; what bins hold that do not lie beyond is of no account.
    expected
        How many records the shapes put in each bin.
    is_beyond
        Which bins lie beyond.
    allowed
        How many records more are assumed to lie in a bin and further out.
    distances
        How far the middles of bins lie from the end.
    """

    sign: int
    counts: FloatArray
    expected: FloatArray
    is_beyond: NDArray[np.bool_]
    allowed: FloatArray
    distances: FloatArray

    def outwards(self, each: FloatArray) -> FloatArray:
        """The same columns, moved so that those that lie beyond come first, the nearest first of all."""
        bins = self.is_beyond.shape[1]
        first = bins - self.is_beyond.sum(axis=1)
        place = np.minimum(np.arange(bins) + first[:, None], bins - 1)
        return np.asarray(np.take_along_axis(each if self.sign > 0 else each[:, ::-1], place, axis=1))


def far_in_all(end: Beyond, counts: NoisyCounts) -> tuple[FloatArray, FloatArray, FloatArray]:
    """For each group: how many more lie beyond the end at most, how far in all, and the sum of squares."""
    groups, bins = end.is_beyond.shape
    is_there = np.arange(bins) < end.is_beyond.sum(axis=1)[:, None]
    assumed = end.outwards(end.allowed)
    further = np.concatenate([assumed[:, 1:], np.zeros((groups, 1))], axis=1)
    tail = assumed - np.where(np.roll(is_there, -1, axis=1), further, 0.0)
    residual = np.where(is_there, end.outwards(end.counts - end.expected) - tail, 0.0)
    summed = residual.sum(axis=0)
    variance = (is_there * counts.noise_std[:, None] ** 2).sum(axis=0)
    part = counts.sizes / counts.sizes.sum()
    distances = np.where(is_there, end.outwards(end.distances), 0.0)
    number, in_all, squares = np.zeros(groups), np.zeros(groups), np.zeros(groups)
    for chosen in _runs_that_stand_out(summed, variance):
        share = np.maximum(summed[chosen], 0.0)
        share = share / max(share.sum(), 1e-300)
        own = part * summed[chosen].sum()
        own = np.maximum(_MORE * own, own + _DEVIATES * np.sqrt(own))
        number += own
        in_all += own * (distances[:, chosen] @ share)
        squares += own * (distances[:, chosen] ** 2 @ share)
    return number, in_all, squares


def _runs_that_stand_out(summed: FloatArray, variance: FloatArray) -> list[slice]:
    """Runs of neighbouring bins that hold more than noise, none of which overlap: the clearest first."""
    left, found = summed.copy(), list[slice]()
    while len(found) < _MOST_RUNS:
        best = (_SHOWN, slice(0))
        for length in (length for length in _RUNS if length <= len(left)):
            sums, variances = (run_sums(summed_before(each[None]), length)[0] for each in (left, variance))
            levels = sums / np.sqrt(np.maximum(variances, 1e-300))
            start = int(levels.argmax())
            best = max(best, (float(levels[start]), slice(start, start + length)), key=lambda each: each[0])
        if best[0] <= _SHOWN:
            break
        found.append(best[1])
        left[best[1]] = 0.0
    return found
