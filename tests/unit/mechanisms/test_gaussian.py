"""The classical mechanism: exact profile, composition in mu², and what a release looks like."""

import dataclasses
import math

import numpy as np
import pytest
from scipy.special import ndtr

import relgauss as rg

SEED = 3


def gaussian(noise_multiplier: float = 2.0, dim: int = 3, r: float = 0.5) -> rg.Gaussian:
    return rg.Gaussian(rg.AbsoluteSensitivity(r), dim, noise_multiplier)


@pytest.mark.parametrize("noise_multiplier", [0.3, 1.0, 2.0, 10.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0, 3.0])
def test_delta_is_the_exact_profile(noise_multiplier, epsilon):
    mu = 1 / noise_multiplier
    exact = ndtr(mu / 2 - epsilon / mu) - math.exp(epsilon) * ndtr(-mu / 2 - epsilon / mu)
    delta = gaussian(noise_multiplier).delta(epsilon)
    assert delta == pytest.approx(exact, rel=1e-9, abs=1e-17)


@pytest.mark.parametrize("delta", [1e-300, 1e-12, 1e-6, 0.1])
@pytest.mark.parametrize("steps", [1, 50])
def test_epsilon_and_delta_are_inverse(delta, steps):
    m = gaussian()
    epsilon = m.epsilon(delta, steps)
    assert m.delta(epsilon, steps) <= delta * (1 + 1e-14)  # rounded up, as epsilon was
    assert m.delta(epsilon * 0.999, steps) > delta


def test_mu_is_the_inverse_of_the_multiplier_and_adds_in_squares():
    m = gaussian(noise_multiplier=4.0)
    assert m.mu == 0.25
    assert m.guarantee == rg.GaussianDP(0.25)
    assert m.epsilon(1e-6, steps=16) == pytest.approx(gaussian(noise_multiplier=1.0).epsilon(1e-6), rel=1e-12)
    assert m.rdp(3.0) == pytest.approx(3 * 0.25**2 / 2, rel=1e-12)


@pytest.mark.parametrize("dim", [1, 2, 10**7])
def test_neither_dimension_nor_sensitivity_changes_the_privacy(dim):
    assert gaussian(dim=dim, r=1e9).epsilon(1e-6) == gaussian().epsilon(1e-6)


def test_the_error_is_that_of_the_noise_at_every_norm():
    m = gaussian(noise_multiplier=2.0, dim=9, r=0.5)
    assert m.noise_std == 1.0
    assert m.rms_error() == m.rms_error(0.0) == m.rms_error(1e200) == 3.0
    assert m.limiting_relative_error == 0.0


def test_simulated_noise_has_the_stated_scale():
    """The same seed at twice the noise draws the same noise, twice as large."""
    answer = np.array([1.0, -2.0, 5.0])
    small = gaussian(2.0).release(answer, rng=np.random.default_rng(SEED)) - answer
    large = gaussian(4.0).release(answer, rng=np.random.default_rng(SEED)) - answer
    np.testing.assert_allclose(large, 2 * small, rtol=1e-12)
    assert np.ptp(small) > 0


@pytest.mark.parametrize("value", [7.0, [7.0], np.array(7.0), np.array([7], dtype=np.int64), np.float32(7.0)])
@pytest.mark.parametrize("rng", [None, np.random.default_rng(SEED)])
def test_a_release_has_the_shape_of_the_value(value, rng):
    released = gaussian(dim=1).release(value, rng=rng)
    assert np.shape(released) == np.shape(value)
    assert released.dtype == np.float64
    assert abs(float(np.ravel(released)[0]) - 7.0) < 50


@pytest.mark.parametrize("rng", [None, np.random.default_rng(SEED)])
def test_a_release_leaves_the_value_alone(rng):
    value = np.array([1.0, 2.0, 3.0])
    released = gaussian().release(value, rng=rng)
    assert value.tolist() == [1.0, 2.0, 3.0]
    assert not np.shares_memory(released, value)
    assert (released != value).all()


def test_secure_noise_differs_every_time_and_depends_on_no_seed():
    np.random.seed(SEED)  # noqa: NPY002 - the legacy state must have no influence
    first = gaussian().release([1.0, 2.0, 3.0])
    np.random.seed(SEED)  # noqa: NPY002
    second = gaussian().release([1.0, 2.0, 3.0])
    assert (first != second).all()


@pytest.mark.parametrize("noise_multiplier", [1e-99, 1e99])
def test_extreme_noise_gives_numbers_that_never_fail_open(noise_multiplier):
    m = gaussian(noise_multiplier)
    epsilon, delta = m.epsilon(1e-6, steps=10**7), m.delta(1.0, steps=10**7)
    assert epsilon >= 0
    assert 0 <= delta <= 1
    if noise_multiplier < 1:
        assert epsilon > 1e190
        assert delta == 1.0


def test_a_mechanism_is_a_frozen_value():
    m = gaussian()
    assert m == gaussian()
    assert hash(m) == hash(gaussian())
    assert m != gaussian(3.0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        m.noise_multiplier = 0.1
