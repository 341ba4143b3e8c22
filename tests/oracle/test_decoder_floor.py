"""No decoder without bias beats the spherical one by more than the fourth digit: proofs/decoders.md, 4."""

import math

import numpy as np
import pytest
from scipy.special import ive
from scipy.stats import ncx2

import relgauss as rg


def mean_cosine(radius: np.ndarray, rho: float, dim: int) -> np.ndarray:
    return ive(dim / 2, rho * radius) / ive(dim / 2 - 1, rho * radius)


def least_error(dim: int, x: float) -> float:
    """sqrt(e^x/a - 1), a the mean square of the mean cosine given the length."""
    rho = 1 / math.sqrt(x)
    radius = np.linspace(max(1e-6, rho - 12), math.hypot(rho, math.sqrt(dim)) + 14, 20001)
    density = radius * ncx2.pdf(radius**2, dim, rho**2)
    a = (density * mean_cosine(radius, rho, dim) ** 2).sum() / density.sum()
    return math.sqrt(math.exp(x) / a - 1)


@pytest.mark.parametrize("dim", [2, 3, 10, 22, 100])
@pytest.mark.parametrize(("eta", "epsilon"), [(1e-2, 0.5), (1e-2, 2.0), (1e-3, 0.5)])
def test_the_spherical_decoder_is_next_to_the_least_error(dim, eta, epsilon):
    m = rg.calibrate(rg.RelativeSensitivity(eta), dim=dim, epsilon=epsilon, delta=1e-6, mechanism="isometric")
    least = least_error(dim, (eta * m.noise_multiplier) ** 2)
    assert least * (1 - 1e-9) <= m.limiting_relative_error <= least * (1 + 3e-4)


def test_what_the_least_error_rules_out():
    """Below these factors of the limit no decoder without bias gets."""
    mu = rg.Budget(0.5, 1e-6).mu
    x = (0.01 / mu) ** 2
    assert least_error(10, x) / math.sqrt(10 * x) == pytest.approx(1.0073, abs=1e-4)
    assert least_error(10, 0.01) / math.sqrt(10 * 0.01) == pytest.approx(1.0110, abs=1e-4)


def test_the_decoder_that_attains_it_has_no_bias():
    """Simulated: direction times mean cosine over its mean square; a wrong normalisation would be seen."""
    dim, rho, rng = 5, 2.0, np.random.default_rng(0)
    draws = rng.standard_normal((400_000, dim))
    draws[:, 0] += rho
    radius = np.linalg.norm(draws, axis=1)
    cosine = mean_cosine(radius, rho, dim)
    along = draws[:, 0] / radius * cosine / (cosine**2).mean()
    error = along.std() / math.sqrt(len(along))
    assert abs(along.mean() - 1) < 5 * error
    assert abs((along * (cosine**2).mean() / cosine.mean() ** 2).mean() - 1) > 5 * error
