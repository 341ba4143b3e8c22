"""What is put back of cut gradients, along the line and across it."""

import numpy as np
import pytest

from relgauss.descent.clipping_bias import Cut
from relgauss.descent.put_back import weigh

SLOPES = np.array([3.0, 4.0])
LINE = np.array([0.6, 0.8, 0.0])
ACROSS = np.array([0.8, -0.6, 0.0])


def cut(mean: np.ndarray, noise_std: float) -> Cut:
    return Cut(mean, noise_std, 0.0, np.zeros(mean.size), 0.0, 0.0, 1.0, 0.0)


def test_what_is_clear_of_the_noise_is_put_back():
    mean = np.array([1.0, 2.0, 3.0])
    kept, likely = weigh(cut(mean, 1e-6), SLOPES, 0.0, puts_back=True)
    assert kept @ mean == pytest.approx(mean)
    assert likely @ mean == pytest.approx(mean)


def test_along_the_line_what_is_there_is_not_shrunk_for_the_noise_of_other_directions():
    mean = 2.0 * LINE
    kept, likely = weigh(cut(mean, 1.0), SLOPES, 0.0, puts_back=True)
    assert kept @ mean == pytest.approx((1 - 2 / 4) * mean)
    assert likely @ mean == pytest.approx(3 / 4 * mean)
    kept, _ = weigh(cut(2.0 * ACROSS, 1.0), SLOPES, 0.0, puts_back=True)
    assert kept @ ACROSS == pytest.approx((1 - 3 / 4) * ACROSS)


def test_of_noise_nothing_is_put_back_and_what_may_hide_counts():
    mean = 0.5 * LINE + 0.5 * ACROSS
    kept, likely = weigh(cut(mean, 1.0), SLOPES, 1.0, puts_back=True)
    assert not kept.any()
    assert likely == pytest.approx(np.eye(3) / 2)


def test_nothing_is_put_back_where_features_are_not_clipped():
    kept, likely = weigh(cut(3 * LINE, 0.1), SLOPES, 0.0, puts_back=False)
    assert not kept.any()
    assert likely @ LINE == pytest.approx(LINE, rel=0.01)


@pytest.mark.parametrize("slopes", [np.zeros(2), np.array([1e-200, 0.0]), np.array([1e150, 1e150])])
def test_any_slopes_give_weights_between_none_and_all(slopes: np.ndarray):
    mean = np.array([1.0, -2.0, 0.5])
    for matrix in weigh(cut(mean, 0.5), slopes, 0.2, puts_back=True):
        values = np.linalg.eigvalsh(matrix)
        assert values.min() >= -1e-12
        assert values.max() <= 1 + 1e-12


def test_a_single_coordinate_has_nothing_across():
    kept, likely = weigh(cut(np.array([2.0]), 1.0), np.array([5.0]), 0.0, puts_back=True)
    assert kept == pytest.approx(np.array([[0.5]]))
    assert likely == pytest.approx(np.array([[0.75]]))
