"""Grid, shapes, fit, windows and mixtures, each against an independent computation."""

import math

import numpy as np
import pytest
from scipy import integrate

from relgauss.errors import InvalidParameterError
from relgauss.grouped.contribution import ONE_ROW
from relgauss.grouped.measure_column import measure_column
from relgauss.grouped.noisy_measurements import NoisyCounts
from relgauss.grouped.placed_shapes import placed_shapes
from relgauss.grouped.shape_fit import fit_shapes
from relgauss.grouped.shape_weights import learn_shape_prior
from relgauss.grouped.shapes import ALL_SHAPES
from relgauss.grouped.sides import choose_windows, compose_groups, fit_sides
from relgauss.grouped.signed_grid import LogGrid, SignedGrid
from relgauss.grouped.totals import CellTotals
from relgauss.grouped.value_rule import ValueRule

GRID = LogGrid.over(1e3, 1e6)
SHAPES = placed_shapes(GRID)


def counts_of(values: np.ndarray, noise_std: float = 0.5) -> NoisyCounts:
    """Counts without noise, with a noise level that the fit believes in."""
    counts, _ = np.histogram(values, GRID.edges[::2])
    return NoisyCounts(np.array([float(values.size)]), counts[None, :].astype(float), np.array([noise_std]))


def window_of(counts: NoisyCounts, noise_per_width: float = 0.01) -> tuple[float, float]:
    """The window for these counts of positive bins; there are no zeros and no missing values."""
    grid = SignedGrid(GRID)
    values = np.pad(counts.values, ((0, 0), (1, 1)))
    every = NoisyCounts(counts.sizes, values, counts.noise_std)
    parts = compose_groups(grid, SHAPES, every)
    sides = fit_sides(grid, SHAPES, SHAPES.log_prior, every, parts)
    windows = choose_windows(grid, sides, parts, counts.sizes, np.array([noise_per_width]))
    return grid.edges[windows.lower[0]], grid.edges[windows.upper[0]]


# Grid


@pytest.mark.parametrize(
    ("low", "high", "bins"), [(1e3, 1e6, 31), (1, 1.25, 1), (1, 1.1, 1), (1e-6, 1e12, 128)]
)
def test_bins_of_a_range(low: float, high: float, bins: int):
    grid = LogGrid.over(low, high)
    assert grid.bins == bins
    assert (grid.edges[0], grid.edges[-1]) == (low, high)
    assert np.diff(np.log(grid.edges)) == pytest.approx(np.full(2 * bins, grid.step))


@pytest.mark.parametrize(
    "ends",
    [(0, 1), (-1, 1), (1, 1), (2, 1), (1, math.inf), (math.nan, 1), (1, 2.0**65), (1e-200, 1e-190), ("a", 1)],
)
def test_what_is_no_range(ends: tuple[float, float]):
    with pytest.raises(InvalidParameterError):
        LogGrid.over(*ends)


# Shapes


def test_every_shape_is_a_distribution_at_every_position():
    assert len(SHAPES.below) == len(ALL_SHAPES) * SHAPES.positions
    assert (np.diff(SHAPES.below, axis=1) >= 0).all()
    assert SHAPES.bin_shares.sum(axis=1) == pytest.approx(np.ones(len(SHAPES.below)))
    assert np.exp(SHAPES.log_prior[:: SHAPES.positions]).sum() == pytest.approx(1.0)


@pytest.mark.parametrize("shape", range(len(ALL_SHAPES)))
def test_a_shape_has_the_spread_that_it_says(shape: int):
    peaks = ALL_SHAPES[shape]

    def moment(power: int) -> float:
        """E x^k = integral of k x^(k-1) (1 - F) above 0, less k x^(k-1) F below."""
        x = np.linspace(0, 40, 40_001)
        above, below = (1 - sum(each.below(x) for each in peaks), sum(each.below(-x) for each in peaks))
        return integrate.trapezoid(power * x ** (power - 1) * (above + (-1) ** power * below), x)

    variance = moment(2) - moment(1) ** 2
    assert SHAPES.spread[shape * SHAPES.positions] == pytest.approx(math.sqrt(variance), rel=0.02)


