"""One pass over the records: every row counts, by a rule that looks at it alone, and sums are exact."""

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from relgauss.bounded.answer import BoundedAnswer
from relgauss.errors import TableError
from relgauss.grouped.cell_tables import ValueColumn, count_column
from relgauss.grouped.contribution import ONE_ROW, Contribution
from relgauss.grouped.signed_grid import LogGrid, SignedGrid, Windows
from relgauss.grouped.totals import OUTSIDE_WEIGHT, CellTotals, total_by_group
from relgauss.grouped.value_rule import ValueRule
from relgauss.records.tables import open_table

LOW, HIGH = 1e3, 1e6
RULE, GRID = ValueRule(LOW, HIGH), SignedGrid(LogGrid.over(LOW, HIGH))
SIGNED = SignedGrid(LogGrid.over(LOW, HIGH), "both")
RANGES = [(1e3, 1e6), (1e-6, 1e12), (1.0, 1.1), (3e-90, 1e-80), (1e80, 1e99)]


def cells(data: object, rule: ValueRule = RULE, grid: SignedGrid = GRID, **options: str) -> CellTotals:
    with open_table(data, **options) as table:
        return next(count_column(table, "g", "x", ValueColumn(rule, grid)).batches())


def frame(values: list[float | None], group: object = "a") -> pa.Table:
    return pa.table({"g": [group] * len(values), "x": pa.array(values, pa.float64())})


def by_the_rule(value: float | None, rule: ValueRule = RULE) -> float | None:
    """The rule, written out again."""
    if value is None or math.isnan(value):
        return None if rule.missing == "leave out" else by_the_rule(rule.missing, rule)
    if value == 0 or (value < 0 and rule.signs == "positive"):
        return 0.0
    return math.copysign(min(max(abs(value), rule.low), rule.high), value)


RULES = [
    RULE,
    *(ValueRule(LOW, HIGH, signs, missing) for signs in ("positive", "both") for missing in (0.0, 2e3)),
]
RULES.append(ValueRule(LOW, HIGH, "both"))


# The rule


VALUES = [None, math.nan, -math.inf, -5.0, -0.0, 0.0, 999.999, 1e3, 5e4, 1e6, 1e6 + 1, 1e300, math.inf]


@pytest.mark.parametrize("rule", RULES, ids=repr)
@pytest.mark.parametrize("company", [[], [2e4, 3e4]])
def test_each_record_by_itself(rule: ValueRule, company: list[float]):
    """Every value has a group of its own, which it has alone or shares with others."""
    grid = SignedGrid(LogGrid.over(LOW, HIGH), rule.signs, rule.missing == "leave out")
    totals = cells(
        pa.concat_tables([frame([*company, value], place) for place, value in enumerate(VALUES)]), rule, grid
    )
    assert totals.groups == tuple(range(len(VALUES)))
    assert totals.sizes.tolist() == [len(company) + 1] * len(VALUES)
    for place, value in enumerate(VALUES):
        expected = by_the_rule(value, rule)
        kept = [x for x in (*company, expected) if x is not None]
        assert sum(totals.sums[place]) == sum(rule.units(x) for x in kept)
        cell = grid.cells_of(np.array([math.nan if expected is None else expected]))[0]
        assert totals.counts[place, cell] == 1
        assert (cell == grid.zero) == (expected == 0)


@pytest.mark.parametrize("value", [None, math.nan, -5.0, 0.0, 999.0, 2e3, 1e7])
def test_where_every_row_must_be_positive_the_rest_counts_as_the_low_end(value: float | None):
    with open_table(frame([2e4, value])) as table:
        totals = total_by_group(table, "g", "x", RULE)
    low_end = value is None or math.isnan(value) or value < LOW
    assert totals.sizes.tolist() == [2]
    assert totals.sums[0] == RULE.units(2e4) + RULE.units(LOW if low_end else min(value, HIGH))


def test_the_rule_for_a_text_file(tmp_path: Path):
    file = tmp_path / "t.csv"
    file.write_text('g,x\na,2000\na,n/a\na,\na,"3,5"\na,nan\na,-inf\na,Infinity\na,1e999\na,""\n')
    totals = cells(file)
    assert totals.sizes.tolist() == [9]
    assert totals.counts[0, GRID.value_cells] == 5  # n/a, nothing, "3,5", nan, empty quotes
    assert totals.counts[0, GRID.zero] == 1  # -inf
    assert totals.counts[0, GRID.value_cells - 1] == 2


