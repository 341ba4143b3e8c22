"""What clipping takes from gradients: all of it is found, rung by rung, as far as noise lets see."""

import numpy as np
import pytest

from relgauss.accounting import GaussianDP
from relgauss.descent.clipping_bias import cut_gradients, next_end, release_cut
from relgauss.descent.objectives import Squared
from relgauss.records.blocks import ArrayRows, Rows
from relgauss.spending import Spending

MANY = 20_000


def rows_of(features: np.ndarray, labels: np.ndarray) -> Rows:
    rows = ArrayRows(features, labels)
    return rows.changed(lambda block: (block.features, block.labels), rows.columns)


def leaning(count: int, seed: int = 0) -> Rows:
    """Rows whose residuals are skewed, and more so the larger the first feature is."""
    rng = np.random.default_rng(seed)
    features = np.column_stack([rng.normal(size=(count, 2)), np.ones(count)])
    return rows_of(features, (rng.exponential(size=count) - 1) * (2 + features[:, 0]))


def cut_of(rows: Rows, clip_threshold: float, mu: float, seed: int = 0, *, is_plain: bool = False):
    spending = Spending(GaussianDP(mu), np.random.default_rng(seed))
    theta = np.zeros(rows.columns)
    return release_cut(rows, theta, Squared(), clip_threshold, 0.01, spending, 0.1, is_plain=is_plain)


def truth_of(rows: Rows, clip_threshold: float) -> np.ndarray:
    return np.array(cut_gradients(rows, np.zeros(rows.columns), Squared(), clip_threshold, 1e9).value[1:])


def test_only_what_lies_between_two_norms_counts_and_who_is_beyond():
    features = np.array([[3.0, 4.0, 0.0], [0.0, 0.0, 1.0], [-3.0, 0.0, 4.0], [3.0, 4.0, 0.0]])
    labels = np.array([10.0, 0.5, -0.4, 0.1])  # gradients of norms 50, 0.5, 2 and 0.5
    answer = cut_gradients(rows_of(features, labels), np.zeros(3), Squared(), 1.0, 4.0)
    assert answer.value * 4 == pytest.approx([3.0, 1.8 + 0.6, 2.4, -0.8])


def test_gradients_of_any_size_are_counted_without_overflow():
    features = np.array([[1e200, 0.0], [5e-324, 0.0], [0.0, 0.0], [0.0, 1.0]])
    labels = np.array([1e200, 1.0, 1.0, 5e-324])
    answer = cut_gradients(rows_of(features, labels), np.zeros(2), Squared(), 1.0, 4.0)
    assert np.isfinite(answer.value).all()
    assert answer.value[0] * 4 == 3.0


@pytest.mark.parametrize("clip_threshold", [0.5, 1.0, 3.0])
def test_with_next_to_no_noise_all_of_it_is_found(clip_threshold: float):
    rows = leaning(MANY)
    found, truth = cut_of(rows, clip_threshold, 1e4), truth_of(rows, clip_threshold)
    assert found.mean == pytest.approx(truth, abs=0.1 * np.linalg.norm(truth))


def test_what_is_missed_is_within_what_may_be_hidden():
    rows = leaning(MANY)
    truth, misses = truth_of(rows, 1.0), []
    for seed in range(40):
        found = cut_of(rows, 1.0, 0.3, seed)
        allowed = np.sqrt(found.noise_std**2 + found.hidden**2 + found.leaning**2)
        misses.append(np.abs(found.mean - truth) / allowed)
    assert np.mean(np.array(misses) <= 2) >= 0.9


def test_where_features_are_not_clipped_more_may_be_hidden():
    rows = leaning(MANY)
    assert cut_of(rows, 1.0, 0.3, is_plain=True).hidden > 2 * cut_of(rows, 1.0, 0.3).hidden


def test_a_rung_is_long_where_many_are_beyond_or_noise_is_small():
    ends = [next_end(1.0, beyond, 2.0, 0.001) for beyond in (0.0, 0.001, 0.01, 0.1)]
    assert ends[0] == 1.25
    assert ends == sorted(ends)
    assert ends[-1] > 2
    assert next_end(1.0, 0.01, 2.0, 1e-6) == pytest.approx(8.0)
    assert next_end(1.0, 0.01, 1.3, 0.001) >= next_end(1.0, 0.01, 3.0, 0.001)
