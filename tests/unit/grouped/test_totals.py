"""One pass over the records: every row counts, by a rule that looks at it alone, and sums are exact."""

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from relgauss.errors import TableError
from relgauss.grouped.log_grid import LogGrid, Windows
from relgauss.grouped.totals import CellTotals, total_by_cell, total_by_group
from relgauss.grouped.value_rule import ValueRule
from relgauss.records.tables import open_table

LOW, HIGH = 1e3, 1e6
RULE, GRID = ValueRule(LOW, HIGH), LogGrid.over(LOW, HIGH)
RANGES = [(1e3, 1e6), (1e-6, 1e12), (1.0, 1.1), (3e-90, 1e-80), (1e80, 1e99)]


def cells(data: object, rule: ValueRule = RULE, grid: LogGrid = GRID, **options: str) -> CellTotals:
    with open_table(data, **options) as table:
        return total_by_cell(table, "g", "x", rule, grid)


def frame(values: list[float | None], group: object = "a") -> pa.Table:
    return pa.table({"g": [group] * len(values), "x": pa.array(values, pa.float64())})


def by_the_rule(value: float | None, rule: ValueRule = RULE) -> float:
    """The rule, written out again."""
    if value is None or math.isnan(value) or value < rule.low:
        return rule.low
    return min(value, rule.high)


# The rule


@pytest.mark.parametrize(
    "value", [None, math.nan, -math.inf, -5.0, -0.0, 0.0, 999.999, 1e3, 5e4, 1e6, 1e6 + 1, 1e300, math.inf]
)
@pytest.mark.parametrize("company", [[], [2e4, 3e4]])
def test_each_record_by_itself(value: float | None, company: list[float]):
    with open_table(frame([*company, value])) as table:
        totals = total_by_group(table, "g", "x", RULE)
    assert totals.sizes.tolist() == [len(company) + 1]
    assert totals.sums[0] == sum(RULE.units(by_the_rule(each)) for each in [*company, value])


def test_the_rule_for_a_text_file(tmp_path: Path):
    file = tmp_path / "t.csv"
    file.write_text('g,x\na,2000\na,n/a\na,\na,"3,5"\na,nan\na,-inf\na,Infinity\na,1e999\na\n')
    totals = cells(file)
    assert totals.sizes.tolist() == [9]
    assert totals.counts[0, 0] == 6
    assert totals.counts[0, -1] == 2


def test_the_rule_for_text_in_a_queried_file(tmp_path: Path):
    """A text among the numbers turns the column into one of text; a row with it still counts."""
    file = tmp_path / "t.csv"
    file.write_text("g,x\n" + "a,2000\n" * 30_000 + "a,n/a\n")
    totals = cells(file, query="SELECT * FROM data")
    assert totals.sizes.tolist() == [30_001]
    assert totals.counts[0, 0] == 1


def test_rows_without_a_group_are_left_out():
    data = pa.table({"g": ["a", None, "b", None], "x": [2e3, 3e3, 4e3, None]})
    totals = cells(data)
    assert totals.groups == ("a", "b")
    assert totals.sizes.tolist() == [1, 1]


def test_no_group_at_all():
    data = pa.table({"g": pa.array([None, None], pa.string()), "x": [2e3, 3e3]})
    with pytest.raises(TableError, match="No row of the table has a group"):
        cells(data)


def test_groups_keep_their_type_and_come_in_order():
    data = pa.table({"g": [10, 9, 10, 2], "x": [2e3] * 4})
    assert cells(data).groups == (2, 9, 10)
    assert cells(data).sizes.tolist() == [1, 1, 2]


def test_text_says_the_rule():
    assert "missing, no number or below 1,000 counts as 1,000, one above 1,000,000" in RULE.text()


# Cells and exact sums


@pytest.mark.parametrize(("low", "high"), RANGES)
def test_values_fall_into_their_cells(low: float, high: float):
    grid, rule = LogGrid.over(low, high), ValueRule(low, high)
    middles = np.sqrt(grid.edges[:-1] * grid.edges[1:])
    totals = cells(frame(middles.tolist()), rule, grid)
    assert totals.counts.tolist() == [[1] * grid.cells]
    assert totals.sums[0].tolist() == [rule.units(middle) for middle in middles]