def test_the_rule_for_text_in_a_queried_file(tmp_path: Path):
    """A text among the numbers turns the column into one of text; a row with it still counts."""
    file = tmp_path / "t.csv"
    file.write_text("g,x\n" + "a,2000\n" * 30_000 + "a,n/a\n")
    totals = cells(file, query="SELECT * FROM data")
    assert totals.sizes.tolist() == [30_001]
    assert totals.counts[0, GRID.value_cells] == 1


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
    assert "missing or no number is left out, and counted with noise" in RULE.text()
    assert "magnitudes below 1,000 count as 1,000, above 1,000,000 as 1,000,000" in RULE.text()
    assert "a negative value counts as 0" in RULE.text()
    other = ValueRule(LOW, HIGH, "both", 2500.0).text()
    assert "missing or no number counts as 2,500" in other
    assert "negative" not in other


# Cells and exact sums


@pytest.mark.parametrize(("low", "high"), RANGES)
def test_values_fall_into_their_cells(low: float, high: float):
    grid, rule = SignedGrid(LogGrid.over(low, high), "both"), ValueRule(low, high, "both")
    magnitudes = grid.magnitudes.edges
    positive = np.sqrt(magnitudes[:-1] * magnitudes[1:])
    middles = np.concatenate([-positive[::-1], [0.0], positive])
    totals = cells(frame([*middles.tolist(), None]), rule, grid)
    assert totals.counts.tolist() == [[1] * grid.cells]
    assert totals.sums[0].tolist() == [*(rule.units(middle) for middle in middles), 0]
    assert grid.cells_of(np.append(middles, math.nan)).tolist() == list(range(grid.cells))


@pytest.mark.parametrize(("low", "high"), RANGES)
def test_values_at_the_edges_are_in_one_of_two_cells(low: float, high: float):
    grid, rule = SignedGrid(LogGrid.over(low, high)), ValueRule(low, high)
    found = cells(pa.table({"g": range(grid.value_cells + 1), "x": grid.edges}), rule, grid).counts
    assert found.sum(axis=1).tolist() == [1] * (grid.value_cells + 1)
    place = found.argmax(axis=1) - np.arange(grid.value_cells + 1)
    assert ((place == 0) | (place == -1)).all()


@pytest.mark.parametrize(("low", "high"), RANGES)
def test_sums_are_exact_in_every_order(low: float, high: float):
    rng = np.random.default_rng(1)
    rule, grid = ValueRule(low, high), SignedGrid(LogGrid.over(low, high))
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
    answer = totals.bin_counts(np.array([1, 0]), ONE_ROW)
    assert answer.value.shape == (2, GRID.bins)
    assert answer.value.sum(axis=1).tolist() == [1, 2]
    assert answer.value[1, [1, -2]].tolist() == [1, 1]
    assert answer.sensitivity.provenance == "enforced"
    assert 2 <= Fraction(answer.sensitivity.r) ** 2 < 2 + Fraction(1, 10**15)


def test_counts_of_bins_are_those_of_their_cells():
    """Zeros and missing values have bins of their own, between and after those of other values."""
    values = [-5e4, -5e4, 0.0, 0.0, 0.0, 1e3, 9.99e5, None]
    rule = ValueRule(LOW, HIGH, "both")
    found = cells(frame(values), rule, SIGNED).bin_counts(np.array([0]), ONE_ROW).value[0]
    assert found.size == SIGNED.bins == 2 * 31 + 2
    assert found[SIGNED.zero_bin] == 3
    assert found[SIGNED.zero_bin + 1] == 1
    assert found[[-2, -1]].tolist() == [1, 1]
    assert found[: SIGNED.zero_bin].sum() == 2
    centre = SIGNED.bin_centres[found[: SIGNED.zero_bin].argmax()]
    assert centre == pytest.approx(-5e4, rel=0.15)


