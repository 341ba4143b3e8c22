"""Means of groups in which a few have much more: too low, as the page on payrolls says. Seeded."""

import numpy as np
import pytest

import relgauss as rg
from relgauss.grouped.contribution import ONE_ROW
from relgauss.grouped.measure_column import measure_column
from relgauss.grouped.signed_grid import LogGrid, SignedGrid
from relgauss.grouped.value_rule import ValueRule

from .column_forms import totals_of

pytestmark = pytest.mark.statistical


@pytest.mark.parametrize(("size", "most"), [(750, 0.055), (3_000, 0.015), (6_000, 0.008)])
def test_means_lean_low_by_no_more_than_is_said_and_intervals_hold(size: int, most: float):
    rng, rule = np.random.default_rng([7, size]), ValueRule(1.0, 1e8, "positive")
    above = np.where(rng.random((40, size)) < 0.08, rng.uniform(2, 3, (40, size)), 1.0)
    values = 50_000 * above * np.exp(0.2 * rng.normal(size=above.shape))
    totals = totals_of(values, SignedGrid(LogGrid.over(1.0, 1e8), "positive"), rule)
    found = measure_column(totals, ONE_ROW, rg.Budget(1.0, 1e-6).mu, ["mean"], 0.95, rng).statistics["mean"]
    truth = values.mean(axis=1)
    assert -most < np.mean(found.estimate / truth - 1) < 0.02
    assert np.mean((found.lower <= truth) & (truth <= found.upper)) >= 0.9
