"""Quantiles to clip at, of the norms of rows and the sizes of labels: from noisy counts in log cells."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.bounded.histogram import count_cells, log_cells_between, log_edges
from relgauss.records.blocks import Block, Rows
from relgauss.spending import Spending

_CELLS = 24


@dataclass(frozen=True)
class Quantile:
    """An upper quantile that is to be found of one number for each record; all but the records is public.

    Attributes
    ----------
    values : callable
        The number for each record of a block, not negative.
    largest : float
        The upper edge of the last cell: the quantile is never above it.
    span : float
        The largest edge over the smallest: cells between have equal ratios.
    above : float
        At most this part of the records is to lie above the quantile.
    """

    values: Callable[[Block], FloatArray]
    largest: float
    span: float
    above: float

    @property
    def ends(self) -> tuple[float, float]:
        """The lower edge of the first cell of equal ratio, and the upper edge of the last."""
        return self.largest / self.span, self.largest

    def read(self, counts: FloatArray, noise_std: float, records: int) -> float:
        """The quantile as noisy counts show it; post-processing."""
        first = quantile_cell(counts, noise_std, records, self.above)
        return float(log_edges(*self.ends, _CELLS)[max(first - 1, 0)])


def quantile_cell(counts: FloatArray, noise_std: float, records: int, above: float) -> int:
    """The first cell from which on at most a part ``above`` of the records lies, or no more than noise could
    feign: 1.5 of its levels are not told from nothing.
    """
    tail, noise = tails(counts, noise_std, records)
    small = np.flatnonzero(tail <= np.maximum(above * records, 1.5 * noise))
    return int(small[0]) if small.size else len(counts)


def tails(counts: FloatArray, noise_std: float, records: int) -> tuple[FloatArray, FloatArray]:
    """How many of the records lie in each cell or beyond it, and the noise of that.

    Each record is in one cell, and their number is public. So what the noise of i among k cells adds up to is
    known better by what it adds up to in all, which is seen: its std is s sqrt(i (k - i)/k).
    """
    cells = len(counts)
    last = np.arange(cells, 0, -1)
    tail = np.cumsum(counts[::-1])[::-1]
    tail -= (tail[0] - records) * last / cells
    return tail, noise_std * np.sqrt(last * (cells - last) / cells)


def norms_of_rows(block: Block) -> FloatArray:
    """The norm of each row."""
    return block.norms


def sizes_of_labels(block: Block) -> FloatArray:
    """The absolute value of each label."""
    return np.abs(block.labels)


def whitened_norm_quantile(columns: int, above: float) -> Quantile:
    """The quantile of the norms of whitened rows, which are near sqrt(columns) if the whitening is good."""
    return Quantile(norms_of_rows, 10 * math.sqrt(columns), 30.0, above)


def find_quantiles(
    stage: str, rows: Rows, quantiles: Sequence[Quantile], spending: Spending, share: float
) -> list[float]:
    """Release these quantiles of the rows, from one release for this share of mu²."""

    ends = [quantile.ends for quantile in quantiles]

    def cells_of(block: Block) -> list[NDArray[np.uint8]]:
        return [log_cells_between([quantile.values(block) for quantile in quantiles], ends, _CELLS)]

    answer = count_cells(rows, cells_of, len(quantiles), _CELLS + 1)
    counts = spending.release(stage, answer, share)
    parts = np.split(counts.value, len(quantiles))
    return [
        quantile.read(part, counts.noise_std, rows.count)
        for quantile, part in zip(quantiles, parts, strict=True)
    ]
