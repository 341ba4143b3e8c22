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


FAR = {
    "8 % at x15 of wide values": (3_000, 1.0, 0.08, 15.0, 0.6),
    "5 % at x2,000": (3_000, 1.0, 0.05, 2_000.0, 0.3),
    "5 % at x30": (1_000, 3.0, 0.05, 30.0, 0.4),
}


@pytest.mark.parametrize("form", FAR)
def test_tables_of_few_groups_cover_minorities_that_counts_show(form: str):
    """Above six noise levels of the counts of the bins that hold them. Three tables of four groups."""
    size, epsilon, share, ratio, spread = FAR[form]
    rng, rule, held = np.random.default_rng([8, size]), ValueRule(1.0, 1e8, "positive"), []
    for _ in range(3):
        scale = np.exp(rng.uniform(np.log(1e2), np.log(1e4), (4, 1)))
        above = np.where(rng.random((4, size)) < share, ratio, 1.0)
        values = scale * above * np.exp(spread * rng.normal(size=above.shape))
        totals = totals_of(values, SignedGrid(LogGrid.over(1.0, 1e8), "positive"), rule)
        mu = rg.Budget(epsilon, 1e-6).mu
        found = measure_column(totals, ONE_ROW, mu, ["mean"], 0.95, rng).statistics["mean"]
        truth = values.mean(axis=1)
        held += (((found.lower <= truth) & (truth <= found.upper)) | (found.flags > 0)).tolist()
    assert np.mean(held) >= 0.9
