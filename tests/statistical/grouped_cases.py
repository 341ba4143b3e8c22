"""Tables of many groups for simulations, and what is true of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa

from relgauss.grouped.cell_tables import ValueColumn, count_column
from relgauss.grouped.signed_grid import LogGrid, SignedGrid
from relgauss.grouped.totals import CellTotals
from relgauss.grouped.value_rule import ValueRule
from relgauss.records.tables import open_table

LOW, HIGH = 1e3, 1e6

Draw = Callable[[np.random.Generator, int], np.ndarray]


def lognormal(spread: float) -> Draw:
    return lambda rng, n: np.exp(spread * rng.normal(size=n))


def two_jobs(share: float, ratio: float) -> Draw:
    """Some of a group earn a multiple of what the others do."""
    return lambda rng, n: np.where(rng.random(n) < share, ratio, 1.0) * np.exp(0.05 * rng.normal(size=n))


FORMS: dict[str, Draw] = {
    "equal": lambda rng, n: np.ones(n),
    "evenly within 30 %": lambda rng, n: rng.uniform(1, 1.3, n),
    "lognormal 0.05": lognormal(0.05),
    "lognormal 0.2": lognormal(0.2),
    "lognormal 0.5": lognormal(0.5),
    "lognormal 1": lognormal(1.0),
    "gamma": lambda rng, n: rng.gamma(2, 0.5, n),
    "exponential": lambda rng, n: rng.exponential(size=n),
    "Pareto 3": lambda rng, n: 1 + rng.pareto(3, n),
    "Pareto 2": lambda rng, n: 1 + rng.pareto(2, n),
    "three in ten earn double": two_jobs(0.3, 2.0),
    "one in ten earns triple": two_jobs(0.1, 3.0),
}


def draw_groups(form: str, size: int, groups: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Groups of one form, at scales that nobody knows."""
    scales = np.exp(rng.uniform(math.log(5e3), math.log(2e5), groups))
    return [scale * FORMS[form](rng, size) for scale in scales]


def totals_of(
    groups: Sequence[np.ndarray], low: float = LOW, high: float = HIGH, *, fine: bool = False
) -> CellTotals:
    grid = SignedGrid(LogGrid.over(low, high))
    keys = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    with open_table(pa.table({"g": keys, "x": np.concatenate(groups)})) as table:
        column = ValueColumn(ValueRule(low, high), grid.fine if fine else grid)
        return next(count_column(table, "g", "x", column).batches())


def true_means(totals: CellTotals) -> np.ndarray:
    """The means that are estimated: of values after the rule."""
    sums = np.array([math.ldexp(float(sum(row)), totals.rule.exponent) for row in totals.sums])
    return sums / totals.sizes
