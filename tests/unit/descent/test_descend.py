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


@pytest.mark.parametrize("size", [0.0, 1.0, 1e20, 1e60])
def test_another_step_is_taken_however_large_a_penalty_is_in_some_directions(size: float):
    """A penalty on one direction alone: of the others a step keeps what it would without it."""
    rng = np.random.default_rng(0)
    half = rng.normal(size=(3, 3))
    step, along = half @ half.T + 0.1 * np.eye(3), np.array([1.0, 2.0, -1.0])
    landscape = Landscape.of(1.0, size * np.outer(along, along), 1e9).with_step(step)
    state = landscape.advance(State(np.array([1.0, 0.0, 0.0])), np.array([0.5, -0.5, 1.0]))
    assert np.isfinite(state.theta).all()
    if size <= 1.0:
        exact = np.linalg.inv(np.eye(3) + step @ landscape.penalty)
        assert landscape.contraction == pytest.approx(exact)
    else:
        assert abs(state.theta @ along) < 1e-6
