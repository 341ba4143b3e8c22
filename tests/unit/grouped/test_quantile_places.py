"""Where quantiles may lie, by weighted points."""

import numpy as np

from relgauss.grouped.quantile_places import weighted_quantiles


def test_weighted_quantiles_are_those_of_repeated_points():
    points = np.array([[3.0, 1.0, 2.0, 9.0], [5.0, 5.0, 5.0, 0.0]])
    weights = np.array([[1.0, 2.0, 3.0, 0.0], [0.2, 0.2, 0.2, 0.4]])
    low, middle, high = weighted_quantiles(points, weights, (0.3, 0.5, 0.9))
    assert low.tolist() == [1.0, 0.0]
    assert middle.tolist() == [2.0, 5.0]
    assert high.tolist() == [3.0, 5.0]
