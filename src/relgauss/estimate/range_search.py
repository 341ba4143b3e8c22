"""What a search for the ranges of columns knows after each of its rounds, a function of releases.

The rounds are those of ``column_ranges``. Proof: proofs/regression.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.bounded.histogram import CELLS_PER_SIGN, SIGNED_CELLS, SIGNED_EDGES
from relgauss.estimate.noisy_ranges import (
    CAUTION_LINEAR,
    CAUTION_SIGNED,
    CoarseRange,
    is_apart,
    part_outside,
    read_linear,
    read_signed,
)
from relgauss.estimate.ranges_in_bounds import CLEAR, may_be_near, read_bounded
from relgauss.spending import Noisy

EQUAL_CELLS = 16  # of the looks over bounds and over what the signed grid shows
_SCALES = 16.0  # the largest size in a range over the smallest, beyond which it has many scales
_PART_OF_BOUNDS = (
    4  # labels in no more cells, if noise is large, are looked at closer: errors are in their units
)


@dataclass(frozen=True, eq=False)
class StatedBounds:
    """Public bounds of some columns, to be searched within; NaN for the others."""

    low: FloatArray
    high: FloatArray

    @classmethod
    def none(cls, columns: int) -> StatedBounds:
        """Of columns about which nothing is known."""
        return cls(*np.full((2, columns), math.nan))

    @property
    def are_there(self) -> NDArray[np.bool_]:
        """Which columns have bounds."""
        return ~np.isnan(self.low)


class RangeSearch:
    """What is known of each column after each round; a function of releases."""

    def __init__(
        self, stated: StatedBounds, records: int, leaves_far: NDArray[np.bool_], label: int | None
    ) -> None:
        given, self.label = stated.are_there, label
        self.records, self.leaves_far, self.given = records, leaves_far, given
        self.within = np.where(given, [stated.low, stated.high], [[-math.inf], [math.inf]])
        self.low = np.where(given, stated.low, -1.0)
        self.high = np.where(given, stated.high, 1.0)
        self.wider = np.array([self.low, self.high])  # what a closer look was taken in
        self.seen = self.high > self.low
        self.located = np.ones(given.size, dtype=bool)
        self.narrow, self.hidden, self.apart, self.many_scales, self.unclear = np.zeros(
            (5, given.size), dtype=bool
        )
        self.widest = self.wider.copy()  # where those lie, too, that lie apart
        self.active = given & self.seen
        self.outside = np.zeros(given.size)

    def read_signed(self, columns: NDArray[np.intp], counts: Noisy) -> None:
        for j, column in zip(columns, counts.value.reshape(-1, SIGNED_CELLS), strict=True):
            found = self._read_signed(int(j), column, counts.noise_std)
            unseen, rest = found is None or found.high == found.low, self.records - column[CELLS_PER_SIGN]
            self.hidden[j] = unseen and rest > CAUTION_SIGNED * counts.noise_std
            if found is None:
                self.seen[j] = self.located[j] = self.active[j]  # what bounds have shown stays
                continue
            self.narrow[j], self.located[j] = found.is_narrow, True
            self.low[j], self.high[j] = np.clip([found.low, found.high], *self.within[:, j])
            self.wider[:, j] = self.low[j], self.high[j]
            self.seen[j] = self.active[j] = self.high[j] > self.low[j]

    def _read_signed(self, j: int, counts: FloatArray, noise_std: float) -> CoarseRange | None:
        found, many = (
            read_signed(counts, noise_std, self.records, SIGNED_EDGES, leaves_far=leaves_far)
            for leaves_far in (False, bool(self.leaves_far[j]))
        )
        if found is not None and many != found:
            self.apart[j], self.widest[:, j] = True, found[:2]
        return many

    @property
    def around_zero(self) -> NDArray[np.bool_]:
        """Which ranges hold zero: its records are counted apart there."""
        return (self.low <= 0) & (self.high >= 0)

    def read_linear(
        self, columns: NDArray[np.intp], counts: Noisy, cells: int, *, is_first: bool = False
    ) -> None:
        for j, column in zip(columns, counts.value.reshape(-1, cells + 3), strict=True):
            self._read_column(int(j), column[:-1], float(column[-1]), counts.noise_std, is_first=is_first)

    def _read_column(
        self, j: int, counts: FloatArray, zeros: float, noise_std: float, *, is_first: bool
    ) -> None:
        """Read the range of the values that are not zero, with zero itself if many are; ``is_first`` if the
        cells are the first over stated bounds.
        """
        self.active[j] = False
        if (self.low[j], self.high[j]) == tuple(self.within[:, j]):
            self.outside[j] = part_outside(counts, noise_std, self.records)
        many_zeros = bool(self.around_zero[j]) and zeros > CAUTION_LINEAR * noise_std
        others = self.records - (zeros + noise_std) * many_zeros  # as far as is known
        some_outside = max(counts[0], counts[-1]) > CAUTION_LINEAR * noise_std
        if self.apart[j]:
            others = min(others, float(counts[1:-1].sum()) + noise_std)
        cells = len(counts) - 2
        edges = np.linspace(self.low[j], self.high[j], cells + 1)
        if self.given[j] and cells == EQUAL_CELLS:
            span = read_bounded(counts[1:-1], noise_std, others, is_label=j == self.label)
        else:
            span = read_linear(counts[1:-1], noise_std, others, leaves_far=bool(self.leaves_far[j]))
        if span is not None and some_outside and self.narrow[j] and not self.apart[j]:
            self.low[j], self.high[j] = self.wider[:, j]  # what was taken for nearly all is not
            return
        if span is None:
            self.seen[j] = not some_outside  # nobody is seen inside of it: where then are the records?
            self.located[j] = self.located[j] and not some_outside
            # Where only zeros are seen, others may be small beside the bounds.
            is_wide = is_first and many_zeros and may_be_near(counts[1:-1], edges, noise_std, others)
            self.active[j] = self.many_scales[j] = is_wide and not some_outside
            return
        if self.leaves_far[j] and not self.apart[j] and is_apart(counts[1:-1], noise_std, span, others):
            self.apart[j], self.widest[:, j] = True, (self.low[j], self.high[j])
        if many_zeros:
            span = span.with_cell(min(int(np.searchsorted(edges, 0.0, "right")) - 1, cells - 1))
        self.wider[:, j] = self.low[j], self.high[j]
        self.low[j], self.high[j] = edges[max(span.first - 1, 0)], edges[min(span.last + 1, cells - 1) + 1]
        self.narrow[j] = self.active[j] = span.is_narrow
        if is_first:
            sizes = abs(float(self.low[j])), abs(float(self.high[j]))
            self.many_scales[j] = span.is_narrow and (
                bool(self.around_zero[j]) or max(sizes) > _SCALES * min(sizes)
            )
            self.unclear[j] = noise_std > CLEAR * self.records  # else what is cut off would be missed
            is_small = span.last - span.first < _PART_OF_BOUNDS
            self.active[j] |= j == self.label and self.unclear[j] and is_small

    def return_to_others(self) -> None:
        """Where most records lie at one place, as far as can be seen, what lies apart is the spread."""
        stuck = self.active & self.apart
        self.low[stuck], self.high[stuck] = self.widest[:, stuck]
        self.active[stuck] = False
