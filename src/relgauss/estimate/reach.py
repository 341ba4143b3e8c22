"""How long rows are and how large labels are: quantiles from noisy histograms on logarithmic cells."""

from __future__ import annotations

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.estimate.spending import Spending
from relgauss.estimate.visible import quantile_cell
from relgauss.records.counts import count_cells, log_cells, log_edges

_CELLS = 24


class Reach:
    """A quantity of every record, to be bounded by a quantile: cells of equal ratio up to ``top``.

    ``values`` are private, ``top`` and ``span`` = top/lowest edge are public; at most the part ``above`` of
    the records is to lie beyond the quantile.
    """

    def __init__(self, values: FloatArray, top: float, span: float, above: float) -> None:
        self.values = values
        self.low, self.high = top / span, top
        self.above = above

    def quantile(self, counts: FloatArray, noise_std: float) -> float:
        """The quantile as noisy counts show it; post-processing."""
        first = quantile_cell(counts, noise_std, self.above * len(self.values))
        return float(log_edges(self.low, self.high, _CELLS)[max(first - 1, 0)])


def find_reaches(stage: str, reaches: list[Reach], spending: Spending, share: float) -> list[float]:
    """The quantile of each quantity, all from one release."""
    cells = np.column_stack([log_cells(reach.values, reach.low, reach.high, _CELLS) for reach in reaches])
    counts = spending.release(stage, count_cells([cells], len(reaches), _CELLS + 1), share)
    parts = np.split(counts.value, len(reaches))
    return [reach.quantile(part, counts.noise_std) for reach, part in zip(reaches, parts, strict=True)]
