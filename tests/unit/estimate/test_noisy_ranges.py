"""Ranges read from noisy counts: noise never gives a far range, and odd columns are found or left out."""

import math
from typing import Any

import numpy as np
import pytest

from relgauss.accounting import GaussianDP
from relgauss.estimate.column_ranges import ColumnRanges, Columns, StatedBounds, find_ranges
from relgauss.estimate.noisy_ranges import (
    CoarseRange,
    Span,
    grow,
    is_apart,
    reach_outward,
    read_linear,
    read_signed,
    standing_out,
    trim,
)
from relgauss.records.blocks import ArrayRows
from relgauss.spending import Spending

EDGES = 4.0 ** np.arange(-50, 51)
ZERO = len(EDGES) - 1
COUNT = 10_000


def signed(noise: np.ndarray | float = 0.0, **counts: float) -> np.ndarray:
    """A signed grid: up3=500 puts 500 records into the positive cell that ends at 4^3, zero=9 into zero's."""
    cells = np.zeros(2 * ZERO + 1) + noise
    for name, count in counts.items():
        side = {"u": 1, "d": -1, "z": 0}[name[0]]
        power = 0 if name == "zero" else int(name.removeprefix("up").removeprefix("down").replace("m", "-"))
        cells[ZERO + side * (50 + power)] += count
    return cells


def test_a_run_stands_out_that_no_cell_does():
    counts = np.zeros(40)
    counts[10:14] = 3.0
    assert standing_out(counts, 1.0, 4.5) == Span(10, 13)
    assert standing_out(counts, 1.0, 6.5) is None
    assert standing_out(np.array([5.0]), 1.0, 4.5) == Span(0, 0)


def test_a_neighbour_takes_little_and_a_far_cell_much():
    for gap, enough in ((0, 2.1), (1, 4.1), (10, 8.1)):
        counts = np.zeros(30)
        counts[gap] = enough
        assert reach_outward(counts, 1.0, 6.0) == gap + 1
        counts[gap] = enough - 0.2
        assert reach_outward(counts, 1.0, 6.0) == 0


def test_a_span_grows_to_nearly_all_records_and_no_further():
    counts = np.array([0.0, 10, 30, 100, 800, 60, 0, 0])
    assert grow(counts, Span(4, 4), 1000) == Span(3, 5)
    assert grow(counts, Span(4, 4), 800) == Span(4, 4)
    assert grow(counts, Span(4, 4), 10**6) == Span(0, 7)


def test_ends_that_noise_may_have_made_are_trimmed_while_nearly_all_are_left():
    counts = np.array([0.0, 3.0, 960.0, 30.0, 2.0])
    assert trim(counts, 1.0, Span(1, 4), 1000) == Span(2, 3)
    assert trim(counts, 10.0, Span(1, 4), 1000) == Span(2, 2)
    assert trim(counts, 10.0, Span(1, 4), 1040) == Span(2, 3)
    assert trim(counts, 10.0, Span(2, 2), 1000) == Span(2, 2)