@pytest.mark.parametrize("row", [40, 500, 900, 1500, 2000])
def test_clipping_a_shape_moves_its_mean_by_shortfall_and_excess(row: int):
    """E(a-X)+ is the integral of the distribution function below a, E(X-b)+ that of 1-F above b."""
    log_edges = GRID.log_edges
    fine = np.linspace(log_edges[0], log_edges[-1], 200_001)
    below = np.interp(fine, log_edges, SHAPES.below[row])
    x = np.exp(fine)
    shortfall = integrate.cumulative_trapezoid(below, x, initial=0)
    excess = integrate.trapezoid(1 - below, x) - integrate.cumulative_trapezoid(1 - below, x, initial=0)
    places = np.searchsorted(fine, log_edges[[5, 30, 50]] - 1e-12)
    mean = SHAPES.mean[row]
    assert SHAPES.shortfall[row, [5, 30, 50]] == pytest.approx(shortfall[places] / mean, rel=1e-3, abs=1e-5)
    assert SHAPES.excess[row, [5, 30, 50]] == pytest.approx(excess[places] / mean, rel=1e-3, abs=1e-5)
    assert mean == pytest.approx(1e3 + excess[0], rel=1e-4)


# Fit and windows


@pytest.mark.parametrize("centre", [3e3, 4.2e4, 3.7e5])
@pytest.mark.parametrize("spread", [0.02, 0.1, 0.4])
def test_the_window_surrounds_the_values(centre: float, spread: float):
    values = centre * np.exp(spread * np.random.default_rng(0).normal(size=2_000))
    low, high = window_of(counts_of(values))
    assert low < np.quantile(values, 0.05)
    assert high > np.quantile(values, 0.95)
    assert high / low < 3 * math.exp(10 * spread)  # the shapes have heavier flanks and second peaks


def test_much_noise_makes_a_narrow_window_and_little_noise_a_wide_one():
    values = 2e4 * np.exp(0.3 * np.random.default_rng(0).normal(size=500))
    ratios = [high / low for low, high in (window_of(counts_of(values), k) for k in (1e-4, 1e-2, 0.3))]
    assert ratios[0] > ratios[1] > ratios[2]


def test_counts_that_are_all_noise_leave_every_position_possible():
    noise = np.random.default_rng(1).normal(0, 50, (1, GRID.bins))
    fit = fit_shapes(SHAPES, SHAPES.log_prior, NoisyCounts(np.array([3.0]), noise, np.array([50.0])))
    by_position = fit.weights.dense().reshape(-1, SHAPES.positions).sum(axis=0)
    assert by_position.max() < 0.05
    assert not fit.unexplained.any()


def test_a_second_cluster_far_away_is_seen_and_kept():
    """Shapes with a minority are smooth where the many lie: one value over and over is left over there too.

    That is harmless to the window, which keeps the many anyway: the bounds below are what matters.
    """
    values = np.concatenate([np.full(900, 1e4), np.full(100, 3e5)])
    counts = counts_of(values, noise_std=5.0)
    found = np.flatnonzero(fit_shapes(SHAPES, SHAPES.log_prior, counts).unexplained > 50)
    assert [each for each in found if each != 10] == [25]  # 10 is the bin of the many
    low, high = window_of(counts, noise_per_width=1e-3)
    assert low <= 1e4
    assert high >= 3e5


def test_noise_is_not_taken_for_records_far_away():
    """One false record at the top of the range would widen a window to all of it. 3,000 groups, seeded."""
    rng = np.random.default_rng(5)
    values = 2e4 * np.exp(0.05 * rng.normal(size=150))
    exact, _ = np.histogram(values, GRID.edges[::2])
    noisy = exact + rng.normal(0, 11.0, (3000, GRID.bins))
    counts = NoisyCounts(np.full(3000, 150.0), noisy, np.full(3000, 11.0))
    unexplained = fit_shapes(SHAPES, SHAPES.log_prior, counts).unexplained
    assert not unexplained.any()


def test_answers_follow_the_scale():
    """Multiplying all values by a step of the grid moves the window by that step."""
    values = 2e4 * np.exp(0.2 * np.random.default_rng(3).normal(size=300))
    ratio = GRID.edges[2] / GRID.edges[0]
    low, high = window_of(counts_of(values))
    moved_low, moved_high = window_of(counts_of(values * ratio**4))
    assert (moved_low / low, moved_high / high) == pytest.approx((ratio**4, ratio**4))


def test_likely_shapes_keep_nearly_all_weight():
    counts = counts_of(2e4 * np.exp(0.1 * np.random.default_rng(3).normal(size=300)))
    fit = fit_shapes(SHAPES, SHAPES.log_prior, counts)
    likely, weights = fit.weights.likely()
    assert likely.shape[1] < 500
    assert weights.sum() == pytest.approx(1, abs=1e-6)
    assert weights[0] == pytest.approx(fit.weights.dense()[0, likely[0]])


