"""The ranges of columns of unlike units."""

import numpy as np

from relgauss.accounting import GaussianDP
from relgauss.estimate.column_ranges import Columns, find_ranges
from relgauss.estimate.range_search import StatedBounds
from relgauss.records.blocks import ArrayRows
from relgauss.spending import Spending


def test_ranges_of_unlike_columns_are_found():
    rng = np.random.default_rng(0)
    count = 20_000
    truth = [(0.0, 1.0), (1e6, 1.0), (-3e-7, 1e-8), (0.0, 1e9), (5.0, 0.0)]
    columns = np.column_stack([middle + spread * rng.normal(size=count) for middle, spread in truth])
    rows = ArrayRows(columns[:, :-1], columns[:, -1])
    spending = Spending(GaussianDP(3.0), np.random.default_rng(1))
    found = find_ranges(rows, Columns(4, True), StatedBounds.none(5), spending, 0.5)
    assert found.seen.tolist() == [True, True, True, True, False]
    assert found.located.all()
    for (middle, spread), low, high in zip(truth[:4], found.low, found.high, strict=False):
        assert low < middle < high
        assert 2 * spread < high - low < 100 * spread
