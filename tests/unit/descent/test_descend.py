"""Descent: iterates stay in their ball, and are averaged and shrunk by their noise."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from relgauss.descent.descend import Landscape, State, average, shrink


@given(st.integers(0, 2**32), st.floats(1e-3, 10), st.floats(0, 1e12))
@settings(max_examples=25)
def test_iterates_stay_in_their_ball(seed: int, ball: float, size: float):
    rng = np.random.default_rng(seed)
    landscape = Landscape.of(0.5, np.eye(3) * 10.0 ** rng.integers(-3, 12), ball)
    state = State(np.zeros(3))
    for _ in range(5):
        state = landscape.advance(state, size * rng.normal(size=3))
        assert np.linalg.norm(state.theta) <= ball * (1 + 1e-12)
    with np.errstate(over="ignore"):
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