def window_sum(
    totals: CellTotals, group: int, lower: int, upper: int, contribution: Contribution = ONE_ROW
) -> BoundedAnswer:
    """What one group holds in one window."""
    window = Windows(np.array([lower]), np.array([upper]))
    return totals.window_sums(np.array([group]), window, contribution)


def test_window_sums_are_those_of_the_groups_with_the_largest_bound():
    totals = cells(pa.table({"g": ["a"] * 3 + ["b"] * 2, "x": [2e3, 4e3, 8e3, 5e4, 6e4]}))
    windows = Windows(np.array([36, 0]), np.array([37, GRID.value_cells]))
    together = totals.window_sums(np.array([1, 0]), windows, ONE_ROW)
    each = [window_sum(totals, 1, 36, 37), window_sum(totals, 0, 0, GRID.value_cells)]
    assert together.value.tolist() == [answer.value[0].tolist() for answer in each]
    assert together.sensitivity.r == max(answer.sensitivity.r for answer in each)
    assert each[0].sensitivity.r != each[1].sensitivity.r


@pytest.mark.parametrize(
    ("lower", "upper"), [(0, 125), (80, 84), (80, 81), (0, 1), (62, 63), (30, 90), (61, 70), (20, 50)]
)
def test_window_sum_is_the_sum_of_clipped_values(lower: int, upper: int):
    rng = np.random.default_rng(2)
    values = np.exp(rng.uniform(np.log(500), np.log(2e6), 1_000)) * rng.choice([-1, 0, 1], 1_000)
    a, b = SIGNED.edges[lower], SIGNED.edges[upper]
    rule = ValueRule(LOW, HIGH, "both")
    totals = cells(frame([*values.tolist(), None, None]), rule, SIGNED)
    answer = window_sum(totals, 0, lower, upper)
    expected = ((np.clip(rule.apply(values), a, b) - (a + b) / 2) / (b - a)).sum()
    assert answer.value[0, 0] == pytest.approx(expected, rel=1e-7, abs=1e-5)
    places = SIGNED.cells_of(rule.apply(values))
    assert answer.value[0, 1] == OUTSIDE_WEIGHT * ((places < lower) | (places >= upper)).sum()
    assert answer.sensitivity.provenance == "enforced"
    assert answer.sensitivity.r == pytest.approx(math.hypot(1, OUTSIDE_WEIGHT), rel=1e-3)
    assert answer.sensitivity.r > math.hypot(1, OUTSIDE_WEIGHT)
    person = Contribution(3.0, 7.0, sizes_public=False)
    expected = math.hypot(7, 3 * OUTSIDE_WEIGHT)
    assert window_sum(totals, 0, lower, upper, person).sensitivity.r == pytest.approx(expected, rel=1e-3)


def test_sensitivity_has_room_for_the_rounding_of_many_records():
    """The quotient of a large integer sum is rounded once, by up to 2^-53 of it, for each neighbour."""
    counts = np.zeros((1, GRID.cells), dtype=np.int64)
    counts[0, -2] = 2**38
    sums = np.zeros((1, GRID.cells), dtype=np.object_)
    answer = window_sum(CellTotals(("a",), counts, sums, GRID, RULE), 0, 1, 2)
    assert answer.value[0, 0] == 2**37
    assert Fraction(answer.sensitivity.r) > 1 + Fraction(2**38, 2**52)


@pytest.mark.parametrize("rule", RULES)
def test_narrow_cells_joined_are_the_wide_ones(rule: ValueRule):
    rng = np.random.default_rng(6)
    values = [
        None,
        0.0,
        -2e3,
        LOW,
        HIGH,
        *(10 ** rng.uniform(2.5, 6.5, 200)),
        *(-(10 ** rng.uniform(3, 6, 50))),
    ]
    grid = SignedGrid(LogGrid.over(LOW, HIGH), rule.signs, rule.missing == "leave out")
    wide, joined = cells(frame(values), rule, grid), cells(frame(values), rule, grid.fine).coarse
    assert joined.grid == wide.grid
    assert joined.counts.tolist() == wide.counts.tolist()
    assert joined.sums.tolist() == wide.sums.tolist()
    assert wide.coarse is wide
    shared = np.isin(grid.edges.round(6), grid.fine.edges.round(6))
    assert shared.all(), "wide cells are unions of narrow ones"
