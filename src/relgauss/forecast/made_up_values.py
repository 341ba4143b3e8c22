"""Made-up values of a stated form, counted in cells as one pass over records would count them.

Each cell is cut into a few fine ones, and every value lies at the centre of a fine one. So groups of any size
cost the same, and what a release is measured against is known.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.forecast.form import Form
from relgauss.grouped.signed_grid import SignedGrid
from relgauss.grouped.statistic_names import quantile_level
from relgauss.grouped.totals import CellTotals
from relgauss.grouped.value_rule import ValueRule

_FINE = 8  # parts of a cell


@dataclass(frozen=True, eq=False)
class MadeUpValues:
    """Groups of made-up values.

    Attributes
    ----------
    cells
        What a pass over the records would give.
    values, counts
        The values that occur, in order, and how often each does, a row for each group; missing ones apart.
    """

    cells: CellTotals
    values: FloatArray
    counts: NDArray[np.int64]

    def truth(self, statistic: str) -> FloatArray:
        """The statistic of each group, as the records themselves would give it."""
        present = np.maximum(self.counts.sum(axis=1), 1).astype(np.float64)
        means: FloatArray = self.counts @ self.values / present
        found: FloatArray
        match statistic:
            case "count":
                found = self.counts.sum(axis=1).astype(np.float64)
            case "mean":
                found = means
            case "sum":
                found = means * present
            case "std":
                spreads = (self.values[None, :] - means[:, None]) ** 2
                found = np.sqrt((self.counts * spreads).sum(axis=1) / present)
            case "zeros":
                found = self.counts[:, 0] / present
            case "missing":
                found = 1 - self.counts.sum(axis=1) / self.cells.sizes
            case _:
                level = quantile_level(statistic) or 0.5
                reached = np.cumsum(self.counts, axis=1) >= level * present[:, None]
                found = self.values[reached.argmax(axis=1)]
        return found


def make_up_values(
    sizes: NDArray[np.int64], form: Form, grid: SignedGrid, rule: ValueRule, rng: np.random.Generator
) -> MadeUpValues:
    """Groups of these sizes, each with a scale and a spread of the form."""
    magnitudes, groups = grid.magnitudes, len(sizes)
    scales = form.scales(groups, magnitudes.low, magnitudes.high, rng)
    fine = magnitudes.cells * _FINE
    edges = np.exp(np.linspace(math.log(magnitudes.low), math.log(magnitudes.high), fine + 1))
    below = form.below(edges[None, :] / scales[:, None], form.spreads(groups, rng))
    below[:, 0], below[:, -1] = 0.0, 1.0  # what lies outside of the range counts as its end
    shares = np.zeros((groups, 1 + fine + 1))
    shares[:, 0], shares[:, -1] = (1 - form.missing) * form.zeros, form.missing
    shares[:, 1:-1] = (1 - form.missing) * (1 - form.zeros) * np.diff(below, axis=1)
    shares /= shares.sum(axis=1, keepdims=True)
    drawn = np.array([rng.multinomial(size, share) for size, share in zip(sizes, shares, strict=True)])
    values = np.concatenate([[0.0], np.sqrt(edges[:-1] * edges[1:])])
    counts, sums = (
        np.zeros((groups, grid.cells), dtype=np.int64),
        np.zeros((groups, grid.cells), dtype=object),
    )
    units = np.array([rule.units(value) for value in values[1:].tolist()], dtype=np.object_)
    positive = slice(grid.zero + 1, grid.value_cells)
    by_cell = (groups, magnitudes.cells, _FINE)
    counts[:, positive] = drawn[:, 1:-1].reshape(by_cell).sum(axis=2)
    sums[:, positive] = (drawn[:, 1:-1].astype(np.object_) * units).reshape(by_cell).sum(axis=2)
    counts[:, grid.zero] = drawn[:, 0]
    if grid.leaves_out_missing:
        counts[:, -1] = drawn[:, -1]
    cells = CellTotals(tuple(range(groups)), counts, sums, grid, rule)
    return MadeUpValues(cells, values, drawn[:, :-1])
