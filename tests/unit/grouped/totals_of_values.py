"""Exact totals of made-up groups, as the pass over the records would make them."""

import numpy as np

from relgauss.grouped.signed_grid import LogGrid, SignedGrid, Signs
from relgauss.grouped.totals import CellTotals
from relgauss.grouped.value_rule import ValueRule


def totals_of(
    values: np.ndarray, signs: Signs = "positive", low: float = 1.0, high: float = 1e8, *, fine: bool = False
) -> CellTotals:
    """A row of values for each group; NaN is missing. Only the rounding of sums is left out."""
    grid, rule = SignedGrid(LogGrid.over(low, high), signs), ValueRule(low, high, signs)
    grid = grid.fine if fine else grid
    values, groups = rule.apply(values), len(values)
    place = (np.arange(groups)[:, None] * grid.cells + grid.cells_of(values)).ravel()
    counts = np.bincount(place, minlength=groups * grid.cells).reshape(groups, -1)
    units = np.nan_to_num(values).ravel() * 2.0**-rule.exponent
    sums = np.bincount(place, weights=units, minlength=groups * grid.cells).reshape(groups, -1)
    return CellTotals(tuple(range(groups)), counts, sums, grid, rule)
