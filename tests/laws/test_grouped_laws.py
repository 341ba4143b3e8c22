"""Replacing one record of a group moves what is released by no more than the stated sensitivities."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relgauss.bounded.answer import BoundedAnswer
from relgauss.grouped.assumed_spread import relative_sensitivity
from relgauss.grouped.contribution import ONE_ROW, Contribution
from relgauss.grouped.person_bounds import PersonBounds
from relgauss.grouped.signed_grid import LogGrid, Ramps, SignedGrid, Signs, Windows
from relgauss.grouped.totals import CellTotals, GroupTotals
from relgauss.grouped.value_rule import ValueRule

RANGES = [(1e3, 1e6), (1e-6, 1e12), (7.0, 7.5), (0.3, 2e5)]


def totals(
    values: list[float | None], low: float, high: float, signs: Signs = "positive", *, fine: bool = False
) -> CellTotals:
    """What the SQL pass makes of one group, in the same arithmetic: clip, take the logarithm, round, add."""
    grid, rule = SignedGrid(LogGrid.over(low, high), signs), ValueRule(low, high, signs)
    grid = grid.fine if fine else grid
    counts = np.zeros((1, grid.cells), dtype=np.int64)
    sums = np.zeros((1, grid.cells), dtype=np.object_)
    for value in values:
        x = math.nan if value is None else float(rule.apply(value))
        cell = grid.cells_of(np.array([x]))[0]
        counts[0, cell] += 1
        sums[0, cell] += 0 if value is None else rule.units(x)
    return CellTotals(("a",), counts, sums, grid, rule)


def values_in(low: float, high: float) -> st.SearchStrategy[float | None]:
    """Anything, with a liking for the edges of cells, where a logarithm may err; also 0 and nothing."""
    edges = st.sampled_from(SignedGrid(LogGrid.over(low, high)).fine.magnitudes.edges.tolist())
    beside = st.tuples(edges, st.integers(-4, 4)).map(lambda pair: pair[0] * (1 + pair[1] * 2.0**-52))
    positive = st.one_of(st.floats(low / 2, high * 2), edges, beside)
    return st.one_of(positive, positive.map(lambda x: -x), st.sampled_from([0.0, None]))


@st.composite
def neighbours(draw: st.DrawFn) -> tuple[CellTotals, CellTotals, int, int]:
    low, high = draw(st.sampled_from(RANGES))
    signs = draw(st.sampled_from(["positive", "both"]))
    value = values_in(low, high)
    others, cells_are = draw(st.lists(value, max_size=6)), draw(st.sampled_from(["wide", "fine", "joined"]))
    one, other = (
        totals([*others, draw(value)], low, high, signs, fine=cells_are != "wide") for _ in range(2)
    )
    if cells_are == "joined":
        one, other = one.coarse, other.coarse
    cells = one.grid.value_cells
    lower = draw(st.integers(0, cells - 1))
    upper = draw(st.integers(lower + 1, cells))
    return one, other, lower, upper


def window_sum(
    totals: CellTotals, lower: int, upper: int, contribution: Contribution = ONE_ROW
) -> BoundedAnswer:
    """What the only group holds in a window."""
    return totals.window_sums(np.array([0]), Windows(np.array([lower]), np.array([upper])), contribution)


@given(neighbours())
@settings(max_examples=200)
def test_a_window_sum_moves_by_no_more_than_its_sensitivity(case: tuple[CellTotals, CellTotals, int, int]):
    one, other, lower, upper = case
    first, second = (window_sum(each, lower, upper) for each in (one, other))
    assert first.sensitivity == second.sensitivity
    assert distance_squared(first, second) <= Fraction(first.sensitivity.r) ** 2


def distance_squared(first: BoundedAnswer, second: BoundedAnswer) -> Fraction:
    pairs = zip(first.value.ravel().tolist(), second.value.ravel().tolist(), strict=True)
    return sum(((Fraction(one) - Fraction(other)) ** 2 for one, other in pairs), Fraction(0))


def test_a_window_sum_can_move_by_one():
    one, other = totals([5e4, 1e3], 1e3, 1e6), totals([5e4, 1e6], 1e3, 1e6)
    first, second = (window_sum(each, 10, 20) for each in (one, other))
    assert second.value[0, 0] - first.value[0, 0] == pytest.approx(1.0)


@given(st.integers(1, 5), st.lists(values_in(1e3, 1e6), max_size=5), st.data())
def test_a_person_of_many_rows_moves_a_window_sum_by_no_more(
    rows: int, others: list[float | None], data: st.DataObject
):
    """Centred sums: each of a person's rows adds between -1/2 and 1/2, and a row left out adds 0."""
    person = Contribution(rows * math.sqrt(2), float(rows), sizes_public=False)
    theirs = [data.draw(st.lists(values_in(1e3, 1e6), max_size=rows)) for _ in range(2)]
    first, second = (window_sum(totals([*others, *mine], 1e3, 1e6), 10, 20, person) for mine in theirs)
    assert distance_squared(first, second) <= Fraction(first.sensitivity.r) ** 2


