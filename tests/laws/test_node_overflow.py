"""A record of any size is one record: nodes release with it as without it."""

import numpy as np
import pytest

from relgauss.descent.clipped_gradients import clipped_pull
from relgauss.descent.objectives import Logistic
from relgauss.descent.quadratic import clipped_quadratic
from relgauss.nodes.table import rows_of, whitened_rows

HUGE = [1e155, 1e300, 1.79e308, -1.79e308]
THETA = np.array([1.0, 1.0, 1.0])


def pair(value: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    features = rng.normal(size=(2_000, 3))
    other = features.copy()
    other[0] = value
    return features, other, features @ [1.0, 2.0, 3.0]


@pytest.mark.parametrize("value", HUGE)
@pytest.mark.parametrize("whitening", [1.0, 1e8])
def test_moments_move_by_one_record(value: float, whitening: float):
    features, other, labels = pair(value)
    first, second = (
        clipped_quadratic(whitened_rows(rows_of(each, labels), whitening * np.eye(3)), 2.0, 5.0)
        for each in (features, other)
    )
    assert np.linalg.norm(first.second - second.second) <= np.sqrt(2) * 4.0 / 2_000 * (1 + 1e-9)
    assert np.linalg.norm(first.pull(THETA)) > 0.1
    assert np.linalg.norm(first.pull(THETA) - second.pull(THETA)) < 0.1


@pytest.mark.parametrize("value", HUGE)
@pytest.mark.parametrize("label", [-1.0, 1.0])
def test_a_class_is_not_told_by_a_refusal(value: float, label: float):
    features, other, _ = pair(value)
    labels = np.sign(features[:, 0])
    labels[0] = label
    first, second = (
        clipped_pull(rows_of(each, labels), THETA, Logistic(), 0.5) for each in (features, other)
    )
    assert np.linalg.norm(first.value - second.value) <= first.sensitivity.r