def test_few_likely_shapes_are_averaged_as_many_are():
    """Products skip zeros where nearly all weights are zero: the same sums."""
    clear = counts_of(2e4 * np.exp(0.02 * np.random.default_rng(3).normal(size=3000)))
    blurred = counts_of(np.full(3, 2e4), 10.0)
    shares = []
    for counts in (clear, blurred):
        weights = fit_shapes(SHAPES, SHAPES.log_prior, counts).weights
        shares.append((weights.dense() > 0).mean())
        exact = weights.dense().astype(float) @ SHAPES.mean
        assert weights.average(SHAPES.mean) == pytest.approx(exact, rel=1e-5)
    assert shares[0] < 0.03 < shares[1]


def test_weights_of_some_groups_are_those_of_all():
    """Groups with few likely shapes and with many side by side, in another order, and one of them twice."""
    rows = [counts_of(2e4 * np.exp(np.linspace(-0.1, 0.1, 3000))), counts_of(np.full(3, 2e4), 10.0)]
    together = NoisyCounts(*(np.concatenate([getattr(row, name) for row in rows]) for name in vars(rows[0])))
    weights = fit_shapes(SHAPES, SHAPES.log_prior, together).weights
    for place, row in enumerate(rows):
        alone = fit_shapes(SHAPES, SHAPES.log_prior, row).weights
        assert weights.dense()[place] == pytest.approx(alone.dense()[0], rel=1e-5)
    chosen = np.array([1, 0, 1])
    assert np.array_equal(weights.rows(chosen).dense(), weights.dense()[chosen])
    assert weights.dense().sum(axis=1) == pytest.approx([1, 1], abs=1e-5)


def test_the_share_below_an_edge_is_that_of_the_table_of_all_shapes():
    rows, edges = np.divmod(np.arange(0, SHAPES.below.size, 977), SHAPES.below.shape[1])
    assert SHAPES.share_below(rows, edges) == pytest.approx(SHAPES.below[rows, edges], rel=1e-6)


def test_shapes_are_learned_and_positions_are_not():
    rng = np.random.default_rng(4)
    rows = [counts_of(rng.uniform(5e3, 2e5) * np.exp(0.02 * rng.normal(size=100)), 2.0) for _ in range(60)]
    together = NoisyCounts(*(np.concatenate([getattr(row, name) for row in rows]) for name in vars(rows[0])))
    prior = np.exp(learn_shape_prior(SHAPES, together.batches(25)).reshape(-1, SHAPES.positions))
    assert (prior == prior[:, :1]).all()
    assert prior[:, 0].sum() == pytest.approx(1)
    narrow, wide = prior[0, 0], prior[8, 0]
    assert narrow > 0.4
    assert wide < 0.03


def test_batches_cover_all_groups():
    counts = NoisyCounts(np.arange(10.0), np.ones((10, 3)), np.ones(10))
    parts = list(counts.batches(4))
    assert [len(part.sizes) for part in parts] == [4, 4, 2]
    assert np.concatenate([part.sizes for part in parts]).tolist() == list(range(10))


def test_some_groups_are_picked_evenly():
    counts = NoisyCounts(np.arange(10.0), np.arange(30.0).reshape(10, 3), np.ones(10))
    assert counts.at_most(10).sizes.tolist() == list(range(10))
    assert counts.at_most(4).sizes.tolist() == [0, 3, 6, 9]
    assert counts.at_most(4).values[1].tolist() == [9, 10, 11]


@pytest.mark.parametrize("groups", [4, 16])
def test_few_groups_do_not_learn_minorities_from_noise(groups: int):
    """Values within a quarter of each other, and nothing far above: means are usable."""
    rng, usable = np.random.default_rng(20), []
    grid, rule = SignedGrid(LogGrid.over(1.0, 1e8)), ValueRule(1.0, 1e8)
    for _ in range(64 // groups):
        values = 10 ** rng.uniform(2.5, 4.5, (groups, 1)) * np.exp(0.25 * rng.normal(size=(groups, 600)))
        counts = np.zeros((groups, grid.cells), dtype=np.int64)
        sums = np.zeros(counts.shape)
        for group, row in enumerate(rule.apply(values)):
            cells = grid.cells_of(row)
            counts[group] = np.bincount(cells, minlength=grid.cells)
            sums[group] = np.bincount(cells, row * 2.0**-rule.exponent, grid.cells)
        totals = CellTotals(tuple(range(groups)), counts, sums, grid, rule)
        usable += list(measure_column(totals, ONE_ROW, 0.2367, ["mean"], 0.95, rng).statistics["mean"].usable)
    assert np.mean(usable) > 0.9