WIDTHS = [(0, 1), (10, 11), (10, 20), (3, 30)]  # windows from one cell on: the rounding of logarithms differs


@given(st.integers(1, 3), st.integers(1, 3), st.data())
@settings(max_examples=60)
def test_sums_of_batches_with_noise_of_their_own_cost_a_person_no_more_than_one(
    rows: int, most: int, data: st.DataObject
):
    """Each group is a batch: the squares of moves over sensitivities add up to at most 1 over all of them."""
    bounds = PersonBounds(rows, most)
    held = st.lists(values_in(1e3, 1e6), min_size=1, max_size=rows)
    theirs = [data.draw(st.dictionaries(st.integers(0, 5), held, max_size=most)) for _ in range(2)]
    windows = {group: data.draw(st.sampled_from(WIDTHS)) for group in {*theirs[0], *theirs[1]}}
    assert cost_of_batches(bounds, theirs, windows) <= 1


def test_the_cost_of_batches_is_nearly_reached():
    """A sensitivity smaller by 5 % would fail: all rows of both, at opposite ends of the same windows."""
    bounds = PersonBounds(2, 3)
    theirs: list[dict[int, list[float | None]]] = [{g: [x, x] for g in range(3)} for x in (1e3, 1e6)]
    assert cost_of_batches(bounds, theirs, dict.fromkeys(range(3), (10, 20))) * Fraction("1.05") ** 2 > 1


def cost_of_batches(
    bounds: PersonBounds, theirs: list[dict[int, list[float | None]]], windows: dict[int, tuple[int, int]]
) -> Fraction:
    person = Contribution(bounds.row_counts, bounds.centred_sums, sizes_public=False)
    cost = Fraction(0)
    for group, (lower, upper) in windows.items():
        of_both = [totals([5e4, *mine.get(group, [])], 1e3, 1e6) for mine in theirs]
        first, second = (window_sum(each, lower, upper, person) for each in of_both)
        cost += distance_squared(first, second) / Fraction(first.sensitivity.r) ** 2
    return cost


@st.composite
def ramps_over(draw: st.DrawFn, cells: int) -> Ramps:
    """One to three ramps whose ends rise, or stay."""
    count = draw(st.integers(1, 3))
    lower = sorted(draw(st.lists(st.integers(0, cells - 1), min_size=count, max_size=count)))
    widths = draw(st.lists(st.integers(1, 4), min_size=count, max_size=count))
    upper = np.maximum.accumulate([min(low + w, cells) for low, w in zip(lower, widths, strict=True)])
    return Ramps(np.array([lower]), upper[None, :])


@given(neighbours(), st.data())
@settings(max_examples=300)
def test_numbers_about_ramps_move_by_no_more_than_their_sensitivity(
    case: tuple[CellTotals, CellTotals, int, int], data: st.DataObject
):
    one, other, *_ = case
    ramps = data.draw(ramps_over(one.grid.value_cells))
    first, second = (each.ramp_counts(np.array([0]), ramps, ONE_ROW) for each in (one, other))
    assert first.sensitivity == second.sensitivity
    moved = [Fraction(x) - Fraction(y) for x, y in zip(first.value[0], second.value[0], strict=True)]
    assert sum((each**2 for each in moved), Fraction(0)) <= Fraction(first.sensitivity.r) ** 2
    assert first.value.sum() == pytest.approx(one.counts[0, : one.grid.value_cells].sum())


def test_numbers_about_ramps_are_right_however_large_sums_get():
    """Ten thousand values at the top of the widest range: values must not decide on an overflow."""
    low, high = 1.0, 2.0**64
    one = totals([high], low, high)
    many = CellTotals(one.groups, one.counts * 10_000, one.sums * 10_000, one.grid, one.rule)
    last = one.grid.value_cells
    ramps = Ramps(np.array([[1, last - 1]]), np.array([[2, last]]))
    numbers = many.ramp_counts(np.array([0]), ramps, ONE_ROW).value[0]
    assert numbers.tolist() == pytest.approx([0, 0, 10_000])


def test_numbers_about_ramps_can_move_by_root_two():
    """From below all ramps to above them: a sensitivity smaller by 1 % would fail."""
    ramps = Ramps(np.array([[10, 20]]), np.array([[12, 25]]))
    one, other = totals([5e4, 1e3], 1e3, 1e6), totals([5e4, 1e6], 1e3, 1e6)
    first, second = (each.ramp_counts(np.array([0]), ramps, ONE_ROW) for each in (one, other))
    assert np.linalg.norm(first.value - second.value) > 0.99 * first.sensitivity.r


@given(neighbours())
def test_counts_move_by_no_more_than_root_two(case: tuple[CellTotals, CellTotals, int, int]):
    one, other, *_ = case
    first, second = (each.bin_counts(np.array([0]), ONE_ROW) for each in (one, other))
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
@settings(max_examples=150)
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
