"""Noisy counts of rows and persons: their intervals hold, also for groups that had to pass a threshold."""

import numpy as np
import pytest

from relgauss.grouped.group_counts import GroupCounts, WholeCounts, noisy_rows, whole_counts
from relgauss.grouped.noisy_measurements import NoisySizes
from relgauss.grouped.person_bounds import PersonBounds


def held(counts: WholeCounts, truth: np.ndarray) -> float:
    return float(np.mean((counts.lower <= truth) & (truth <= counts.upper)))


def test_intervals_of_rows_hold_as_often_as_they_say():
    rows, bounds = np.repeat([40, 900, 20_000], 1_000), PersonBounds(6, 2)
    sizes = noisy_rows(rows, bounds, 0.2, np.random.default_rng(1))
    assert sizes.noise_std == pytest.approx(6 * 2 / 0.2)
    counts = GroupCounts.of_noisy(sizes, 0.9)
    for size in (900, 20_000):
        of_size = rows == size
        inside = (counts.lower <= rows) & (rows <= counts.upper)
        assert 0.87 < inside[of_size].mean() < 0.93
    assert (counts.lower >= 0).all()


@pytest.mark.parametrize("truth", [40.0, 60.0, 90.0, 400.0])
def test_intervals_of_groups_that_show_hold_given_that_they_show(truth: float):
    """A count that passed a threshold is too high on average: a plain interval is not for such counts."""
    rng, std, threshold = np.random.default_rng(2), 10.0, 51.0
    noisy = truth + std * rng.normal(size=40_000)
    shown = NoisySizes(noisy[noisy > threshold][:4_000], std)
    everywhere = np.full(len(shown.values), truth)
    assert held(whole_counts(shown, 0.95, threshold), everywhere) >= 0.94
    if truth == 40:
        assert held(whole_counts(shown, 0.95), everywhere) < 0.9, "the plain interval does not hold"
    if truth == 400:
        plain, given = whole_counts(shown, 0.95), whole_counts(shown, 0.95, threshold)
        assert (plain.lower == given.lower).all(), "far above the threshold they are the same"


def test_every_group_that_shows_has_a_person():
    counts = whole_counts(NoisySizes(np.array([51.01, 60.0]), 10.0), 0.95, 51.0)
    assert (counts.lower >= 1).all()


def test_a_person_has_a_row_in_the_group_and_at_most_the_bound():
    persons = WholeCounts(np.array([66, 10, 0]), np.zeros(3), np.full(3, 99.0))
    rows = GroupCounts(np.array([49, 80, 7]), np.zeros(3), np.full(3, 50.0), is_noisy=True)
    beside = rows.beside(persons, 3, None)
    assert beside.rows.tolist() == [66, 30, 0]
    assert (beside.lower <= beside.rows).all()
    assert (beside.rows <= beside.upper).all()
