"""Where the values of each column lie, when nothing is known: noisy histograms, from coarse to fine.

First every column is counted on one public grid, signed and logarithmic, with cells of ratio 4 from 2^-50 to
2^50; then on 16 equal cells over what was visible. A column that shows in one or two cells only (a mean far
from zero, a narrow spread) is looked at twice more, ever closer; one that never shows a spread is constant as
far as the budget lets see, and is marked so. Proof of the price: proofs/regression.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.estimate.spending import Noisy, Spending
from relgauss.estimate.visible import Span, least_visible, visible_span
from relgauss.records.counts import count_cells

STAGE = "column ranges"
_LEAST, _MOST = -50, 50  # exponents of the signed grid's smallest and largest edge
_OCTAVES = 2  # a cell spans a ratio of 4
_PER_SIGN = (_MOST - _LEAST) // _OCTAVES
_SIGNED_CELLS = 2 * _PER_SIGN + 1
_CELLS = 16
_ROUND_SHARES = (0.45, 0.35, 0.1, 0.1)


@dataclass(frozen=True, eq=False)
class ColumnRanges:
    """[low_j, high_j] for each column.

    ``known`` is False where no spread could be seen; ``located`` is True where the values could, so that the
    middle of the range is near most of them.
    """

    low: FloatArray
    high: FloatArray
    known: NDArray[np.bool_]
    located: NDArray[np.bool_]


def find_ranges(columns: FloatArray, spending: Spending, share: float) -> ColumnRanges:
    """Find all columns' ranges for this share, or for less if the last rounds are not needed.

    ``columns`` has a row for each record. Rounds and columns that are looked at depend on releases only.
    """
    search = _Search(columns.shape[1])
    search.read_signed(_count_signed(columns, spending, share * _ROUND_SHARES[0]))
    for part in _ROUND_SHARES[1:]:
        active = np.flatnonzero(search.active)
        if not active.size:
            break
        search.read_linear(active, _count_linear(columns, active, search, spending, share * part))
    return ColumnRanges(search.low, search.high, search.known & ~search.active, search.located)


def unseen_part(columns: int, count: int, mu: float) -> float:
    """The part of the records that may hide in one cell of the first histograms, for this mu; public."""
    return least_visible((2 * columns / _ROUND_SHARES[0]) ** 0.5 / mu) / count


class _Search:
    """What is known of each column after each round; a function of releases."""

    def __init__(self, columns: int) -> None:
        self.low = np.full(columns, -1.0)
        self.high = np.full(columns, 1.0)
        self.known = np.ones(columns, dtype=bool)
        self.located = np.ones(columns, dtype=bool)
        self.narrow = np.zeros(columns, dtype=bool)
        self.active = np.ones(columns, dtype=bool)

    def read_signed(self, counts: Noisy) -> None:
        edges = _signed_edges()
        for j, column in enumerate(counts.value.reshape(-1, _SIGNED_CELLS)):
            span = visible_span(column, counts.noise_std)
            if span is None:
                self._give_up(j)
                self.located[j] = False
            else:
                self._narrow_down(j, edges, span)
                self.active[j] = True

    def read_linear(self, columns: NDArray[np.intp], counts: Noisy) -> None:
        for j, column in zip(columns, counts.value.reshape(-1, _CELLS + 2), strict=True):
            self._read_column(int(j), column, counts.noise_std)

    def _read_column(self, j: int, counts: FloatArray, noise_std: float) -> None:
        outside = max(counts[0], counts[-1]) > least_visible(noise_std)
        span = visible_span(counts[1:-1], noise_std)
        if self.narrow[j] and (outside or span is None):
            self._give_up(j)  # some records lie where none was seen before: no scale is right for all
        elif span is None or (span.is_narrow and not self.narrow[j]):
            self.active[j] = False  # others were seen further out: keep the range that covers them
        else:
            edges = np.linspace(self.low[j], self.high[j], _CELLS + 1)
            self._narrow_down(j, edges, Span(max(span.first - 1, 0), min(span.last + 1, _CELLS - 1)))
            self.narrow[j] = self.active[j] = span.is_narrow

    def _narrow_down(self, j: int, edges: FloatArray, span: Span) -> None:
        self.low[j], self.high[j] = edges[span.first], edges[span.last + 1]
        self.narrow[j] = span.is_narrow

    def _give_up(self, j: int) -> None:
        self.known[j] = self.active[j] = False


def _signed_edges() -> FloatArray:
    positive = 2.0 ** np.arange(_LEAST, _MOST + 1, _OCTAVES)
    return np.concatenate([-positive[::-1], positive])


def _count_signed(columns: FloatArray, spending: Spending, share: float) -> Noisy:
    cells = [_signed_cell(column) for column in columns.T]
    return spending.release(STAGE, count_cells(cells, [_SIGNED_CELLS] * len(cells)), share)


def _signed_cell(column: FloatArray) -> NDArray[np.intp]:
    """The cell on the signed grid, by the binary exponent; the middle cell holds what is next to zero."""
    mantissa, exponent = np.frexp(column)
    steps = np.clip((exponent.astype(np.intp) - 1 - _LEAST) // _OCTAVES + 1, 0, _PER_SIGN)
    steps[mantissa == 0] = 0  # frexp gives zero the exponent of one
    return _PER_SIGN + np.where(mantissa < 0, -steps, steps)


def _count_linear(
    columns: FloatArray, active: NDArray[np.intp], search: _Search, spending: Spending, share: float
) -> Noisy:
    """Counts in equal cells over each active column's range, with one more cell on either side of it."""
    cells = []
    for j in active:
        width = (search.high[j] - search.low[j]) / _CELLS
        steps = np.floor((columns[:, j] - search.low[j]) / width)
        cells.append(np.clip(steps, -1, _CELLS).astype(np.intp) + 1)
    return spending.release(STAGE, count_cells(cells, [_CELLS + 2] * len(cells)), share)
