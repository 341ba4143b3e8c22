"""Symmetric matrices as vectors: nothing is lost, and no length changes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from relgauss.arrays import symmetric_matrix, upper_triangle


@given(st.integers(1, 6).flatmap(lambda d: arrays(float, (d, d), elements=st.floats(-1e6, 1e6))))
def test_symmetric_matrices_survive_their_vectors(matrix: np.ndarray):
    matrix = matrix + matrix.T
    vector = upper_triangle(matrix)
    dim = len(matrix)
    assert vector.shape == (dim * (dim + 1) // 2,)
    assert symmetric_matrix(vector, dim) == pytest.approx(matrix, rel=1e-15, abs=1e-300)
    assert np.linalg.norm(vector) == pytest.approx(np.linalg.norm(matrix), rel=1e-12)
