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


def test_bends_are_minus_the_derivatives_of_pulls():
    scores, labels, step = np.linspace(-3, 3, 7), np.ones(7), 1e-6
    for objective in (Squared(), Logistic()):
        fall = objective.pull(scores - step, labels) - objective.pull(scores + step, labels)
        assert objective.bend(scores) == pytest.approx(fall / (2 * step), abs=1e-8)


def test_a_classifiers_record_has_the_same_size_whatever_its_class():
    scores = np.linspace(-30, 30, 7)
    objective = Logistic()
    sizes = [objective.size(scores, objective.pull(scores, np.full(7, label))) for label in (-1.0, 1.0)]
    assert sizes[0] == pytest.approx(sizes[1])
    for label in (-1.0, 1.0, 0.3, 1e9):
        pull = objective.pull(scores, np.full(7, label))
        assert (objective.size(scores, pull) >= np.abs(pull)).all()
    assert (Squared().size(scores, pull) == np.abs(pull)).all()
