"""Release the mean of every group of a table."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from relgauss import validate
from relgauss.accounting import GaussianDP
from relgauss.budget import Budget, Charge, Condition, PrivacyStatement
from relgauss.errors import InvalidParameterError
from relgauss.estimate import LogGrid
from relgauss.grouped.assumed import Spread, estimate_assumed, spreads_of
from relgauss.grouped.enforced import estimate_enforced
from relgauss.grouped.result import GroupedRelease
from relgauss.grouped.rule import ValueRule
from relgauss.grouped.totals import total_by_cell, total_by_group
from relgauss.records.tables import open_table

NEIGHBOURS = "one record replaced by another of the same group; groups and their sizes are public"

_PUBLIC = Condition("every row is in one group; rows without a group are left out", "assumed")
_CLIPPED = Condition("each value is clipped to its group's window, found from noisy counts", "enforced")


def release_means(
    data: object,
    *,
    by: str,
    value: str,
    epsilon: float,
    delta: float,
    spread: Spread | None = None,
    value_range: tuple[float, float] = (1e-6, 1e12),
    confidence: float = 0.95,
    table: str | None = None,
    query: str | None = None,
    rng: np.random.Generator | None = None,
) -> GroupedRelease:
    """Release the mean of ``value`` in every group of ``by``; groups and their sizes are public.

    ``data`` is a CSV or Parquet file, a DuckDB database (with ``table``), or a data frame; ``query`` is SQL
    over it. Values are positive; ``value_range`` is public, and the narrower the better small groups are found.

    Without ``spread`` the guarantee is *enforced*: values are clipped to a window that is found privately.
    With it, it is *assumed* that the values of a group, now and after any replacement, lie within a factor of
    1 + spread of each other; a mapping gives each group its own.

    Noise is secure; with ``rng`` it is simulated, not private, and marked so.

    >>> release_means("pay.csv", by="job", value="salary", epsilon=1.0, delta=1e-6).to_pandas()
    """
    budget = Budget(epsilon, delta)
    mu = budget.mu
    confidence = validate.probability("confidence", confidence, "Pass for example 0.95.")
    grid = LogGrid.over(*_two_ends(value_range))
    rule = ValueRule(grid.low, grid.high)
    conditions = (_PUBLIC, Condition(rule.text(), "enforced"))
    with open_table(data, table=table, query=query) as opened:
        if spread is None:
            cells = total_by_cell(opened, by, value, rule, grid)
            groups, sizes = cells.groups, cells.sizes
            estimates = estimate_enforced(cells, mu, confidence, rng)
            conditions += (_CLIPPED,)
        else:
            totals = total_by_group(opened, by, value, rule)
            groups, sizes = totals.groups, totals.sizes
            spreads = spreads_of(groups, spread)
            estimates = estimate_assumed(totals, rule, spreads, mu, confidence, rng)
            conditions = (_same_scale(spread), *conditions)
    charge = Charge("the mean of every group", GaussianDP(mu), "proofs/grouped-means.md", conditions)
    return GroupedRelease(
        by=by,
        value=value,
        groups=groups,
        sizes=sizes,
        estimates=estimates,
        way="enforced" if spread is None else "assumed",
        confidence=confidence,
        privacy=PrivacyStatement((charge,), budget.delta, rng is not None, neighbours=NEIGHBOURS),
    )


def _same_scale(spread: Spread) -> Condition:
    factor = "a known factor" if isinstance(spread, Mapping) else f"a factor of {1 + spread:g}"
    text = f"in each group all values, and any that could replace one, lie within {factor} of each other"
    return Condition(text, "assumed")


def _two_ends(value_range: object) -> tuple[float, float]:
    if isinstance(value_range, tuple | list) and len(value_range) == 2:
        return value_range[0], value_range[1]
    raise InvalidParameterError(
        "value_range", value_range, "a pair (low, high)", "Pass what is publicly known, such as (1e3, 1e6)."
    )
