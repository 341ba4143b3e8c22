"""How long rows are and how large labels are: quantiles from noisy histograms on logarithmic cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.bounded.histogram import count_cells, log_cells, log_edges
from relgauss.estimate.noisy_histogram import quantile_cell
from relgauss.records.blocks import Block, Rows
from relgauss.spending import Spending

_CELLS = 24


@dataclass(frozen=True)
class Reach:
    """A quantity of every record, to be bounded by a quantile: cells of equal ratio up to ``top``.

    ``values`` computes it from a block; ``top`` and ``span`` = top/lowest edge are public. At most the part
    ``above`` of the records is to lie beyond the quantile.
    """

    values: Callable[[Block], FloatArray]
    top: float
    span: float
    above: float

    def cells(self, block: Block) -> NDArray[np.intp]:
        """The cell of each record."""
        return log_cells(self.values(block), self.top / self.span, self.top, _CELLS)

    def quantile(self, counts: FloatArray, noise_std: float, records: int) -> float:
        """The quantile as noisy counts show it; post-processing."""
        first = quantile_cell(counts, noise_std, self.above * records)
        return float(log_edges(self.top / self.span, self.top, _CELLS)[max(first - 1, 0)])


def norms(block: Block) -> FloatArray:
    """The lengths of rows."""
    return block.norms


def find_reaches(
    stage: str, rows: Rows, reaches: Sequence[Reach], spending: Spending, share: float
) -> list[float]:
    """The quantile of each quantity, all from one release."""

    def cells_of(block: Block) -> NDArray[np.intp]:
        return np.column_stack([reach.cells(block) for reach in reaches])

    answer = count_cells(rows, cells_of, len(reaches), _CELLS + 1)
    counts = spending.release(stage, answer, share)
    parts = np.split(counts.value, len(reaches))
    return [
        reach.quantile(part, counts.noise_std, rows.count) for reach, part in zip(reaches, parts, strict=True)
    ]
