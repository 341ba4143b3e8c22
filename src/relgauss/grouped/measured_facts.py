"""What stands beside statistics: what widths are judged by, what a mean's interval rests on, and counts."""

from __future__ import annotations

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.grouped.column_statistics import MeasuredGroups
from relgauss.grouped.mean_interval import clipped_interval
from relgauss.grouped.sides import magnitudes

FACTS, EDGES = 9, 5  # rows of each


def facts_of(measured: MeasuredGroups) -> FloatArray:
    """What widths are judged by, and what the mean's interval rests on."""
    grid, sums, outside, sides = measured.grid, measured.sums, measured.outside, measured.sides
    clipped = clipped_interval(grid, sums, measured.present, measured.deviates)
    return np.array(
        [
            magnitudes(sides),
            measured.number,
            np.minimum(sides[0].share, sides[1].share if len(sides) > 1 else 0.0),
            grid.edges[sums.windows.lower],
            grid.edges[sums.windows.upper],
            *clipped,
            outside.bound / measured.number,
            np.minimum((outside.assumed_below + outside.assumed_above) / measured.number, 1.0),
        ]
    )


def edges_of(measured: MeasuredGroups) -> FloatArray:
    """Rows, missing values, zeros, values in the last bins of the range, and the noise on each."""
    grid, counts = measured.grid, measured.counts
    missing = counts.values[:, -1] if grid.leaves_out_missing else np.zeros(len(counts.sizes))
    ends = counts.values[:, grid.value_bins - 1]
    if grid.signs == "both":
        ends = ends + counts.values[:, 0]
    return np.array([counts.sizes, missing, counts.values[:, grid.zero_bin], ends, counts.noise_std])