@pytest.mark.parametrize(("low", "high"), RANGES)
def test_values_at_the_edges_are_in_one_of_two_cells(low: float, high: float):
    grid, rule = LogGrid.over(low, high), ValueRule(low, high)
    found = cells(pa.table({"g": range(grid.cells + 1), "x": grid.edges}), rule, grid).counts
    assert found.sum(axis=1).tolist() == [1] * (grid.cells + 1)
    place = found.argmax(axis=1) - np.arange(grid.cells + 1)
    assert ((place == 0) | (place == -1)).all()


@pytest.mark.parametrize(("low", "high"), RANGES)
def test_sums_are_exact_in_every_order(low: float, high: float):
    rng = np.random.default_rng(1)
    rule, grid = ValueRule(low, high), LogGrid.over(low, high)
    values = np.exp(rng.uniform(np.log(low) - 0.1, np.log(high) + 0.1, 20_000))
    groups = rng.integers(0, 3, values.size)
    first, second = (
        cells(pa.table({"g": groups[order], "x": values[order]}), rule, grid)
        for order in (slice(None), slice(None, None, -1))
    )
    assert (first.counts == second.counts).all()
    assert (first.sums == second.sums).all()
    expected = sum(rule.units(by_the_rule(value, rule)) for value in values[groups == 0].tolist())
    assert sum(first.sums[0]) == expected


def test_the_lattice_keeps_thirty_digits_of_the_smallest_value():
    for low, high in RANGES:
        rule = ValueRule(low, high)
        assert 2.0**-31 <= math.ldexp(1, rule.exponent) / low <= 2.0**-30


def test_mean_of_a_group():
    with open_table(frame([1500.0, 2500.25, 1e9])) as table:
        totals = total_by_group(table, "g", "x", RULE)
    assert totals.mean(0) == pytest.approx((1500 + 2500.25 + 1e6) / 3, rel=1e-9)


# Bounded answers


def test_counts_of_bins_carry_their_bound():
    """Noise for a smaller bound than sqrt(2) would be too little: one count falls and another rises."""
    totals = cells(pa.table({"g": ["a", "a", "b"], "x": [1.01e3, 9.9e5, 5e4]}))
    answer = totals.bin_counts(np.array([1, 0]))
    assert answer.value.shape == (2, GRID.bins)
    assert answer.value.sum(axis=1).tolist() == [1, 2]
    assert answer.value[1, [0, -1]].tolist() == [1, 1]
    assert answer.sensitivity.provenance == "enforced"
    assert 2 <= Fraction(answer.sensitivity.r) ** 2 < 2 + Fraction(1, 10**15)


def test_window_sums_are_those_of_the_groups_with_the_largest_bound():
    totals = cells(pa.table({"g": ["a"] * 3 + ["b"] * 2, "x": [2e3, 4e3, 8e3, 5e4, 6e4]}))
    windows = Windows(np.array([35, 0]), np.array([36, GRID.cells]))
    together = totals.window_sums(np.array([1, 0]), windows)
    each = [totals.window_sum(1, 35, 36), totals.window_sum(0, 0, GRID.cells)]
    assert together.value.tolist() == [answer.value[0] for answer in each]
    assert together.sensitivity.r == max(answer.sensitivity.r for answer in each)
    assert each[0].sensitivity.r != each[1].sensitivity.r


@pytest.mark.parametrize(("lower", "upper"), [(0, GRID.cells), (20, 24), (20, 21), (0, 1), (61, 62)])
def test_window_sum_is_the_sum_of_clipped_values(lower: int, upper: int):
    values = np.exp(np.random.default_rng(2).uniform(np.log(500), np.log(2e6), 1_000))
    a, b = GRID.edges[lower], GRID.edges[upper]
    answer = cells(frame(values.tolist())).window_sum(0, lower, upper)
    expected = (np.clip(values, a, b) - a).sum() / (b - a)
    assert answer.value == pytest.approx(expected, rel=1e-7, abs=1e-6)
    assert answer.sensitivity.provenance == "enforced"
    assert 1 < answer.sensitivity.r < 1 + 1e-6


def test_sensitivity_has_room_for_the_rounding_of_many_records():
    """The quotient of a large integer sum is rounded once, by up to 2^-53 of it, for each neighbour."""
    counts = np.zeros((1, GRID.cells), dtype=np.int64)
    counts[0, -1] = 2**40
    sums = np.array([[0] * GRID.cells], dtype=np.object_)
    answer = CellTotals(("a",), counts, sums, GRID, RULE).window_sum(0, 0, 1)
    assert answer.value[0] == 2**40
    assert Fraction(answer.sensitivity.r) > 1 + Fraction(2**40, 2**52)
