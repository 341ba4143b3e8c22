"""Made-up values have the form that was stated, and what a release is held against is their own statistic."""

import math

import numpy as np
import pytest

from relgauss.forecast.form import read_form
from relgauss.forecast.made_up_values import make_up_values
from relgauss.grouped.signed_grid import LogGrid, SignedGrid
from relgauss.grouped.value_rule import ValueRule

GRID = LogGrid.over(1e3, 1e6)
RULE = ValueRule(GRID.low, GRID.high)


@pytest.mark.parametrize("signs", ["positive", "both"])
def test_statistics_are_those_of_the_form(signs):
    sizes, form = np.full(8, 200_000), read_form("lognormal:0.3", 0.2, 0.1)
    made = make_up_values(sizes, form, SignedGrid(GRID, signs), RULE, np.random.default_rng(3))
    assert made.cells.sizes.tolist() == sizes.tolist()
    assert made.truth("count").tolist() == made.counts.sum(axis=1).tolist()  # of values that are there
    np.testing.assert_allclose(made.truth("count"), 0.9 * sizes, rtol=0.01)
    np.testing.assert_allclose(made.truth("missing"), 0.1, atol=0.005)
    np.testing.assert_allclose(made.truth("zeros"), 0.2, atol=0.005)
    np.testing.assert_allclose(made.truth("sum"), made.truth("mean") * 180_000, rtol=0.005)
    # Of the values other than 0, q60 of all is the median, and q92 the 90th percentile.
    ratio = made.truth("q92") / made.truth("q60")
    np.testing.assert_allclose(ratio, math.exp(1.2816 * 0.3), rtol=0.03)
    spread = made.truth("std") / made.truth("mean")
    np.testing.assert_allclose(spread, math.sqrt(math.exp(0.09) / 0.8 - 1), rtol=0.02)


def test_sums_by_cell_are_those_of_the_values():
    sizes = np.array([50, 700])
    made = make_up_values(
        sizes, read_form("exponential", 0.0), SignedGrid(GRID), RULE, np.random.default_rng(4)
    )
    sums = [math.ldexp(int(each), RULE.exponent) for each in made.cells.sums.sum(axis=1)]
    np.testing.assert_allclose(sums, made.truth("sum"), rtol=1e-6)
    assert np.array_equal(made.cells.counts.sum(axis=1), sizes)
