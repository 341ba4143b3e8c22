"""Where the values of each column lie, when nothing is known: noisy histograms, from coarse to fine.

Columns with stated bounds are counted on 16 equal cells over them, and on 16 over what is left of these where
that is little. Those without bounds, and those that show in one or two cells that hold values of many sizes,
as if their bounds were far too wide, are counted on one public grid, signed and logarithmic, with cells of
ratio 4 from 2^-100 to 2^100; then on 16 equal cells over what was found. Columns some of whose records are
neither zero nor seen anywhere are counted on the signed grid once more, by themselves. A column that shows in
one or two cells only (a mean far from zero, a narrow spread) is looked at up to four times more, on 64 cells
and ever closer, until many turn out to lie outside; one that never shows a spread is constant as far as the
budget lets see, and is marked so. ``range_search`` keeps what was found, ``noisy_ranges`` reads the counts.
Proof: proofs/regression.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.bounded.histogram import SIGNED_CELLS, bytes_in, count_cells, signed_cells
from relgauss.estimate.noisy_ranges import CAUTION_SIGNED, together
from relgauss.estimate.range_search import EQUAL_CELLS, RangeSearch, StatedBounds
from relgauss.records.blocks import Block, Rows
from relgauss.spending import Noisy, Spending

STAGE = "column ranges"
_FIRST_SHARE, _EQUAL_SHARE = 0.45, 0.33  # of the signed grid and of 16 equal cells over what it shows
_CLOSER_CELLS = 64
_AT_ONCE = 64  # columns: enough that threads seldom wait for each other, few enough for the cache
_LOOKS_APART = 2  # after which most values are taken to be alike, and few far away make up the spread
_CLOSER_SHARES = (0.055,) * 4  # of the closer looks; a second signed grid takes the share of two
MOST_ROUNDS = 4 + len(_CLOSER_SHARES)  # of a search: over bounds, label, signed, equal cells, closer looks
# Of the share of a search: columns whose bounds are far too wide are searched once more, as if without.
MOST_SPENT_WITHIN = _FIRST_SHARE + 2 * _EQUAL_SHARE + sum(_CLOSER_SHARES)
# So many records, times sqrt(columns)/mu, may hide in one cell of the first histograms at share 1.
MOST_HIDDEN = CAUTION_SIGNED * math.sqrt(2 / _FIRST_SHARE)


@dataclass(frozen=True, eq=False)
class ColumnRanges:
    """[low_j, high_j] for each column, and the part of the records seen ``outside`` of stated bounds.

    ``seen`` is False where no spread could be seen; ``located`` is True where the values could, so that the
    middle of the range is near most of them.
    """

    low: FloatArray
    high: FloatArray
    seen: NDArray[np.bool_]
    located: NDArray[np.bool_]
    outside: FloatArray


@dataclass(frozen=True)
class Columns:
    """Which columns of some rows: features, the label, or both with the label last.

    ``places`` are those of the features, all in their order if it is None.
    """

    features: int
    with_label: bool
    places: tuple[int, ...] | None = None

    @property
    def count(self) -> int:
        """The number of columns."""
        return self.features + self.with_label

    def of(self, block: Block, chosen: NDArray[np.intp]) -> Iterator[FloatArray]:
        """Some of these columns of a block, a row for each, to be read only; some at a time, and the label by
        itself.
        """
        every = np.arange(self.features) if self.places is None else np.array(self.places, dtype=np.intp)
        places = every[chosen[chosen < self.features]]
        for start in range(0, places.size, _AT_ONCE):
            some = places[start : start + _AT_ONCE]
            if some[-1] - some[0] == some.size - 1:  # neighbours need not be copied
                yield block.features.T[some[0] : some[-1] + 1]
            else:
                yield np.stack([block.features[:, place] for place in some])
        if places.size < chosen.size:
            yield block.labels[None]


def find_ranges(
    rows: Rows,
    columns: Columns,
    stated: StatedBounds,
    spending: Spending,
    share: float,
    *,
    leaves_far: bool = False,
) -> ColumnRanges:
    """Find the ranges of some columns for this share, or for less if the last rounds are not needed; within
    stated bounds for ``MOST_SPENT_WITHIN`` times as much, if they turn out far too wide.

    Ranges of features that ``leaves_far`` values out do not hold few of them that lie far beyond all others:
    but for those within stated bounds, and of a label, of whose total they may be most. Bounds that are
    stated spare a column the signed grid, and its part of the share. How many rounds there are, and which
    columns they look at, depends on public numbers and releases only.
    """
    may_leave = leaves_far & ~stated.are_there & (np.arange(columns.count) < columns.features)
    search = RangeSearch(stated, rows.count, may_leave, columns.features if columns.with_label else None)

    def count_equal(active: NDArray[np.intp], cells: int, part: float, *, is_first: bool = False) -> None:
        if active.size:
            counts = _count_linear(rows, columns, active, search, cells, spending, share * part)
            search.read_linear(active, counts, cells, is_first=is_first)

    given = np.flatnonzero(search.active)
    count_equal(given, EQUAL_CELLS, _EQUAL_SHARE * given.size / columns.count, is_first=True)
    unknown, wide = np.flatnonzero(~stated.are_there), np.flatnonzero(search.active & search.many_scales)
    # The next looks have more noise, in which labels and, where there is much, features would be lost.
    is_label = np.arange(columns.count) >= columns.features
    narrow = np.flatnonzero(search.active & ~search.many_scales & (is_label | search.unclear))
    count_equal(narrow, EQUAL_CELLS, _EQUAL_SHARE * narrow.size / columns.count)
    nowhere = np.union1d(unknown, wide)  # in the order of the columns
    signed, equal = (part * nowhere.size / columns.count for part in (_FIRST_SHARE, _EQUAL_SHARE))
    closer: tuple[float, ...] = _CLOSER_SHARES
    if nowhere.size:
        counts = _count_signed(rows, columns, nowhere, spending, share * signed)
        search.read_signed(nowhere, counts)
        hidden = np.flatnonzero(search.hidden)
        if hidden.size:
            closer, spared = closer[2:], sum(closer[:2])
            again = _count_signed(rows, columns, hidden, spending, share * spared)
            search.read_signed(hidden, together(_of_columns(counts, np.isin(nowhere, hidden)), again))
        count_equal(nowhere[search.active[nowhere]], EQUAL_CELLS, equal)
    for looks, part in enumerate(closer, start=1):
        count_equal(np.flatnonzero(search.active), _CLOSER_CELLS, part)
        if looks == _LOOKS_APART:
            search.return_to_others()
    return ColumnRanges(search.low, search.high, search.seen & ~search.active, search.located, search.outside)


def _of_columns(counts: Noisy, chosen: NDArray[np.bool_]) -> Noisy:
    """Those of some of the columns that were counted on the signed grid."""
    return counts._replace(value=counts.value.reshape(-1, SIGNED_CELLS)[chosen].ravel())


def _count_signed(
    rows: Rows, columns: Columns, unknown: NDArray[np.intp], spending: Spending, share: float
) -> Noisy:
    def cells_of(block: Block) -> Iterator[NDArray[np.uint8]]:
        return (signed_cells(values, block.room) for values in columns.of(block, unknown))

    return spending.release(STAGE, count_cells(rows, cells_of, unknown.size, SIGNED_CELLS), share)


def _count_linear(
    rows: Rows,
    columns: Columns,
    active: NDArray[np.intp],
    search: RangeSearch,
    cells: int,
    spending: Spending,
    share: float,
) -> Noisy:
    """Counts in equal cells over each active column's range, one on either side, and one for exact zeros.

    Zeros count apart where the range holds zero. Both ends of a range belong to it: columns of two values
    have all of theirs there.
    """
    low, high = search.low[active, None], search.high[active, None]
    apart_by_rounding = (high - low) * 2.0**-40 + 4 * np.spacing(np.maximum(np.abs(low), np.abs(high)))
    low, high = low - apart_by_rounding, high + apart_by_rounding
    width = (high - low) / cells
    below = low - width  # where cell 0 begins, which also holds what is less
    zero = np.where(search.around_zero[active, None], 0.0, np.nan)  # the value that is counted apart, or none

    def cells_of(block: Block) -> Iterator[NDArray[np.uint8]]:
        start = 0
        for values in columns.of(block, active):
            group = slice(start, start + len(values))
            steps = block.room.columnwise(*values.T.shape).T
            with np.errstate(over="ignore"):  # a warning would tell of a record
                np.subtract(values, below[group], out=steps)
                steps /= width[group]
            found = bytes_in(block.room, values.shape, np.uint8)
            is_zero = bytes_in(block.room, values.shape, np.bool_)
            np.clip(steps, 0, cells + 1, out=found, casting="unsafe")
            np.equal(values, zero[group], out=is_zero)
            np.copyto(found, cells + 2, where=is_zero)
            yield found
            start = group.stop

    return spending.release(STAGE, count_cells(rows, cells_of, active.size, cells + 3), share)
