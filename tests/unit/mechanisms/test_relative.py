"""The Relative Gaussian Mechanism: its noise level, its three methods, its limits."""

import math

import numpy as np
import pytest

import relgauss as rg
from relgauss.errors import NoGuaranteeError, RelgaussError

QUADRATIC = rg.RelativeSensitivity(0.1, 2.0)
LINEAR = rg.RelativeSensitivity(0.1, 2.0, "linear")
METHODS = ("theorem", "rdp", "pld")


@pytest.mark.parametrize("bound", [QUADRATIC, LINEAR], ids=["quadratic", "linear"])
@pytest.mark.parametrize("norm", [0.0, 1.0, 20.0, 1e6])
def test_the_noise_is_in_a_fixed_ratio_to_the_local_scale(bound, norm):
    m = rg.RelativeGaussian(bound, 4, 0.04)
    assert m.sigma == pytest.approx(4.0)
    assert m.noise_std(norm) == pytest.approx(2.0 * bound.local_scale(norm), rel=1e-12)
    assert m.rms_error(norm) == pytest.approx(2 * m.noise_std(norm), rel=1e-12)
    assert m.limiting_relative_error == pytest.approx(0.4)


@pytest.mark.parametrize("bound", [QUADRATIC, LINEAR], ids=["quadratic", "linear"])
def test_a_larger_sigma_adds_noise_and_costs_no_privacy(bound):
    least, larger = rg.RelativeGaussian(bound, 4, 0.04), rg.RelativeGaussian(bound, 4, 0.04, 9.0)
    assert larger.noise_std(0.0) == 9.0
    assert larger.noise_std(10.0) > least.noise_std(10.0)
    assert larger.epsilon(1e-6) <= least.epsilon(1e-6)


def test_a_sigma_below_the_least_by_a_rounding_is_lifted_to_it():
    least = rg.RelativeGaussian(QUADRATIC, 4, 0.04).sigma
    assert rg.RelativeGaussian(QUADRATIC, 4, 0.04, least * (1 - 1e-14)).sigma == least


@pytest.mark.parametrize("bound", [QUADRATIC, LINEAR], ids=["quadratic", "linear"])
def test_simulated_noise_follows_the_norm_of_the_value(bound):
    """The same seed draws the same standard noise, multiplied by the noise level of each answer."""
    m = rg.RelativeGaussian(bound, 3, 0.04)
    draws = []
    for answer in (np.zeros(3), np.array([3.0, -4.0, 12.0]), np.array([0.0, 0.0, 500.0])):
        released = m.release(answer, rng=np.random.default_rng(4))
        draws.append((np.asarray(released) - answer) / m.noise_std(float(np.linalg.norm(answer))))
    np.testing.assert_allclose(draws[1], draws[0], rtol=1e-9)
    np.testing.assert_allclose(draws[2], draws[0], rtol=1e-9)


# Of one release without a floor: (eta, gamma, dim, epsilon), delta, Rényi divergence at orders 2 and 4.
@pytest.mark.parametrize(
    ("eta", "gamma", "dim", "epsilon", "delta", "second", "fourth"),
    [
        (0.1, 0.05, 1, 1.0, 0.0179481830358042, 0.275715543918235, 1.15147961350073),
        (0.01, 0.1, 100, 0.3, 0.00196894972736353, 0.0212250939985782, 0.0436719800666963),
    ],
)
def test_one_release_is_exact(eta, gamma, dim, epsilon, delta, second, fourth):
    m = rg.RelativeGaussian(rg.RelativeSensitivity(eta), dim, gamma)
    assert m.delta(epsilon) == pytest.approx(delta, rel=1e-9)
    assert m.rdp(2) == pytest.approx(second, rel=1e-9)
    assert m.rdp(4) == pytest.approx(fourth, rel=1e-9)
    assert m.epsilon(delta) == pytest.approx(epsilon, rel=1e-9)


@pytest.mark.parametrize("steps", [1, 30])
@pytest.mark.parametrize("delta", [1e-12, 1e-6, 1e-2])
def test_the_default_is_the_least_of_the_methods_and_each_improves_on_the_paper(steps, delta):
    m = rg.RelativeGaussian(rg.RelativeSensitivity(0.01, 1.0), 22, 0.01)
    by = {method: m.epsilon(delta, steps, method) for method in METHODS}
    assert m.epsilon(delta, steps) == min(by.values())
    assert by["rdp"] < by["theorem"]
    assert by["pld"] < by["rdp"]
    # Both are proven bounds; over several steps each has a grid of its own.
    assert m.delta(m.epsilon(delta, steps), steps) == pytest.approx(delta, rel=1e-4)


