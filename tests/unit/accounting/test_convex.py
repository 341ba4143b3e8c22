"""The greatest convex profile below given bounds."""

import numpy as np
import pytest

from relgauss.accounting.convex import convex_minorant


def test_bounds_that_are_convex_stay():
    epsilon = np.linspace(0, 3, 20)
    bounds = np.exp(-epsilon) / 2
    assert convex_minorant(epsilon, bounds) == pytest.approx(bounds, rel=1e-9)


def test_a_bump_is_cut_by_its_chord():
    epsilon = np.log([1.0, 2.0, 3.0, 4.0])
    assert convex_minorant(epsilon, np.array([0.9, 0.9, 0.3, 0.0])) == pytest.approx([0.9, 0.6, 0.3, 0.0])


def test_every_convex_function_below_the_bounds_is_below_the_result():
    rng = np.random.default_rng(0)
    epsilon = np.linspace(0, 4, 60)
    true = np.maximum(0, 1 - np.exp(epsilon) / 20) ** 2
    for _ in range(50):
        bounds = true * (1 + rng.exponential(0.3, 60)) + 1e-12
        found = convex_minorant(epsilon, bounds)
        assert np.all(found >= true)
        assert np.all(found <= bounds)


def test_what_overflows_stays_as_it_is():
    epsilon, bounds = np.array([0.0, 1.0, 800.0]), np.array([0.5, 0.4, 0.3])
    assert convex_minorant(epsilon, bounds).tolist() == bounds.tolist()
