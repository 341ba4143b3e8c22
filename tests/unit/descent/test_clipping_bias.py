"""What clipping may have done to slopes: nothing where no side shows, and more the more it does."""

import numpy as np
import pytest

from relgauss.descent.clipping_bias import bias_allowance, clipped_sides, side_weight
from relgauss.descent.objectives import Squared
from relgauss.records.blocks import ArrayRows, Rows
from relgauss.spending import Noisy

N, STD = 4_000, 0.01


def rows_of(features: np.ndarray, labels: np.ndarray) -> Rows:
    rows = ArrayRows(features, labels)
    return rows.changed(lambda block: (block.features, block.labels), rows.columns)


def test_only_clipped_gradients_count_each_with_its_side_and_direction():
    features = np.array([[3.0, 4.0, 0.0], [0.0, 0.0, 1.0], [-3.0, 0.0, 4.0], [3.0, 4.0, 0.0]])
    labels = np.array([10.0, 0.5, -10.0, 0.1])  # gradients of norms 50, 0.5, 50 and 0.5
    answer = clipped_sides(rows_of(features, labels), np.zeros(3), Squared(), 2, 1.0, 0.5)
    assert answer.value * 4 == pytest.approx([2.0, 0.0, 0.6 + 0.6, 0.8])


def test_where_neither_a_side_nor_a_direction_stands_out_nothing_is_allowed_for():
    for clipped in (0.0, 0.1, 0.5):
        sides = Noisy(np.array([clipped, 1.9 * STD, STD, -STD, STD]), STD)
        assert not bias_allowance(sides, 1.0, N).any()


def test_a_side_allows_for_as_much_in_each_direction_and_what_is_seen_there_is_added():
    alone = bias_allowance(Noisy(np.array([0.1, 0.1, 0.0, 0.0, 0.0]), STD), 1.0, N)
    assert alone == pytest.approx(alone[0, 0] * np.eye(3))
    larger = bias_allowance(Noisy(np.array([0.1, 0.2, 0.0, 0.0, 0.0]), STD), 1.0, N)
    assert larger[0, 0] > alone[0, 0] > 0
    seen = bias_allowance(Noisy(np.array([0.1, 0.1, 0.05, 0.0, 0.0]), STD), 1.0, N)
    assert seen[0, 0] > seen[1, 1] >= alone[1, 1]


def test_a_direction_that_stands_out_counts_without_a_side():
    """As where slopes themselves differ from record to record: clipped on both sides, and too flat."""
    allowed = bias_allowance(Noisy(np.array([0.1, 0.0, 6 * STD, 0.0, 0.0]), STD), 1.0, N)
    assert np.sqrt(allowed[0, 0]) == pytest.approx(1.5 * 1.1 * 6 * STD, rel=0.25)


def test_an_allowance_is_a_covariance_whatever_was_released():
    rng = np.random.default_rng(0)
    for _ in range(200):
        values = rng.normal(0, 10.0 ** rng.integers(-9, 9), 2 + rng.integers(1, 6))
        allowed = bias_allowance(Noisy(values, 10.0 ** rng.integers(-9, 3)), rng.uniform(0.4, 1), N)
        assert np.isfinite(allowed).all()
        assert np.linalg.eigvalsh(allowed).min() >= -1e-9 * np.abs(allowed).max()


def test_the_weight_of_the_side_is_one_where_it_hardly_shows_and_falls_to_a_floor():
    assert [side_weight(signal) for signal in (1.0, 1e3, 2.5e3, 1e9)] == [
        1.0,
        1.0,
        pytest.approx(0.4**0.5),
        0.4,
    ]