def test_a_neighbour_of_noise_does_not_hide_that_finer_cells_are_needed():
    counts = np.zeros(16)
    counts[7:10] = 5_000.0, 5_000.0, 25.0
    assert read_linear(counts, 10.0, COUNT) == Span(7, 8)
    counts[9] = 45.0
    assert read_linear(counts, 10.0, COUNT) == Span(7, 9)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        (signed(up2=COUNT), CoarseRange(4.0, 16.0, True)),
        (signed(down2=COUNT), CoarseRange(-16.0, -4.0, True)),
        (signed(up2=COUNT / 2, up1=COUNT / 2), CoarseRange(0.0, 16.0, False)),
        (signed(up2=COUNT / 2, down1=COUNT / 2), CoarseRange(-4.0, 16.0, False)),
        (signed(zero=0.98 * COUNT, up2=0.02 * COUNT), CoarseRange(0.0, 16.0, False)),
        (signed(zero=0.6 * COUNT, down2=0.4 * COUNT), CoarseRange(-16.0, 0.0, False)),
        (signed(zero=COUNT), CoarseRange(0.0, 0.0, False)),
        (signed(upm40=COUNT / 2, up40=COUNT / 2), CoarseRange(0.0, 4.0**40, False)),
        (signed(up5=COUNT - 1, up50=1), CoarseRange(4.0**4, 4.0**5, True)),
        (signed(), None),
    ],
    ids=[
        "one cell",
        "one negative cell",
        "one sign",
        "both signs",
        "98 % zeros",
        "60 % zeros",
        "zeros only",
        "two far clusters",
        "one giant",
        "nothing",
    ],
)
def test_what_a_signed_grid_shows(counts: np.ndarray, expected: CoarseRange | None):
    assert read_signed(counts, 10.0, COUNT, EDGES) == expected


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        (signed(up2=0.5 * COUNT, up1=0.48 * COUNT, down7=0.02 * COUNT), CoarseRange(0.0, 16.0, False)),
        (signed(up2=0.86 * COUNT, up5=0.14 * COUNT), CoarseRange(0.0, 16.0, False)),
        (signed(up2=0.8 * COUNT, up5=0.2 * COUNT), CoarseRange(0.0, 4.0**5, False)),
        (signed(up2=0.9 * COUNT, up4=0.1 * COUNT), CoarseRange(0.0, 4.0**4, False)),
        (signed(up2=0.88 * COUNT, up4=0.04 * COUNT, up6=0.08 * COUNT), CoarseRange(0.0, 4.0**6, False)),
        (signed(zero=0.9 * COUNT, up2=0.09 * COUNT, up9=0.01 * COUNT), CoarseRange(0.0, 16.0, False)),
        (signed(up2=COUNT), CoarseRange(4.0, 16.0, True)),
    ],
    ids=["a code", "one in seven", "more", "near", "on the way", "beside zeros", "nothing far"],
)
def test_a_range_of_the_many_leaves_out_few_that_lie_far_beyond(counts: np.ndarray, expected: CoarseRange):
    assert read_signed(counts, 10.0, COUNT, EDGES, leaves_far=True) == expected


def test_one_cell_is_apart_if_its_neighbours_hold_next_to_nothing_and_far_ones_stand_out():
    counts = np.zeros(16)
    counts[3], counts[15] = 0.97 * COUNT, 0.03 * COUNT
    assert is_apart(counts, 10.0, Span(3, 3), COUNT)
    assert read_linear(counts, 10.0, COUNT, leaves_far=True) == Span(3, 3)
    assert read_linear(counts, 10.0, COUNT / 2, leaves_far=True) == Span(3, 3)
    assert read_linear(counts, 10.0, 2 * COUNT, leaves_far=True) == Span(0, 15)  # where are all the others?
    assert not is_apart(counts, 300.0, Span(3, 3), COUNT)  # noise as large as what is next to it
    assert not is_apart(counts, 100.0, Span(3, 3), COUNT)  # noise as large as what is far
    counts[5] = 0.02 * COUNT
    assert not is_apart(counts, 10.0, Span(3, 3), COUNT)


def test_where_some_are_not_zero_less_is_needed_to_see_them():
    """4.2 noise levels on one side, of values of which it is known that they are not zero."""
    found = read_signed(signed(zero=0.95 * COUNT, up2=126.0), 30.0, COUNT, EDGES)
    assert found == CoarseRange(0.0, 16.0, False)
    assert read_signed(signed(zero=COUNT, up2=126.0), 30.0, COUNT, EDGES) == CoarseRange(0.0, 0.0, False)
    assert read_signed(signed(up2=126.0), 30.0, COUNT, EDGES) is None


def test_noise_alone_hardly_ever_gives_a_range():
    """Of 3,000 columns of noise, about 400 cells each, some pass 4.5 levels: one of a hundred at most."""
    rng = np.random.default_rng(0)
    found = [read_signed(signed(rng.normal(size=2 * ZERO + 1)), 1.0, COUNT, EDGES) for _ in range(3_000)]
    assert sum(each is not None for each in found) <= 30


def test_noise_never_makes_a_range_far_too_wide():
    """300 records at 9 noise levels: what noise adds to them is a few cells, once in many columns more."""
    rng = np.random.default_rng(1)
    ends = []
    for _ in range(3_000):
        noise = rng.normal(size=2 * ZERO + 1) * 33.0
        found = read_signed(signed(noise, up1=150, down1=150), 33.0, 300, EDGES)
        if found is not None:
            ends.append(max(abs(found.low), abs(found.high)))
    assert np.mean(np.array(ends) > 4.0**4) < 0.01
    assert np.median(ends) == 4.0


def test_cells_of_equal_width():
    counts = np.zeros(16)
    assert read_linear(counts, 1.0, COUNT) is None
    counts[5:9] = COUNT / 4
    assert read_linear(counts, 1.0, COUNT) == Span(5, 8)
    counts[15] = 100.0  # far, and many noise levels
    assert read_linear(counts, 1.0, COUNT) == Span(5, 15)


