"""Where gradients are clipped, decided from noisy counts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from relgauss.descent.clipped_gradients import least_error_threshold
from relgauss.spending import Noisy


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
