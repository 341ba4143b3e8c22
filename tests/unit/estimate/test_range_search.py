"""Ranges within stated bounds: however wide these are, they are found as if there were none."""

import math

import numpy as np
import pytest

from relgauss.accounting import GaussianDP
from relgauss.estimate.column_ranges import MOST_SPENT_WITHIN, ColumnRanges, Columns, find_ranges
from relgauss.estimate.noisy_ranges import Span
from relgauss.estimate.range_search import StatedBounds
from relgauss.estimate.ranges_in_bounds import may_be_near, read_bounded
from relgauss.records.blocks import ArrayRows
from relgauss.spending import Spending

RNG = np.random.default_rng(11)
COUNT = 4000
FORMS = {
    "even": RNG.normal(size=COUNT),
    "amounts": np.exp(6 + RNG.normal(size=COUNT)),
    "far": 9000 + 40 * RNG.normal(size=COUNT),
    "some": np.where(RNG.random(COUNT) < 0.7, 0.0, np.exp(RNG.normal(size=COUNT))),
}


def search(values: np.ndarray, bounds: StatedBounds, seed: int, mu: float) -> tuple[ColumnRanges, Spending]:
    """A feature and the label, which hold the same."""
    rows = ArrayRows(values[:, None], values)
    spending = Spending(GaussianDP(mu), np.random.default_rng(seed))
    return find_ranges(rows, Columns(1, True), bounds, spending, 1 / MOST_SPENT_WITHIN), spending


@pytest.mark.parametrize("times", [3.0, 40.0, 3000.0])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("mu", [0.02, 0.1])
def test_ranges_within_wide_bounds_are_hardly_wider_than_those_without(form: str, times: float, mu: float):
    values = FORMS[form]
    middle, half = (values.max() + values.min()) / 2, times * (values.max() - values.min()) / 2
    bounds = StatedBounds(np.full(2, middle - half), np.full(2, middle + half))

    def widths(stated: StatedBounds) -> list[float]:
        found = [search(values, stated, seed, mu)[0] for seed in range(15)]
        return [float(each.high[-1] - each.low[-1]) if each.seen[-1] else math.inf for each in found]

    without, within = widths(StatedBounds.none(2)), widths(bounds)
    assert np.median(within) <= 3 * np.median(without)  # less than a step of the signed grid
    assert np.isinf(within).sum() <= np.isinf(without).sum() + 3


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("times", [1.0, 6.0, 1e4])
@pytest.mark.parametrize("mu", [0.003, 0.02, 3.0])
def test_no_search_spends_more_than_is_planned_for(form: str, times: float, mu: float):
    values = FORMS[form]
    low, high = values.min(), values.min() + times * (values.max() - values.min())
    for seed in range(10):
        _, spending = search(values, StatedBounds(np.full(2, low), np.full(2, high)), seed, mu)
        assert spending.left >= -1e-9  # more would be an error that tells of records


def test_few_cells_are_taken_for_all_where_noise_may_hide_the_rest():
    counts = np.zeros(16)
    counts[7:9] = 400.0, 480.0
    assert read_bounded(counts, 100.0, 1000.0) == Span(7, 8)
    counts[[2, 4, 11, 13]] = 90.0, -90.0, 60.0, 60.0  # noise, of which a range would grow
    assert read_bounded(counts, 100.0, 1000.0) == Span(7, 8)
    for clear in (5.0, 15.0):  # too clear to be noise
        assert read_bounded(counts, clear, 1000.0) != Span(7, 8)
    assert read_bounded(np.zeros(16), 10.0, 1000.0) is None


def test_records_that_are_not_zero_are_near_it_or_fill_the_bounds():
    edges = np.linspace(-8, 8, 17)
    near, spread = np.zeros(16), np.full(16, 1000 / 16)
    near[7:9] = 500.0
    assert may_be_near(near, edges, 50.0, 1000.0)
    assert not may_be_near(spread, edges, 50.0, 1000.0)
