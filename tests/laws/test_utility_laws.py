"""The corrected utility theorem, against simulated descent: proofs/utility.md."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relgauss.descent.descend import largest_step
from relgauss.linear_model.solvers.isometric import relative_variance_of_isometric
from relgauss.linear_model.solvers.relative import relative_variance_of_rgm
from relgauss.mechanisms import IsometricGaussian, RelativeGaussian
from relgauss.mechanisms.sensitivity import RelativeSensitivity


def mean_square_factor(step: float, relative_variance: float) -> float:
    """By how much one step on ½ ||θ||² multiplies E||θ||², for noise of mean square v ||θ||²."""
    return (1 - step) ** 2 + step**2 * relative_variance


@given(st.floats(1e-6, 1e6), st.floats(1e-3, 1e3))
def test_the_allowed_step_always_contracts(relative_variance: float, smoothness: float) -> None:
    step = largest_step(smoothness, relative_variance) * smoothness
    assert mean_square_factor(step, relative_variance) == pytest.approx(1 - step, rel=1e-9)


def test_the_papers_step_diverges_where_noise_has_many_coordinates() -> None:
    gamma, dim = 0.05, 100
    papers = 1 / (1 + gamma)
    assert mean_square_factor(papers, dim * gamma) > 1
    assert mean_square_factor(largest_step(1.0, dim * gamma), dim * gamma) < 1


@settings(max_examples=25, deadline=None)
@given(st.floats(0.01, 0.3), st.floats(0.5, 3.0), st.integers(2, 40), st.integers(0, 2**31))
def test_relative_variances_are_those_of_the_mechanisms(
    eta: float, multiplier: float, dim: int, seed: int
) -> None:
    """Without a floor nearly all noise is relative: v bounds it, and is not far above."""
    linear = RelativeSensitivity(eta, 1e-6, "linear")
    gamma = (eta * multiplier) ** 2
    answer = np.random.default_rng(seed).normal(size=dim)
    norm = float(np.linalg.norm(answer))
    rgm = (RelativeGaussian(linear, dim, gamma).rms_error(norm) / norm) ** 2
    assert rgm <= relative_variance_of_rgm(gamma, dim) <= 2.01 * rgm
    quadratic = RelativeSensitivity(eta, 1e-6, "quadratic")
    isometric = (IsometricGaussian(quadratic, dim, multiplier).rms_error(norm) / norm) ** 2
    bound = relative_variance_of_isometric(eta, multiplier, dim)
    assert isometric <= bound <= 1.6 * isometric  # the decoder takes out about 1/d of it


def test_descent_ends_where_the_theorem_says() -> None:
    """f = ½ θᵀHθ with eigenvalues in [0.2, 1]: 4000 runs, against (1 - τ m)^T gap + L τ s²/(2 m)."""
    rng = np.random.default_rng(7)
    dim, gamma, sigma, steps, runs = 8, 0.03, 0.05, 60, 4000
    curvatures = np.linspace(0.2, 1.0, dim)
    step = largest_step(1.0, dim * gamma)
    theta = np.tile(np.full(dim, 2.0), (runs, 1))
    gap = 0.5 * float(curvatures @ theta[0] ** 2)
    for _ in range(steps):
        gradient = theta * curvatures
        std = np.sqrt(gamma * (gradient**2).sum(axis=1, keepdims=True) + sigma**2)
        theta = theta - step * (gradient + std * rng.normal(size=theta.shape))
    reached = 0.5 * (theta**2 @ curvatures)
    bound = (1 - step * 0.2) ** steps * gap + step * dim * sigma**2 / (2 * 0.2)
    assert reached.mean() + 4 * reached.std() / runs**0.5 <= bound
    without_the_factor = step * sigma**2 / (2 * 0.2) + (1 - step * 0.2) ** steps * gap
    assert reached.mean() > without_the_factor  # the paper's term, in one coordinate, is exceeded
