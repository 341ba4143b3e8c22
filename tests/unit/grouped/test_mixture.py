"""Quantiles of mixtures of normal laws, beside a search of their distribution functions."""

import numpy as np
import pytest
from scipy import optimize, stats

from relgauss.grouped import mixture
from relgauss.grouped.mixture import Mixture


def test_quantiles_of_mixtures():
    rng = np.random.default_rng(5)
    weights = rng.dirichlet(np.ones(4), size=3)
    means, stds = rng.uniform(20, 80, (3, 4)), rng.uniform(0.1, 9, (3, 4))
    levels = (0.5, 0.025, 0.975)
    found = Mixture(weights, means, stds).quantiles(levels, 1.0, 1e3, 1.0)
    mirrored = Mixture(weights, -means, stds).quantiles([1 - level for level in levels], -1e3, 1e3, 1.0)
    for row, level in enumerate(levels):
        for each in range(3):
            mass = weights[each] @ stats.norm.cdf(found[row, each], means[each], stds[each])
            assert mass == pytest.approx(level, abs=1e-7)
            assert -mirrored[row, each] == pytest.approx(found[row, each], rel=1e-6)


def test_quantiles_stay_in_the_range():
    mixture = Mixture(np.ones((2, 1)), np.array([[-5.0], [5e3]]), np.ones((2, 1)))
    assert mixture.quantiles((0.5,), 1.0, 1e3, 1.0).tolist() == [[1.0, 1e3]]


def test_quantiles_between_parts_that_lie_far_apart():
    """Newton's method leaps over the plains between parts: what it misses is searched for."""
    rng = np.random.default_rng(11)
    weights = np.array([*rng.dirichlet(np.full(5, 0.3), size=200), [0.025, 0.975, 0.0, 0.0, 0.0]])
    means = np.exp(rng.uniform(np.log(2), np.log(5e5), weights.shape))
    stds = means * np.exp(rng.uniform(np.log(1e-5), np.log(0.5), weights.shape))
    levels = (0.5, 0.025, 0.975, 0.2)
    found = Mixture(weights, means, stds).quantiles(levels, 1.0, 1e6, 1.0)
    for row, level in enumerate(levels):
        for each in range(len(weights)):

            def excess(place, level=level, each=each):
                return weights[each] @ stats.norm.cdf(np.exp(place), means[each], stds[each]) - level

            ends = 0.0, np.log(1e6)
            if excess(ends[0]) >= 0:
                wanted = ends[0]
            else:
                wanted = optimize.brentq(excess, *ends, xtol=1e-11) if excess(ends[1]) > 0 else ends[1]
            place = np.log(found[row, each])
            near = excess(place - 3e-9) <= 0 <= excess(place + 3e-9)  # on a plain, any place is right
            assert near or place == pytest.approx(wanted, abs=3e-9)


def test_what_brackets_find_is_what_newtons_method_finds(monkeypatch: pytest.MonkeyPatch):
    rng = np.random.default_rng(12)
    weights = rng.dirichlet(np.full(6, 0.5), size=300)
    means = rng.normal(50, 5, weights.shape)
    some = Mixture(weights, means, rng.uniform(0.01, 8, weights.shape))
    found = some.quantiles((0.5, 0.05, 0.95), 1.0, 1e3, 1.0)
    monkeypatch.setattr(mixture, "_STEPS", 0)
    np.testing.assert_allclose(some.quantiles((0.5, 0.05, 0.95), 1.0, 1e3, 1.0), found, rtol=3e-9)


def test_a_mixture_that_is_no_number_raises_nothing_and_harms_no_other():
    weights, means = np.array([[0.5, 0.5], [np.nan, np.nan]]), np.array([[10.0, 20.0], [10.0, 20.0]])
    both = Mixture(weights, means, np.ones((2, 2))).quantiles((0.5, 0.9), 1.0, 1e3, 1.0)
    alone = Mixture(weights[:1], means[:1], np.ones((1, 2))).quantiles((0.5, 0.9), 1.0, 1e3, 1.0)
    assert both[:, 0].tolist() == alone[:, 0].tolist()