def test_more_noise_more_records_moved_and_more_dimensions_act_as_they_should():
    def epsilon(eta: float = 0.01, gamma: float = 0.01, dim: int = 22, steps: int = 1) -> float:
        return rg.RelativeGaussian(rg.RelativeSensitivity(eta), dim, gamma).epsilon(1e-6, steps)

    assert epsilon(gamma=0.02) < epsilon()
    assert epsilon(eta=0.02) > epsilon()
    assert epsilon(dim=100) > epsilon()
    assert epsilon(steps=2) > epsilon()


@pytest.mark.parametrize("form", ["quadratic", "linear"])
@pytest.mark.parametrize("method", [None, *METHODS])
def test_no_relative_part_is_the_classical_mechanism(form, method):
    m = rg.RelativeGaussian(rg.RelativeSensitivity(0.0, 2.0, form), 3, 0.0, 5.0)
    classical = rg.Gaussian(rg.AbsoluteSensitivity(2.0), 3, 2.5)
    assert m.guarantee.mu == pytest.approx(0.4, rel=1e-12)
    assert m.rms_error(7.0) == pytest.approx(classical.rms_error(7.0))
    if method in (None, "pld"):
        assert m.epsilon(1e-6, 10, method) == pytest.approx(classical.epsilon(1e-6, 10), rel=1e-9)
    else:
        assert m.epsilon(1e-6, 10, method) > classical.epsilon(1e-6, 10)


def test_rényi_orders_end_where_the_variances_let_them():
    m = rg.RelativeGaussian(QUADRATIC, 4, 0.04)
    limit = m.guarantee.order_limit
    assert limit == pytest.approx(1 + 1 / (0.1 * 2.1), rel=1e-6)
    assert math.isfinite(m.rdp(limit * 0.999))
    assert m.rdp(limit) == math.inf
    assert 1 < m.best_order(1e-6) < limit


def test_the_papers_concentrated_statement():
    m = rg.RelativeGaussian(QUADRATIC, 4, 0.04)
    statement = m.tcdp()
    assert statement.rho == pytest.approx(0.01 * (25 + 4 * 2.1**2 * 1.1**2), rel=1e-9)
    assert statement.omega == pytest.approx(1 + 1 / (2 * 0.1 * 2.1), rel=1e-9)
    assert m.rdp(2.0) <= statement.rdp(2.0)
    assert m.epsilon(1e-6) < statement.epsilon(1e-6)


def test_without_a_floor_no_lattice_is_fine_enough_for_secure_noise():
    m = rg.RelativeGaussian(rg.RelativeSensitivity(0.1), 2, 0.04)
    with pytest.raises(NoGuaranteeError, match="another mechanism"):
        m.release([1.0, 2.0])
    assert m.release([1.0, 2.0], rng=np.random.default_rng(0)).shape == (2,)
    enlarged = rg.RelativeGaussian(rg.RelativeSensitivity(0.1), 2, 0.04, 1.0)
    assert enlarged.release([1.0, 2.0]).shape == (2,)


@pytest.mark.parametrize("eta", [1e-200, 1e-160, 1e60, 1e150, 1e200])
def test_an_eta_beyond_reason_gives_a_bound_or_an_error_of_ours(eta):
    try:
        m = rg.RelativeGaussian(rg.RelativeSensitivity(eta, 1.0), 2, 1e-4 if eta < 1 else 1e120)
        epsilon = m.epsilon(1e-6)
    except RelgaussError:
        return
    assert epsilon > 0


@pytest.mark.parametrize("sigma", [1e-300, 1e-200, 1e300])
def test_classical_noise_beyond_reason_gives_a_bound_or_an_error_of_ours(sigma):
    try:
        epsilon = rg.RelativeGaussian(rg.RelativeSensitivity(0.0, 1.0), 2, 0.0, sigma).epsilon(1e-6)
    except RelgaussError:
        return
    assert epsilon >= 0
    assert epsilon > 1e300 or sigma > 1


def test_the_error_at_a_huge_norm_is_a_number():
    assert rg.RelativeGaussian(QUADRATIC, 4, 0.04).rms_error(1e200) >= 0.4e200
