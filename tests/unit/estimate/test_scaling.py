"""Units of features and labels: there and back, and finite within reach."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relgauss.estimate.scaling import feature_units, label_units


@given(st.floats(-1e5, 1e5), st.floats(1e-9, 1e9), st.booleans())
def test_units_and_back(away: float, width: float, centred: bool):
    low, high = away * width, away * width + width
    units = label_units(low, high, centred=centred)
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
    units = feature_units(low, high, np.array([True, True, False]), centred=centred)
    rows, scaled = rng.uniform(low, high, size=(5, 3)), rng.normal(size=3)
    slopes = units.coefficients(scaled)
    assert (rows - units.middle) @ slopes == pytest.approx(units.scaled(rows) @ scaled, rel=1e-9, abs=1e-12)
    assert slopes[2] == 0
    assert (units.scaled(rows)[:, 2] == 0).all()


def test_scaled_values_stay_finite_and_within_reach():
    units = feature_units(np.array([-1e-15]), np.array([1e-15]), np.array([True]), centred=True)
    scaled = units.scaled(np.array([[1.7e308], [-1.7e308], [0.0]]))
    assert scaled.ravel().tolist() == [2.0**20, -(2.0**20), 0.0]
