"""A class of few records is told apart where features tell it; where they do not, a constant is left."""

import warnings

import numpy as np
import pytest
from scipy.special import expit
from sklearn.metrics import log_loss

from relgauss.linear_model import Fitted, PrivateLogisticRegression
from relgauss.linear_model.class_check import clear_reach

COUNT = 20_000


def table(level: float, strength: float, seed: int):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(COUNT, 2)), rng.exponential(5, COUNT), rng.random(COUNT) < 0.2])
    scores = strength * (X[:, 0] + 0.8 * X[:, 1] + X[:, 3]) + level
    return X, (rng.random(COUNT) < expit(scores)).astype(int)


def fits(level: float, strength: float, epsilon: float, seeds: int):
    """Log-loss over the constant's, and whether it was fitted."""
    for seed in range(seeds):
        X, y = table(level, strength, 100 + seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = PrivateLogisticRegression(epsilon, classes=[0, 1], random_state=seed).fit(X, y)
        loss = log_loss(y, model.predict_proba(X)) / log_loss(y, np.full(COUNT, y.mean()))
        yield loss, isinstance(model.outcome_, Fitted)


@pytest.mark.parametrize("epsilon", [1.0, 3.0])  # with 3 steps follow a released curvature
def test_a_class_of_four_percent_is_told_apart(epsilon):
    losses, fitted = zip(*fits(-4.2, 1.0, epsilon, 10), strict=True)
    assert sum(fitted) >= 9
    assert np.median(losses) < 0.87  # logistic regression, not private: 0.83 to 0.84


def test_features_that_say_nothing_of_a_rare_class_leave_a_constant():
    losses, fitted = zip(*fits(-3.2, 0.0, 1.0, 20), strict=True)
    assert sum(fitted) <= 3
    assert max(losses) < 1.05


def test_log_odds_go_less_far_the_larger_the_noise():
    reaches = [clear_reach(-4.0, 1.2, -3.2, noise, 4.4) for noise in (0.0, 5e-4, 1e-3, 1.0)]
    widths = [above - below for below, above in reaches]
    assert reaches[0] == (-4.4, 4.4)
    assert widths == sorted(widths, reverse=True)
    assert 0 < widths[-1] < widths[1] < widths[0]
