"""Estimates for the totals row by what was released of the groups, where that has less noise.

All groups together are a mixture: no single form fits them, while one fits each group. So a quantile of all
is where the values below, added up over the groups' forms, reach its level. Only estimates come from here;
intervals do not. All of it is post-processing. Proof: proofs/grouped-intervals.md.
"""

from __future__ import annotations

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.grouped.column_estimates import FLAGS, TOO_SMALL, ColumnEstimates
from relgauss.grouped.signed_grid import SignedGrid
from relgauss.grouped.statistic_names import quantile_level

_NEARLY_ALL = 0.95  # of the rows, by released or public counts


def estimates_by_groups(
    direct: ColumnEstimates, groups: ColumnEstimates, grid: SignedGrid, *, has_ramps: bool
) -> dict[str, FloatArray]:
    """Estimates of the mean and of quantiles, by name; none where too little is known of the groups.

    ``has_ramps`` says whether ``direct`` had a second look at where quantiles lie: then it is the better one,
    unless its counts have more noise than those of the groups added up.
    """
    found: dict[str, FloatArray] = {}
    if has_ramps and not have_less_noise(groups, direct):
        return found
    numbers = groups.edges.rows - groups.edges.missing
    for name, one in groups.statistics.items():
        level = quantile_level(name)
        known = one.flags == 0 if level is None else one.flags != FLAGS.index(TOO_SMALL)
        if not groups.sizes[known].sum() > _NEARLY_ALL * groups.sizes.sum():
            continue
        if level is not None and groups.below[-1] > 0:
            found[name] = np.full(1, _quantile(grid, groups.below, level))
        elif name == "mean" and numbers[known].sum() > 0:
            found[name] = np.full(1, (numbers * one.estimate)[known].sum() / numbers[known].sum())
    return found


def have_less_noise(groups: ColumnEstimates, direct: ColumnEstimates) -> bool:
    """Whether counts of the groups, added up, have less noise than those of all together."""
    return bool((groups.edges.noise_std**2).sum() < direct.edges.noise_std[0] ** 2)


def _quantile(grid: SignedGrid, below: FloatArray, level: float) -> float:
    """Where the values below reach the level: inside of a cell in proportion, and 0 in that of zeros."""
    reached = level * below[-1]
    place = int(np.searchsorted(below, reached))
    if place == 0:
        return float(grid.edges[0])
    if place == grid.zero + 1:
        return 0.0
    part = (reached - below[place - 1]) / (below[place] - below[place - 1])
    return float(grid.edges[place - 1] + part * (grid.edges[place] - grid.edges[place - 1]))
