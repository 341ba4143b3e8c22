"""The small parts of a linear fit: cells, spans, thresholds, units, steps."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from relgauss.accounting import GaussianDP
from relgauss.arrays import symmetric_matrix, upper_triangle
from relgauss.bounded.histogram import log_cells, log_edges
from relgauss.bounded.moments import clip_weights
from relgauss.descent.descend import Landscape, State, average, shrink
from relgauss.descent.objectives import Logistic, Squared
from relgauss.estimate.column_ranges import Columns, StatedBounds, find_ranges
from relgauss.estimate.noisy_histogram import least_error_threshold, quantile_cell
from relgauss.estimate.quantiles import Quantile, find_quantiles, norms_of_rows
from relgauss.estimate.scaling import UNCLIPPED, feature_units, label_units
from relgauss.estimate.whitening import Whitening
from relgauss.records.blocks import BLOCK_ROWS, ArrayRows, row_norms, slices
from relgauss.spending import Noisy, Spending

finite = st.floats(-1e6, 1e6)


@given(st.integers(1, 6).flatmap(lambda d: arrays(float, (d, d), elements=finite)))
def test_symmetric_matrices_survive_their_vectors(matrix: np.ndarray):
    matrix = matrix + matrix.T
    vector = upper_triangle(matrix)
    dim = len(matrix)
    assert vector.shape == (dim * (dim + 1) // 2,)
    assert symmetric_matrix(vector, dim) == pytest.approx(matrix, rel=1e-15, abs=1e-300)
    assert np.linalg.norm(vector) == pytest.approx(np.linalg.norm(matrix), rel=1e-12)


@pytest.mark.parametrize("count", [0, 1, BLOCK_ROWS - 1, BLOCK_ROWS, BLOCK_ROWS + 1, 3 * BLOCK_ROWS + 5])
def test_slices_cover_every_row_once(count: int):
    assert [row for part in slices(count) for row in range(count)[part]] == list(range(count))


@given(st.floats(0, 1e300), st.floats(1e-6, 1e3), st.floats(1.1, 1e4), st.integers(1, 40))
def test_each_size_has_one_cell_and_lies_in_it(value: float, low: float, ratio: float, count: int):
    high = low * ratio
    (cell,) = log_cells(np.array([value]), low, high, count)
    assert 0 <= cell <= count
    edges = np.concatenate([[0.0], log_edges(low, high, count)])
    slack = 1e-9 * value
    assert value >= edges[cell] - slack
    assert value <= edges[cell + 1] + slack or cell == count


def test_cells_grow_with_the_value():
    values = np.concatenate([[0.0, 5e-324], np.geomspace(1e-12, 1e300, 20_000)])
    cells = log_cells(values, 0.5, 20.0, 24)
    assert (np.diff(cells) >= 0).all()
    assert set(cells) == set(range(25))


@given(arrays(float, st.integers(1, 40), elements=st.integers(0, 1000).map(float)), st.floats(0, 500))
def test_quantiles_without_noise_are_exact(counts: np.ndarray, above: float):
    cell = quantile_cell(counts, 0.0, above)
    assert counts[cell:].sum() <= above
    if cell > 0:
        assert counts[cell - 1 :].sum() > above


def test_quantiles_do_not_run_after_noise():
    counts = np.array([100.0, 1000.0, 50.0, 1.2, -0.7, 1.1])
    assert quantile_cell(counts, 1.0, 0.0) == 3


def test_the_threshold_balances_noise_and_bias():
    edges = np.concatenate([[0.0], np.geomspace(0.1, 100, 30)])
    counts = Noisy(np.zeros(30), 1.0)
    counts.value[:20] = 500.0
    chosen = [
        least_error_threshold(counts.value, counts.noise_std, edges, 10_000, noise)
        for noise in (1e-6, 1e-3, 1e-1, 10.0)
    ]
    assert chosen == sorted(chosen, reverse=True)
    assert chosen[0] == pytest.approx(edges[20])  # with no noise, nothing that is seen is clipped
    assert chosen[-1] == pytest.approx(edges[1])  # never zero


@given(arrays(float, 30, elements=st.floats(-1e9, 1e9)), st.floats(0, 1e6), st.floats(1e-9, 1e3))
def test_the_threshold_is_always_an_edge_above_zero(counts: np.ndarray, noise_std: float, noise: float):
    edges = np.concatenate([[0.0], np.geomspace(0.1, 100, 30)])
    chosen = least_error_threshold(counts, noise_std, edges, 1000, noise)
    assert chosen in edges[1:-1]


@given(st.floats(-1e5, 1e5), st.floats(1e-9, 1e9), st.booleans())
def test_units_and_back(away: float, width: float, centred: bool):
    low, high = away * width, away * width + width
    units = label_units(low, high, centred=centred, reach=1.0, within=(-math.inf, math.inf))
    ends = units.scaled(np.array([low, high]))
    assert np.abs(ends).max() == pytest.approx(1.0, rel=1e-9)
    assert [units.to_user(float(each)) for each in ends] == pytest.approx(
        [low, high], rel=1e-9, abs=1e-9 * width
    )


@given(st.integers(0, 2**32), st.booleans())
def test_coefficients_predict_the_same_in_both_units(seed: int, centred: bool):
    rng = np.random.default_rng(seed)
    low = rng.normal(size=3) * 10.0 ** rng.integers(-6, 6, size=3)
    high = low + 10.0 ** rng.integers(-6, 6, size=3)
    units = feature_units(low, high, np.array([True, True, False]), centred=centred, reach=1.0)
    rows, scaled = rng.uniform(low, high, size=(5, 3)), rng.normal(size=2)
    slopes = units.coefficients(scaled)
    assert (rows - units.middle) @ slopes == pytest.approx(units.scaled(rows) @ scaled, rel=1e-9, abs=1e-12)
    assert slopes[2] == 0
    assert units.scaled(rows).shape == (5, 2)


def test_scaled_values_stay_finite_and_within_reach():
    low, high, seen = np.array([-1e-15]), np.array([1e-15]), np.array([True])
    rows = np.array([[1.7e308], [-1.7e308], [0.0]])
    for reach in (1.0, 1.5, UNCLIPPED):
        units = feature_units(low, high, seen, centred=True, reach=reach)
        assert units.scaled(rows).ravel() == pytest.approx([reach, -reach, 0.0])


def test_values_are_clipped_to_what_was_found_and_to_public_bounds():
    within = np.array([-2.0, 0.0]), np.array([2.0, 10.0])
    found = np.array([-1.0, 0.0]), np.array([1.0, 8.0])
    units = feature_units(*found, np.ones(2, dtype=bool), centred=True, reach=1.5, within=within)
    assert (units.low.tolist(), units.high.tolist()) == ([-1.5, 0.0], [1.5, 10.0])
    label = label_units(0.0, 8.0, centred=True, reach=1.5, within=(0.0, 9.0))
    assert (label.fitted, label.predicted) == ((0.0, 9.0), (0.0, 9.0))
    free = label_units(0.0, 8.0, centred=True, reach=1.5, within=(-math.inf, math.inf))
    assert (free.fitted, free.predicted, free.largest) == ((-4.0, 12.0), (-2.0, 10.0), 2.0)


@given(arrays(float, (4, 3), elements=st.floats(-1e150, 1e150)), st.floats(1e-3, 1e3))
def test_clipped_rows_fit_the_radius(rows: np.ndarray, radius: float):
    weights = clip_weights(row_norms(rows), radius)
    assert ((weights > 0) & (weights <= 1)).all()
    assert (row_norms(rows * weights[:, None]) <= radius * (1 + 1e-14)).all()


@given(st.integers(0, 2**32), st.floats(1e-3, 10), st.floats(0, 1e12))
@settings(max_examples=25)
def test_iterates_stay_in_their_ball(seed: int, ball: float, size: float):
    rng = np.random.default_rng(seed)
    landscape = Landscape.of(0.5, np.eye(3) * 10.0 ** rng.integers(-3, 12), ball)
    state = State(np.zeros(3))
    for _ in range(5):
        state = landscape.advance(state, size * rng.normal(size=3))
        assert np.linalg.norm(state.theta) <= ball * (1 + 1e-12)
    stayed = landscape.advance(state, np.full(3, 1e200))
    assert np.isfinite(stayed.theta).all()
    assert (state.step, stayed.step) == (5, 6)  # a step that overflows is a step all the same


def test_precise_points_weigh_more():
    mean = average([np.array([0.0]), np.array([1.0])], [1.0, 3.0], 0.5)
    assert mean.theta == pytest.approx([0.1])
    assert mean.noise_std == pytest.approx(0.5 / math.sqrt(1 + 1 / 9))
    assert average([np.array([1.0])], [0.0], 1.0).theta == pytest.approx([1.0])


@given(arrays(float, st.integers(1, 8), elements=st.floats(-100, 100)), st.floats(0, 100))
def test_shrinking_only_shortens(theta: np.ndarray, noise_std: float):
    shrunk = shrink(theta, noise_std)
    assert np.linalg.norm(shrunk) <= np.linalg.norm(theta) * (1 + 1e-12)
    assert (shrunk * theta >= 0).all()
    if theta.size <= 2:
        assert shrunk == pytest.approx(theta)


def test_pulls_are_minus_the_derivatives():
    scores, labels, step = np.linspace(-3, 3, 7), np.array([-1.0, 1, 1, -1, 1, -1, 1]), 1e-6
    chance = (labels + 1) / 2
    losses = {
        Squared(): lambda s: 0.5 * (labels - s) ** 2,
        Logistic(): lambda s: np.logaddexp(0, s) - chance * s,
    }
    for objective, loss in losses.items():
        slope = (loss(scores + step) - loss(scores - step)) / (2 * step)
        assert objective.pull(scores, labels) == pytest.approx(-slope, abs=1e-8)


def test_a_covariance_is_whitened_where_it_is_known():
    covariance = np.diag([4.0, 1.0, 0.0])
    whitening = Whitening.from_covariance(Noisy(upper_triangle(covariance), 1e-6), 3)
    white = whitening.matrix.T @ covariance @ whitening.matrix
    assert np.sort(np.diag(white)) == pytest.approx([0.0, 1.0, 1.0], abs=1e-4)
    assert np.sort(whitening.signal) == pytest.approx([0.0, 1.0, 1.0], abs=1e-4)


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


def test_reaches_are_quantiles_within_a_cell():
    rng = np.random.default_rng(0)
    sizes = np.abs(rng.normal(size=50_000))
    rows = ArrayRows(sizes[:, None], np.zeros(len(sizes)))
    quantile = Quantile(norms_of_rows, 10.0, 50.0, 0.02)
    (found,) = find_quantiles(
        "norms", rows, [quantile], Spending(GaussianDP(3.0), np.random.default_rng(1)), 1.0
    )
    exact = float(np.quantile(sizes, 0.98))
    assert exact / 1.2 < found < exact * 1.2


def test_rows_know_their_shape():
    rows = ArrayRows(np.zeros((BLOCK_ROWS + 1, 2)), np.zeros(BLOCK_ROWS + 1))
    assert (rows.count, rows.columns) == (BLOCK_ROWS + 1, 2)
    assert [len(block.labels) for block in rows.blocks()] == [BLOCK_ROWS, 1]
