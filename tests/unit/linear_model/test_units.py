"""Units of features and labels: there and back, finite, and clipped to what was found."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relgauss.linear_model.units import UNCLIPPED, feature_units, label_units


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
