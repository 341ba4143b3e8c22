"""Where the values of each column lie, when nothing is known: noisy histograms, from coarse to fine.

First every column is counted on one public grid, signed and logarithmic, with cells of ratio 4 from 2^-50 to
2^50; then on 16 equal cells over what was visible. A column that shows in one or two cells only (a mean far
from zero, a narrow spread) is looked at up to four times more, on 64 cells and ever closer; one that never
shows a spread is constant as far as the budget lets see, and is marked so. Proof: proofs/regression.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.bounded.histogram import count_cells
from relgauss.estimate.noisy_histogram import Span, anchored_span, visible_span
from relgauss.records.blocks import Block, Rows
from relgauss.spending import Noisy, Spending

STAGE = "column ranges"
_LEAST, _MOST = -50, 50  # exponents of the signed grid's smallest and largest edge
_OCTAVES = 2  # a cell spans a ratio of 4
_PER_SIGN = (_MOST - _LEAST) // _OCTAVES
_SIGNED_CELLS = 2 * _PER_SIGN + 1
_FIRST_SHARE = 0.45
_ROUNDS = ((16, 0.35), (64, 0.05), (64, 0.05), (64, 0.05), (64, 0.05))  # cells and share of each
# Noise levels at which a count is taken for real. Among the thousands of cells of the first grid, noise alone
# passes 4.5 in one fit of a few hundred: far from all records that would make a range useless, so there it
# takes 6. On 16 cells a range too wide does little harm. Where a narrow column is zoomed into, a range too
# small would be ruinous. Where records are known to be outside of a range, a likely place is enough.
_CAUTION_SIGNED, _CAUTION_LINEAR, _CAUTION_ZOOM, _CAUTION_WIDEN = 4.5, 4.0, 6.0, 2.0
_CAUTION_FAR, _NEAR = 6.0, 3  # near are up to three cells, a ratio of 64
# So many records, times sqrt(columns)/mu, may hide in one cell of the first histograms at share 1.
MOST_HIDDEN = _CAUTION_SIGNED * math.sqrt(2 / _FIRST_SHARE)


@dataclass(frozen=True, eq=False)
class ColumnRanges:
    """[low_j, high_j] for each column.

    ``seen`` is False where no spread could be seen; ``located`` is True where the values could, so that the
    middle of the range is near most of them.
    """

    low: FloatArray
    high: FloatArray
    seen: NDArray[np.bool_]
    located: NDArray[np.bool_]


@dataclass(frozen=True)
class Columns:
    """Which columns of some rows: the features, the label, or both with the label last."""

    features: int
    with_label: bool

    @property
    def count(self) -> int:
        """The number of columns."""
        return self.features + self.with_label

    def of(self, block: Block) -> FloatArray:
        """These columns of a block, as one matrix."""
        if not self.with_label:
            return np.ascontiguousarray(block.features)
        return np.concatenate([block.features[:, : self.features], block.labels[:, None]], axis=1)


def find_ranges(rows: Rows, columns: Columns, spending: Spending, share: float) -> ColumnRanges:
    """Find the ranges of some columns for this share, or for less if the last rounds are not needed.

    How many rounds there are, and which columns they look at, depends on releases only.
    """
    search = _Search(columns.count)
    search.read_signed(_count_signed(rows, columns, spending, share * _FIRST_SHARE))
    for cells, part in _ROUNDS:
        active = np.flatnonzero(search.active)
        if not active.size:
            break
        counts = _count_linear(rows, columns, active, search, cells, spending, share * part)
        search.read_linear(active, counts, cells)
    return ColumnRanges(search.low, search.high, search.seen & ~search.active, search.located)


class _Search:
    """What is known of each column after each round; a function of releases."""

    def __init__(self, columns: int) -> None:
        self.low = np.full(columns, -1.0)
        self.high = np.full(columns, 1.0)
        self.seen = np.ones(columns, dtype=bool)
        self.located = np.ones(columns, dtype=bool)
        self.narrow = np.zeros(columns, dtype=bool)
        self.active = np.ones(columns, dtype=bool)
        self.signed: Noisy | None = None  # the first counts, while they are all that is known of a column

    def read_signed(self, counts: Noisy) -> None:
        edges, self.signed = _signed_edges(), counts
        for j, column in enumerate(counts.value.reshape(-1, _SIGNED_CELLS)):
            span = anchored_span(column, counts.noise_std, _CAUTION_SIGNED, _CAUTION_FAR, _NEAR)
            if span is None:
                self._give_up(j)
                self.located[j] = False
            else:
                self._narrow_down(j, edges, span)
                self.active[j] = True

    def read_linear(self, columns: NDArray[np.intp], counts: Noisy, cells: int) -> None:
        for j, column in zip(columns, counts.value.reshape(-1, cells + 2), strict=True):
            self._read_column(int(j), column, counts.noise_std)
        self.signed = None

    def _read_column(self, j: int, counts: FloatArray, noise_std: float) -> None:
        caution = _CAUTION_ZOOM if self.narrow[j] else _CAUTION_LINEAR
        below, above = (count > _CAUTION_LINEAR * noise_std for count in (counts[0], counts[-1]))
        span = visible_span(counts[1:-1], noise_std, caution)
        if self.narrow[j] and (below or above):
            self._widen_or_give_up(j, bool(below), bool(above))
        elif span is None or (span.is_narrow and not self.narrow[j]):
            self.active[j] = False  # values are spread over the range, or were seen further out: it stays
        else:
            cells = len(counts) - 2
            edges = np.linspace(self.low[j], self.high[j], cells + 1)
            self._narrow_down(j, edges, Span(max(span.first - 1, 0), min(span.last + 1, cells - 1)))
            self.narrow[j] = self.active[j] = span.is_narrow

    def _widen_or_give_up(self, j: int, below: bool, above: bool) -> None:
        """Some records lie where no cell was visible: take the signed grid's fullest cell on that side.

        If none stands out, or the range has been narrowed since, no scale is right for all records.
        """
        if self.signed is None:
            self._give_up(j)
            return
        edges = _signed_edges()
        counts = self.signed.value.reshape(-1, _SIGNED_CELLS)[j]
        sides = []
        if below:
            sides.append(np.flatnonzero(edges[1:] <= self.low[j]))
        if above:
            sides.append(np.flatnonzero(edges[:-1] >= self.high[j]))
        fullest = [int(side[np.argmax(counts[side])]) for side in sides if side.size]
        if len(fullest) < len(sides) or any(
            counts[cell] < _CAUTION_WIDEN * self.signed.noise_std for cell in fullest
        ):
            self._give_up(j)
            return
        self.low[j] = min(self.low[j], *(edges[cell] for cell in fullest))
        self.high[j] = max(self.high[j], *(edges[cell + 1] for cell in fullest))
        self.narrow[j] = self.active[j] = False

    def _narrow_down(self, j: int, edges: FloatArray, span: Span) -> None:
        self.low[j], self.high[j] = edges[span.first], edges[span.last + 1]
        self.narrow[j] = span.is_narrow

    def _give_up(self, j: int) -> None:
        self.seen[j] = self.active[j] = False


def _signed_edges() -> FloatArray:
    positive = 2.0 ** np.arange(_LEAST, _MOST + 1, _OCTAVES)
    return np.concatenate([-positive[::-1], positive])


def _cell_of_leading_bits() -> NDArray[np.intp]:
    """The cell on the signed grid by a double's sign and binary exponent, its first 12 bits.

    Cells are counted away from the middle one, which holds what is next to zero.
    """
    bits = np.arange(2**12)
    exponent = (bits & 0x7FF) - 1023  # 2^exponent <= |value| < 2^(exponent + 1); less for the subnormal
    steps = np.clip((exponent - _LEAST) // _OCTAVES + 1, 0, _PER_SIGN)
    return np.asarray(_PER_SIGN + np.where(bits >> 11, -steps, steps), dtype=np.intp)


_CELL_OF_LEADING_BITS = _cell_of_leading_bits()


def _count_signed(rows: Rows, columns: Columns, spending: Spending, share: float) -> Noisy:
    def cells_of(block: Block) -> NDArray[np.intp]:
        leading_bits = columns.of(block).view(np.uint64) >> np.uint64(52)
        return np.take(_CELL_OF_LEADING_BITS, leading_bits)

    return spending.release(STAGE, count_cells(rows, cells_of, columns.count, _SIGNED_CELLS), share)


def _count_linear(
    rows: Rows,
    columns: Columns,
    active: NDArray[np.intp],
    search: _Search,
    cells: int,
    spending: Spending,
    share: float,
) -> Noisy:
    """Counts in equal cells over each active column's range, with one more cell on either side of it."""
    low, width = search.low[active], (search.high[active] - search.low[active]) / cells

    def cells_of(block: Block) -> NDArray[np.intp]:
        steps = columns.of(block)[:, active]
        with np.errstate(over="ignore"):  # a warning would tell of a record
            steps -= low
            steps /= width
        np.floor(steps, out=steps)
        return np.clip(steps, -1, cells, out=steps).astype(np.intp) + 1

    return spending.release(STAGE, count_cells(rows, cells_of, active.size, cells + 2), share)
