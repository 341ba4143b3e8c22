"""Release the mean of every group of a table."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from relgauss import validate
from relgauss.accounting import GaussianDP
from relgauss.budget import Budget, Charge, Condition, PrivacyStatement
from relgauss.errors import InvalidParameterError
from relgauss.grouped.assumed_spread import Spread, estimate_assumed, spreads_of
from relgauss.grouped.found_windows import estimate_enforced
from relgauss.grouped.log_grid import LogGrid
from relgauss.grouped.result import GroupedRelease
from relgauss.grouped.totals import total_by_cell, total_by_group
from relgauss.grouped.value_rule import ValueRule
from relgauss.records.tables import open_table

NEIGHBOURS = "one record replaced by another of the same group; groups and their sizes are public"

_ONE_GROUP = "every row is in one group; rows without a group are left out"
_CLIPPED = "each value is clipped to its group's window, which is found from noisy counts"


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
    over it, of which the statement assumes that it neither repeats records nor chooses them by private
    values. Values are positive. The narrower their public ``value_range``, the smaller the groups that can
    be found.

    Without ``spread`` the guarantee is *enforced*: values are clipped to a window that is found privately.
    With it, it is *assumed* that the values of a group, now and after any replacement, lie within a factor of
    1 + spread of each other; a mapping gives each group its own.

    Noise is secure; with ``rng`` it is simulated, not private, and marked so. Proof: proofs/grouped-means.md.

    >>> release_means("pay.csv", by="job", value="salary", epsilon=1.0, delta=1e-6).to_pandas()
    """
    if by == value:
        raise InvalidParameterError(
            "by", by, "another column than value", "Groups are public, values are not."
        )
    budget = Budget(epsilon, delta)
    mu = budget.mu
    confidence = validate.probability("confidence", confidence, "Pass for example 0.95.")
    grid = LogGrid.over(*_ends(value_range))
    rule = ValueRule(grid.low, grid.high)
    conditions = [Condition(_ONE_GROUP, "assumed"), Condition(rule.text(), "enforced")]
    with open_table(data, table=table, query=query) as opened:
        conditions[:0] = [Condition(text, "assumed") for text in opened.assumed]
        if spread is None:
            cells = total_by_cell(opened, by, value, rule, grid)
            estimates = estimate_enforced(cells, mu, confidence, rng)
            conditions.append(Condition(_CLIPPED, "enforced"))
        else:
            totals = total_by_group(opened, by, value, rule)
            spreads = spreads_of(totals.groups, spread)
            estimates = estimate_assumed(totals, spreads, mu, confidence, rng)
            conditions.insert(0, Condition(_alike(spread), "assumed"))
    charge = Charge("the mean of every group", GaussianDP(mu), "proofs/grouped-means.md", tuple(conditions))
    return GroupedRelease(
        by=by,
        value=value,
        estimates=estimates,
        way="enforced" if spread is None else "assumed",
        is_prepared=bool(opened.assumed),
        confidence=confidence,
        privacy=PrivacyStatement((charge,), budget.delta, rng is not None, neighbours=NEIGHBOURS),
    )


def _alike(spread: Spread) -> str:
    factor = "its own public factor" if isinstance(spread, Mapping) else f"a factor of {1 + spread:.12g}"
    return (
        "in each group all values after the rule, and any that could replace one, "
        f"lie within {factor} of each other"
    )


def _ends(value_range: object) -> tuple[float, float]:
    if isinstance(value_range, tuple | list) and len(value_range) == 2:
        return value_range[0], value_range[1]
    raise InvalidParameterError(
        "value_range", value_range, "a pair (low, high)", "Pass what is publicly known, such as (1e3, 1e6)."
    )
