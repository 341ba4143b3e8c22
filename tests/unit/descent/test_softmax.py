"""The loss of several classes: derivatives, and coordinates in which the classes' shares are white."""

import numpy as np
import pytest
from scipy.special import logsumexp

from relgauss.descent.softmax import Softmax

SHARES = np.array([0.1, 0.2, 0.3, 0.4])
OBJECTIVE = Softmax(SHARES)
SCORES = np.random.default_rng(0).normal(size=(3, 8))
CLASSES = np.arange(8) % 4
LABELS = CLASSES / 1.5 - 1


def loss(scores: np.ndarray) -> np.ndarray:
    of_classes = OBJECTIVE.mixing @ scores
    return logsumexp(of_classes, axis=0) - of_classes[CLASSES, np.arange(8)]


def test_pull_and_bend_are_derivatives_of_the_loss():
    step = 1e-5
    for one in range(3):
        away = step * np.eye(3)[:, one : one + 1]
        slope = (loss(SCORES + away) - loss(SCORES - away)) / (2 * step)
        assert OBJECTIVE.pull(SCORES, LABELS)[one] == pytest.approx(-slope, abs=1e-8)
        fall = OBJECTIVE.pull(SCORES - away, LABELS) - OBJECTIVE.pull(SCORES + away, LABELS)
        assert OBJECTIVE.bend(SCORES)[one] == pytest.approx(fall / (2 * step), abs=1e-8)


def test_where_features_have_no_say_all_coordinates_bend_alike():
    constant = OBJECTIVE.best_constant(0.0, 0.0)[:, None]
    assert OBJECTIVE.chances(constant)[:, 0] == pytest.approx(SHARES)
    assert OBJECTIVE.bend(constant)[:, :, 0] == pytest.approx(np.eye(3))
    assert OBJECTIVE.mixing.sum(axis=0) == pytest.approx(np.zeros(3))
    every = np.arange(4) / 1.5 - 1
    pulls = OBJECTIVE.pull(np.tile(constant, 4), every)
    assert np.sqrt(np.square(pulls).sum(axis=0)).max() == pytest.approx(OBJECTIVE.hardest_pull(0.0))


def test_a_record_has_the_same_size_whatever_its_class():
    sizes = [
        OBJECTIVE.size(SCORES, OBJECTIVE.pull(SCORES, np.full(8, label))) for label in np.arange(4) / 1.5 - 1
    ]
    pulls = [
        np.linalg.norm(OBJECTIVE.pull(SCORES, np.full(8, label)), axis=0) for label in np.arange(4) / 1.5 - 1
    ]
    assert sizes[0] == pytest.approx(np.max(pulls, axis=0))
    for each in sizes:
        assert each == pytest.approx(sizes[0])


def test_noise_makes_no_share_negative():
    informed = Softmax.of(3).informed(np.array([-0.03, 0.9, 0.0]), 0.01)
    assert informed.shares.sum() == pytest.approx(1)
    assert informed.shares.min() > 0.001
    assert informed.outputs == 2


def test_a_rare_class_keeps_its_share_and_coordinates_stay_within_bounds():
    informed = Softmax.of(3).informed(np.array([0.001, 0.299, 0.7]), 1e-5)
    assert informed.shares == pytest.approx([0.001, 0.299, 0.7], rel=1e-6)
    chances = informed.chances(informed.best_constant(0.0, 0.0)[:, None])[:, 0]
    assert chances == pytest.approx(informed.shares)
    assert np.abs(informed.mixing).max() < 8  # those of a class of 2 %


def test_any_label_has_a_class():
    far = np.array([-1e300, -1.0, 0.34, 1e300])
    assert OBJECTIVE.classes_of(far).tolist() == [0, 0, 2, 3]
    assert OBJECTIVE.numbered(np.array([-5.0, 1.0, 2.4, 99.0])).tolist() == [0, 1, 2, 3]
