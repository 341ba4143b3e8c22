"""Replacing one record of a group moves what is released by no more than the stated sensitivities."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relgauss.grouped.assumed_spread import relative_sensitivity
from relgauss.grouped.log_grid import LogGrid
from relgauss.grouped.totals import CellTotals, GroupTotals
from relgauss.grouped.value_rule import ValueRule

RANGES = [(1e3, 1e6), (1e-6, 1e12), (7.0, 7.5), (0.3, 2e5)]


def totals(values: list[float], low: float, high: float) -> CellTotals:
    """What the SQL pass makes of one group, in the same arithmetic: clip, take the logarithm, round, add."""
    grid, rule = LogGrid.over(low, high), ValueRule(low, high)
    counts = np.zeros((1, grid.cells), dtype=np.int64)
    sums = np.zeros((1, grid.cells), dtype=np.object_)
    for value in values:
        x = min(max(value, low), high)
        cell = min(max(math.floor((math.log(x) - math.log(low)) / grid.step), 0), grid.cells - 1)
        counts[0, cell] += 1
        sums[0, cell] += rule.units(x)
    return CellTotals(("a",), counts, sums, grid, rule)


def values_in(low: float, high: float) -> st.SearchStrategy[float]:
    """Anything, with a liking for the edges of cells, where a logarithm may err."""
    edges = st.sampled_from(LogGrid.over(low, high).edges.tolist())
    beside = st.tuples(edges, st.integers(-4, 4)).map(lambda pair: pair[0] * (1 + pair[1] * 2.0**-52))
    return st.one_of(st.floats(low / 2, high * 2), edges, beside)


@st.composite
def neighbours(draw: st.DrawFn) -> tuple[CellTotals, CellTotals, int, int]:
    low, high = draw(st.sampled_from(RANGES))
    value = values_in(low, high)
    others = draw(st.lists(value, max_size=6))
    one, other = (totals([*others, draw(value)], low, high) for _ in range(2))
    cells = one.grid.cells
    lower = draw(st.integers(0, cells - 1))
    upper = draw(st.integers(lower + 1, cells))
    return one, other, lower, upper


@given(neighbours())
@settings(max_examples=400)
def test_a_window_sum_moves_by_no_more_than_its_sensitivity(case: tuple[CellTotals, CellTotals, int, int]):
    one, other, lower, upper = case
    first, second = (each.window_sum(0, lower, upper) for each in (one, other))
    assert first.sensitivity == second.sensitivity
    moved = abs(Fraction(float(first.value[0])) - Fraction(float(second.value[0])))
    assert moved <= Fraction(first.sensitivity.r)


def test_a_window_sum_can_move_by_one():
    one, other = totals([5e4, 1e3], 1e3, 1e6), totals([5e4, 1e6], 1e3, 1e6)
    first, second = (each.window_sum(0, 10, 20) for each in (one, other))
    assert second.value - first.value == pytest.approx(1.0)


@given(neighbours())
def test_counts_move_by_no_more_than_root_two(case: tuple[CellTotals, CellTotals, int, int]):
    one, other, *_ = case
    first, second = (each.bin_counts(np.array([0])) for each in (one, other))
    difference = (first.value - second.value)[0]
    assert difference.sum() == 0
    assert first.sensitivity == second.sensitivity
    assert int(difference @ difference) <= Fraction(first.sensitivity.r) ** 2
    assert one.sizes.tolist() == other.sizes.tolist()


@given(
    st.floats(1e-6, 1e11),
    st.floats(1e-3, 20.0),
    st.lists(st.floats(0.0, 1.0), min_size=1, max_size=20),
    st.floats(0.0, 1.0),
    st.integers(0, 10**9),
)
@settings(max_examples=300)
def test_an_assumed_mean_moves_by_no_more_than_its_part(
    least: float, spread: float, positions: list[float], replacement: float, more: int
):
    """Values anywhere in [m, (1 + spread) m], a tight pair of neighbours included, many of them equal."""
    rule = ValueRule(1e-6, 1e12)

    def mean(positions: list[float]) -> float:
        units = [rule.units(min(least * (1 + spread * p), (1 + spread) * least)) for p in positions]
        size = len(units) + more
        total = sum(units) + more * units[-1]
        return GroupTotals(("a",), np.array([size]), (total,), rule).mean(0)

    one, other = mean([0.0, *positions]), mean([replacement, *positions])
    eta = relative_sensitivity(spread, len(positions) + 1 + more)
    assert abs(Fraction(one) - Fraction(other)) <= Fraction(eta) * min(Fraction(one), Fraction(other))
