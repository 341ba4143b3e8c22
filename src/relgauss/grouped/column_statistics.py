"""Counts, sums, spreads and shares from what a mean releases anyway, and intervals of quantiles.

    F at a bin's edge = (records below the window + noisy counts of the window's bins up to there)/N

A quantile's interval goes from the bin where the upper end of the band of F (``distribution_band``) reaches
the level to the one where the lower end does, whatever lies outside of the window;
the estimate inside of it comes from ``quantile_ramps``. Proof: proofs/grouped-intervals.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.grouped.distribution_band import distribution_band
from relgauss.grouped.mean_interval import Outside, ratio_interval, upper_bound
from relgauss.grouped.noisy_measurements import NoisyCounts, NoisySums, Present
from relgauss.grouped.quantile_ramps import RampReading
from relgauss.grouped.ramp_bounds import ramp_bounds
from relgauss.grouped.sides import Side
from relgauss.grouped.signed_grid import SignedGrid
from relgauss.grouped.spread import spread_interval
from relgauss.grouped.statistic_names import quantile_level

_RAMP_BAND = 1.0  # of the same quantile: whole bins leave room enough
_MISFIT = 0.02  # of F: how far the fitted shapes are off, as a rule

Interval = tuple[FloatArray, FloatArray, FloatArray]
"""Estimate, lower and upper end, an entry for each group."""


def share_interval(
    counted: tuple[FloatArray, FloatArray], whole: Present, likely: FloatArray, deviates: float
) -> Interval:
    """The share of a noisy count (and its noise level) in a whole, as counted where it is surely not 0.

    Elsewhere the estimate is ``likely``, by the counts of all groups together.
    """
    count, noise_std = counted
    lower, upper = (np.clip(end, 0.0, 1.0) for end in ratio_interval(counted, whole, deviates))
    most = upper_bound(count, noise_std, deviates) / np.maximum(whole.values, 1.0)
    upper = np.clip(most, upper, 1.0)  # noise below 0 would make it 0, which is not known
    estimate = np.where(lower > 0, count / np.maximum(whole.values, 1.0), likely)
    return np.clip(np.round(estimate, 4), lower, upper), lower, upper


def share_width(noise_std: FloatArray, whole: Present, deviates: float) -> FloatArray:
    """How wide the interval of a share of one half is: no share has a say in it, and no noise on one."""
    noise = np.hypot(noise_std, whole.noise_std / 2)
    return np.asarray(2 * deviates * noise / np.maximum(whole.values, 1.0))


def sum_interval(means: Interval, numbers: Interval) -> Interval:
    """Mean times number of values, each from end to end of its interval.

    The relative errors of the two add up, whatever their correlation, to no more than both reaches.
    """
    mean, *ends = means
    number, fewest, most = numbers
    products = np.array([end * count for end in ends for count in (fewest, most)])
    return mean * number, products.min(axis=0), products.max(axis=0)


@dataclass(frozen=True, eq=False)
class MeasuredGroups:
    """What was released of some groups, and what was computed from it for their means."""

    grid: SignedGrid
    counts: NoisyCounts
    size_std: float
    present: Present
    number: FloatArray
    sums: NoisySums
    sides: tuple[Side, ...]
    zero: FloatArray
    outside: Outside
    mean: Interval
    quantiles: dict[float, FloatArray]
    reading: RampReading | None
    deviates: float

    def interval(self, statistic: str) -> Interval:
        """The estimate and the interval of a statistic."""
        level = quantile_level(statistic)
        if level is not None:
            return self._quantiles[level]
        match statistic:
            case "count":
                return self._count
            case "sum":
                return sum_interval(self.mean, self._count)
            case "std":
                return self._std()
            case "zeros":
                zeros = self.counts.values[:, self.grid.zero_bin], self.counts.noise_std
                return share_interval(zeros, self.present, self.zero, self.deviates)
            case _:
                return self._missing

    @cached_property
    def _missing(self) -> Interval:
        sizes = Present(self.counts.sizes, np.full(len(self.number), self.size_std))
        likely = 1 - self.number / np.maximum(self.counts.sizes, 1.0)
        return share_interval(
            (self.counts.values[:, -1], self.counts.noise_std), sizes, likely, self.deviates
        )

    @cached_property
    def _count(self) -> Interval:
        """The number of values that are not missing, whole; at most the rows where those are public."""
        reach = self.deviates * self.present.noise_std
        number, least = self.number, self.present.values - reach
        if self.grid.leaves_out_missing:
            number, _, fewest = (self.counts.sizes * (1 - share) for share in self._missing)
            least = np.minimum(least, fewest)  # noise may say that less than none is missing
        most = np.where(self.size_std == 0, self.counts.sizes, np.inf)
        lower = np.clip(np.floor(least), 0.0, most)
        upper = np.clip(np.ceil(self.present.values + reach), 0.0, most)
        return np.clip(np.rint(number), lower, upper), lower, upper

    def below(self) -> FloatArray:
        """The number of values below each edge of the grid in all of these groups, by what fits best."""
        return np.asarray((self.number[:, None] * self._fitted_below).sum(axis=0))

    def _std(self) -> Interval:
        """The standard deviation; the estimate is that of the fitted shapes, clipped to the window."""
        start, end = (each[:, None] for each in self._ends)
        edges = np.clip(self.grid.edges, start, end)
        below = np.clip(self._fitted_below, 0.0, 1.0)
        shares = np.diff(below, axis=1, prepend=0.0, append=1.0)
        middles = np.concatenate([edges[:, :1], (edges[:, 1:] + edges[:, :-1]) / 2, edges[:, -1:]], axis=1)
        zero_cell = self.grid.zero + 1
        middles[:, zero_cell] = np.clip(0.0, start[:, 0], end[:, 0])
        centre = (shares * middles).sum(axis=1, keepdims=True)
        fitted = (shares * (middles - centre) ** 2).sum(axis=1)

        lower, upper = spread_interval(
            self.grid,
            self.counts,
            self.sums,
            self.present,
            self.outside,
            self.sides,
            self._in_window,
            self.deviates,
        )
        return np.clip(np.sqrt(fitted), lower, upper), lower, upper

    @cached_property
    def _quantiles(self) -> dict[float, Interval]:
        """Quantiles of rising levels rise, and so do the ends of their intervals: these are only widened."""
        levels = sorted(self.quantiles)
        estimates = np.sort([self.quantiles[level] for level in levels], axis=0)
        lower, upper = np.array([self._quantile_ends(level) for level in levels]).transpose(1, 0, 2)
        lower = np.minimum.accumulate(lower[::-1], axis=0)[::-1]
        upper = np.maximum.accumulate(upper, axis=0)
        estimates = np.clip(estimates, lower, upper)
        return dict(zip(levels, zip(estimates, lower, upper, strict=True), strict=True))

    def _quantile_ends(self, level: float) -> tuple[FloatArray, FloatArray]:
        low_band, high_band = self._band
        edges = self.grid.edges[self.grid.bin_edges]
        first, last = self._bin_ends(edges)
        lower_bin = np.minimum((high_band < level).sum(axis=1), len(first) - 1)
        upper_bin = np.minimum((low_band < level).sum(axis=1), len(last) - 1)
        lower, upper = first[lower_bin], last[upper_bin]
        if self.reading is None:
            return lower, upper
        reach = _RAMP_BAND * self.deviates
        raised, lowered = self._off_zero(*ramp_bounds(self.reading, level, (low_band, high_band), reach))
        raised, lowered = np.maximum(lower, raised), np.minimum(upper, lowered)
        agree = raised <= lowered
        return np.where(agree, raised, lower), np.where(agree, lowered, upper)

    def _off_zero(self, lower: FloatArray, upper: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The same ends without the gaps about 0, where no value may lie: a value is 0, or at least low."""
        low = self.grid.magnitudes.low
        raised = np.where(np.abs(lower) < low, np.where(lower > 0, low, 0.0), lower)
        lowered = np.where(np.abs(upper) < low, np.where(upper < 0, -low, 0.0), upper)
        return raised, lowered

    def _bin_ends(self, edges: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The lowest and the highest value of each bin; both are 0 for the bin of zeros."""
        first, last = edges[:-1].copy(), edges[1:].copy()
        first[self.grid.zero_bin] = last[self.grid.zero_bin] = 0.0
        return first, last

    @cached_property
    def _ends(self) -> tuple[FloatArray, FloatArray]:
        windows = self.sums.windows
        return self.grid.edges[windows.lower], self.grid.edges[windows.upper]

    @cached_property
    def _in_window(self) -> NDArray[np.bool_]:
        """The bins that meet each window."""
        first, last = self.grid.bin_edges[:-1], self.grid.bin_edges[1:]
        windows = self.sums.windows
        meets: NDArray[np.bool_] = (last > windows.lower[:, None]) & (first < windows.upper[:, None])
        return meets

    @cached_property
    def _window_counts(self) -> FloatArray:
        """Counts of the bins that meet the window; what they miss of N is spread over them."""
        counts = np.where(self._in_window, self.counts.values[:, : self.grid.value_bins], 0.0)
        missed = self.number - counts.sum(axis=1)
        spread = self._in_window * (missed / self._in_window.sum(axis=1))[:, None]
        return np.asarray(counts + spread, dtype=np.float64)

    @cached_property
    def _band(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper ends for F at the upper edge of each bin, both increasing."""
        number = Present(self.number, self.present.noise_std)
        inside = self._counted_below
        return distribution_band(inside, self._in_window, self.counts, self.sums, number, self.deviates)

    @cached_property
    def _fitted_below(self) -> FloatArray:
        """F at the edges of cells: by counts at the edges of bins as far as noise allows, else by shapes."""
        after_zero = np.arange(len(self.grid.edges)) > self.grid.zero
        below = self.zero[:, None] * after_zero
        for side in self.sides:
            below = below + side.share[:, None] * side.below
        share, std = self._counted_below
        trust = _MISFIT**2 / (_MISFIT**2 + std**2)
        at_bins = np.zeros((len(below), len(self.grid.bin_edges)))
        at_bins[:, 1:] = trust * (share - below[:, self.grid.bin_edges[1:]])
        place = np.searchsorted(self.grid.bin_edges, np.arange(len(self.grid.edges)), side="right") - 1
        on_edge = self.grid.bin_edges[place] == np.arange(len(self.grid.edges))
        after = at_bins[:, np.minimum(place + 1, at_bins.shape[1] - 1)]
        moved = np.where(on_edge, at_bins[:, place], (at_bins[:, place] + after) / 2)
        return np.clip(np.maximum.accumulate(below + moved, axis=1), 0.0, 1.0)

    @cached_property
    def _counted_below(self) -> tuple[FloatArray, FloatArray]:
        """F at the upper edge of each bin by the window's counts, as if nothing lay outside; its noise."""
        bins, place = self._in_window.sum(axis=1)[:, None], np.cumsum(self._in_window, axis=1)
        share = np.cumsum(self._window_counts, axis=1) / self.number[:, None]
        std = self.counts.noise_std[:, None] * np.sqrt(place * (bins - place) / bins)
        std = np.hypot(std, place / bins * self.present.noise_std[:, None]) / self.number[:, None]
        return share, std
