"""The statistics of all columns of values: by group, some groups at a time, and of all groups together."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from relgauss.grouped.cell_tables import totals_by_batch
from relgauss.grouped.column_estimates import ColumnEstimates, joined_estimates
from relgauss.grouped.contribution import ONE_ROW, Contribution
from relgauss.grouped.group_counts import GroupCounts
from relgauss.grouped.measure_column import measure_column
from relgauss.grouped.measured_batches import deviates_of
from relgauss.grouped.noisy_measurements import NoisySizes
from relgauss.grouped.person_bounds import PersonBounds
from relgauss.grouped.table_budget import TOTALS, VALUES
from relgauss.grouped.table_question import TableQuestion
from relgauss.grouped.table_rows import TableRows
from relgauss.grouped.totals import CellTotals
from relgauss.grouped.totals_row import narrower_totals, with_sums

Watch = Callable[[int, int], None]
_BATCH = 4096  # groups in memory at once


def measure_values(
    kept: TableRows,
    question: TableQuestion,
    bounds: PersonBounds,
    sizes: NoisySizes,
    mu: dict[str, float],
    confidence: float,
    watch: Watch,
    rng: np.random.Generator | None,
) -> tuple[dict[str, ColumnEstimates], dict[str, ColumnEstimates]]:
    """The statistics of all columns, by group of these released sizes, and of all groups together."""
    in_groups, in_all = contributions(question, bounds)
    groups = len(sizes.values)
    parts = -(-groups // _BATCH)
    columns: dict[str, ColumnEstimates] = {}
    totals: dict[str, ColumnEstimates] = {}
    for place, (name, asked) in enumerate(question.values.items()):
        column, part = question.columns[place], math.sqrt(question.weights[place]) * (1 - 1e-14)
        wanted = tuple(dict.fromkeys((*asked, "mean", "count"))) if "sum" in asked else asked
        found, sum_of_all = [], None
        for number, cells in enumerate(totals_by_batch(kept, place, column, groups, _BATCH)):
            known = sizes.rows(slice(number * _BATCH, (number + 1) * _BATCH))
            found.append(measure_column(cells, in_groups, mu[VALUES] * part, wanted, confidence, rng, known))
            sum_of_all = _added(sum_of_all, cells)
            watch(place * parts + number + 1, len(question.values) * parts)
        columns[name] = joined_estimates(found, wanted)
        if question.totals and sum_of_all is not None:
            direct = measure_column(sum_of_all, in_all, mu[TOTALS] * part, wanted, confidence, rng)
            totals[name] = narrower_totals(
                direct,
                columns[name],
                sizes.noise_std,
                deviates_of(confidence),
                column.grid.coarse,
            )
    return columns, totals


def contributions(question: TableQuestion, bounds: PersonBounds) -> tuple[Contribution, Contribution]:
    """How far one unit moves the measurements of all groups, and those of the totals row.

    In the totals row all groups are one, and a person has as many rows there as in all groups.
    """
    if question.sizes_public:
        return ONE_ROW, ONE_ROW
    whole = PersonBounds(bounds.rows * bounds.groups)
    return (
        Contribution(bounds.row_counts, bounds.centred_sums, sizes_public=False),
        Contribution(whole.row_counts, whole.centred_sums, sizes_public=False),
    )


def _added(all_of: CellTotals | None, cells: CellTotals) -> CellTotals:
    """All groups so far as one group."""
    counts, sums = (
        cells.counts.sum(axis=0, keepdims=True),
        cells.sums.sum(axis=0, dtype=np.object_, keepdims=True),
    )
    if all_of is not None:
        counts, sums = counts + all_of.counts, sums + all_of.sums
    return CellTotals((None,), counts, sums, cells.grid, cells.rule)


def within_counts(estimates: ColumnEstimates, rows: GroupCounts) -> ColumnEstimates:
    """The same with counts of values, and their intervals, no higher than the printed ones of rows.

    Sums are means times such counts.
    """
    count = estimates.statistics.get("count")
    if count is None:
        return estimates
    values = np.minimum(count.estimate, rows.rows)
    upper = np.maximum(np.minimum(count.upper, rows.upper), values)
    changed = replace(count, estimate=values, lower=np.minimum(count.lower, values), upper=upper)
    return with_sums(replace(estimates, statistics=estimates.statistics | {"count": changed}))
