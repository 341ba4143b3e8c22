"""A group shows by its noisy count alone, and a lone person's group almost never."""

import numpy as np
import pytest
from scipy.stats import norm

from relgauss.grouped.person_bounds import PersonBounds
from relgauss.grouped.private_groups import find_groups, noisy_persons, threshold

BOUNDS = PersonBounds(rows=5, groups=3)


@pytest.mark.parametrize("mu", [0.05, 0.5, 3.0])
@pytest.mark.parametrize("leak", [1e-12, 1e-6, 1e-2])
def test_the_leak_pays_for_all_groups_of_two_persons(mu: float, leak: float):
    limit = threshold(BOUNDS, mu, leak)
    assert limit.noise_std == pytest.approx(np.sqrt(6) / mu)
    assert 2 * BOUNDS.groups * norm.sf(limit.least - 1, scale=limit.noise_std) <= leak
    assert 2 * BOUNDS.groups * norm.sf(limit.least - 1, scale=limit.noise_std) > 0.999 * leak


def test_a_lone_person_shows_as_rarely_as_charged():
    """At a large leak, so that it can be counted: delta_g = 0.02 of groups of one person show."""
    found = find_groups(np.ones(200_000, dtype=np.int64), BOUNDS, 1.0, 0.12, np.random.default_rng(0))
    assert found.shows.mean() == pytest.approx(0.02, abs=0.002)


def test_without_noise_a_threshold_would_show_who_made_the_group():
    """The planted fault: of groups of one person and of two, a bare threshold shows the larger for sure."""
    bare = np.array([1, 2]) > 1
    assert bare.tolist() == [False, True]
    noisy = find_groups(np.repeat([1, 2], 1000), BOUNDS, 1.0, 0.12, np.random.default_rng(1)).shows
    assert 0 < noisy[1000:].sum() < 100


def test_large_groups_show_and_counts_are_near():
    persons = np.array([0, 1, 100_000, 200_000])
    found = find_groups(persons, BOUNDS, 0.5, 1e-9, None)
    assert found.shows.tolist() == [False, False, True, True]
    assert np.abs(found.counts - persons).max() < 12 * found.noise_std


def test_any_number_of_groups():
    for number in (0, 1, 4096, 4097):
        assert (
            len(noisy_persons(np.ones(number, dtype=np.int64), BOUNDS, 1.0, np.random.default_rng(2)))
            == number
        )
