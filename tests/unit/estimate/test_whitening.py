"""A noisy covariance is whitened where it is known."""

import numpy as np
import pytest

from relgauss.arrays import upper_triangle
from relgauss.estimate.whitening import Whitening
from relgauss.spending import Noisy


def test_a_covariance_is_whitened_where_it_is_known():
    covariance = np.diag([4.0, 1.0, 0.0])
    whitening = Whitening.from_covariance(Noisy(upper_triangle(covariance), 1e-6), 3)
    white = whitening.matrix.T @ covariance @ whitening.matrix
    assert np.sort(np.diag(white)) == pytest.approx([0.0, 1.0, 1.0], abs=1e-4)
    assert np.sort(whitening.signal) == pytest.approx([0.0, 1.0, 1.0], abs=1e-4)
