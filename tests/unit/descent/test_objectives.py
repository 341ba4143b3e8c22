"""The pull of a loss is minus its derivative."""

import numpy as np
import pytest

from relgauss.descent.objectives import Logistic, Squared


def test_pulls_are_minus_the_derivatives():
    scores, labels, step = np.linspace(-3, 3, 7), np.array([-1.0, 1, 1, -1, 1, -1, 1]), 1e-6
    chance = (labels + 1) / 2
    losses = {
        Squared(): lambda s: 0.5 * (labels - s) ** 2,
        Logistic(): lambda s: np.logaddexp(0, s) - chance * s,
    }
    for objective, loss in losses.items():
        slope = (loss(scores + step) - loss(scores - step)) / (2 * step)
        assert objective.pull(scores, labels) == pytest.approx(-slope, abs=1e-8)