# Columns of records


def search(
    *columns: np.ndarray, mu: float = 1.0, stated: Any = None, seed: int = 0, leaves_far: bool = False
) -> ColumnRanges:
    table = np.column_stack(columns)
    rows = ArrayRows(table[:, :-1], table[:, -1])
    bounds = StatedBounds.none(len(columns)) if stated is None else StatedBounds(*np.array(stated).T)
    spending = Spending(GaussianDP(mu), np.random.default_rng(seed))
    every = Columns(len(columns) - 1, True)
    return find_ranges(rows, every, bounds, spending, 1.0, leaves_far=leaves_far)


RNG = np.random.default_rng(7)
NORMAL = RNG.normal(size=COUNT)


def zeros(part: float) -> np.ndarray:
    return np.where(RNG.random(COUNT) < part, 0.0, np.exp(1.5 * RNG.normal(size=COUNT)))


@pytest.mark.parametrize("part", [0.6, 0.8, 0.95, 0.98])
def test_columns_of_many_zeros_are_seen_where_they_differ(part: float):
    found = search(zeros(part), NORMAL)
    assert found.seen.all()
    assert found.low[0] <= 0 < 1 < found.high[0] < 200


def test_dates_and_large_units_are_found():
    dates, large = 1.7e9 + 3e7 * RNG.random(COUNT), 1e16 * (5 + NORMAL)
    found = search(dates, large, 1e25 * NORMAL, 1e-25 * NORMAL)
    assert found.seen.all()
    for values, low, high in zip((dates, large), found.low, found.high, strict=False):
        inside = np.mean((values >= low) & (values <= high))
        assert inside > 0.94
        assert high - low < 3 * np.ptp(values)


def test_two_far_clusters_become_one_range():
    found = search(np.where(RNG.random(COUNT) < 0.3, 1e6 + NORMAL, NORMAL), NORMAL)
    assert found.seen.all()
    assert 1e6 / 4 < found.high[0] < 4e6


def coded(values: np.ndarray, code: float, part: float) -> np.ndarray:
    return np.where(np.random.default_rng(8).random(COUNT) < part, code, values)


@pytest.mark.parametrize("code", [-9999.0, 999.0, 99_999.0, -1e6])
@pytest.mark.parametrize("part", [0.02, 0.1])
def test_a_code_among_values_does_not_hide_them(code: float, part: float):
    ages, pressure = 40 + 5 * NORMAL, 1013 + 8 * NORMAL
    found = search(coded(ages, code, part), coded(pressure, 1000 * code, part), NORMAL, leaves_far=True)
    assert found.seen.all()
    for values, low, high in zip((ages, pressure), found.low, found.high, strict=False):
        assert np.mean((values >= low) & (values <= high)) > 0.95
        assert high - low < 20 * values.std()


def test_far_values_are_kept_of_labels_and_within_stated_bounds():
    far = coded(40 + 5 * NORMAL, 99_999.0, 0.02)
    found = search(far, far, leaves_far=True, stated=[(0.0, 1e5), (math.nan, math.nan)])
    assert (found.high > 90_000).all()


def test_where_the_many_are_alike_few_far_ones_are_the_spread():
    found = search(coded(np.ones(COUNT), 12.0, 0.03), NORMAL, leaves_far=True)
    assert found.seen.all()
    assert found.low[0] <= 1 < 12 <= found.high[0]


def test_one_giant_changes_nothing():
    giant = NORMAL.copy()
    giant[0] = 1e15
    found = search(giant, NORMAL)
    assert found.high[0] < 10


def test_a_constant_column_is_located_and_has_no_spread():
    found = search(np.full(COUNT, 5.0), np.zeros(COUNT), NORMAL)
    assert found.seen.tolist() == [False, False, True]
    assert found.located.all()
    assert found.low[0] <= 5.0 <= found.high[0]


def test_a_column_beyond_the_grid_is_not_seen():
    found = search(1e300 * (5 + NORMAL), NORMAL)
    assert found.seen.tolist() == [False, True]


@pytest.mark.parametrize("seed", range(5))
def test_bounds_are_searched_within(seed: int):
    found = search(NORMAL, 3 + NORMAL, seed=seed, stated=[(-100.0, 100.0), (math.nan, math.nan)])
    assert found.seen.all()
    assert -40 < found.low[0] < -1 < 1 < found.high[0] < 40
    assert found.low[1] < 2 < 4 < found.high[1]


@pytest.mark.parametrize("factor", [1e2, 1e5, 1e10, 1e30])
def test_bounds_that_are_far_too_wide_are_no_harm(factor: float):
    years = 2000 + 5 * NORMAL
    for seed in range(5):
        found = search(NORMAL, years, seed=seed, mu=0.2, stated=[(-1e4 * factor, 1e4 * factor)] * 2)
        assert found.seen.all()
        for values, low, high in zip((NORMAL, years), found.low, found.high, strict=True):
            assert np.mean((values >= low) & (values <= high)) > 0.94
            assert high - low < 40 * values.std()


def test_far_too_wide_bounds_cost_no_more_than_the_share():
    table = np.column_stack([NORMAL, NORMAL])
    spending = Spending(GaussianDP(1.0), np.random.default_rng(0))
    stated = StatedBounds(np.full(2, -1e9), np.full(2, 1e9))
    find_ranges(ArrayRows(table[:, :1], table[:, 1]), Columns(1, True), stated, spending, 0.2)
    assert spending.left >= 0.8 - 1e-12


def test_bounds_of_some_columns_only_are_searched_within():
    """Columns are told apart, whichever of them have bounds."""
    stated = [(-1e9, 1e9), (math.nan, math.nan), (0.0, 100.0)]
    found = search(NORMAL, 1e6 * NORMAL, 50 + NORMAL, stated=stated)
    assert found.seen.all()
    for size, width in zip((1.0, 1e6, 1.0), found.high - found.low, strict=True):
        assert 2 * size < width < 40 * size


def test_bounds_that_hold_nobody_are_recognised():
    found = search(NORMAL, NORMAL, stated=[(100.0, 101.0), (2.0, 2.0)])
    assert not found.seen.any()


def test_stated_bounds_spare_the_first_grid():
    table = np.column_stack([NORMAL, NORMAL])
    left = []
    for stated in (StatedBounds.none(2), StatedBounds(np.full(2, -5.0), np.full(2, 5.0))):
        spending = Spending(GaussianDP(1.0), np.random.default_rng(0))
        find_ranges(ArrayRows(table[:, :1], table[:, 1]), Columns(1, True), stated, spending, 0.2)
        left.append(spending.left)
    assert left[1] - left[0] == pytest.approx(0.2 * 0.45)


def rare(count: int) -> np.ndarray:
    """Nine in a hundred are not zero."""
    rng = np.random.default_rng(7)
    return np.where(rng.random(count) < 0.91, 0.0, np.exp(5 + rng.normal(size=count)))


def test_a_label_that_hides_among_many_columns_is_looked_for_by_itself():
    """At this mu the cells of 21 columns together mostly hide 900 records, those of one do not."""
    found = [search(*[NORMAL] * 20, rare(COUNT), mu=0.055, seed=seed) for seed in range(10)]
    assert sum(bool(each.seen[-1]) for each in found) >= 8


def test_a_second_look_costs_no_more_than_the_share():
    rows = ArrayRows(np.column_stack([1e4 + NORMAL] * 20), rare(COUNT))
    for seed in range(5):
        spending = Spending(GaussianDP(0.055), np.random.default_rng(seed))
        find_ranges(rows, Columns(20, True), StatedBounds.none(21), spending, 0.2)
        assert spending.left >= 0.8 - 1e-12


def test_a_far_part_of_a_bounded_label_is_not_lost_to_a_closer_look():
    """One label in seven is 1, the others are -1."""
    label = np.where(np.arange(COUNT) % 7, -1.0, 1.0)
    columns, stated = [NORMAL] * 18 + [label], [(-5.0, 5.0)] * 18 + [(-1.0, 1.0)]
    found = [search(*columns, mu=0.035, seed=seed, stated=stated) for seed in range(20)]
    kept = [each.high[-1] - each.low[-1] > 0.5 for each in found]
    assert sum(kept) >= 18


def test_that_zeros_are_counted_with_noise_does_not_widen_a_range():
    """500 records of 5,000 are not zero, none above 600; one noise level fewer zeros seem to leave 600."""
    rng, normal = np.random.default_rng(7), NORMAL[:5_000]
    label = np.where(rng.random(5_000) < 0.1, rng.uniform(100, 600, 5_000), 0.0)
    found = search(normal, normal, normal, normal, label, mu=0.05, seed=7)
    assert 256 < found.high[-1] < 4096
