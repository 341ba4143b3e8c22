"""Claims about gradient descent: its utility, with and without the dimension, and the clipping variance."""

from __future__ import annotations

import math

import numpy as np

from relgauss.mechanisms import Gaussian
from relgauss.mechanisms.sensitivity import AbsoluteSensitivity
from relgauss.paper.claims.claim import Claim, verdict

_STEPS, _RUNS = 100, 4000


def utility(seed: int = 0) -> Claim:
    """f = ½||theta||² (L = mu = 1), noise of variance gamma ||g||² + sigma² on each of d coordinates."""
    dim, sigma = 22, 0.1
    rng = np.random.default_rng(seed)
    small, large = 0.01, 0.2
    printed = _error_over_bound(dim, small, sigma, 1 / (1 + small), 1, rng)
    fixed = _error_over_bound(dim, small, sigma, 1 / (1 + dim * small), dim, rng)
    with np.errstate(over="ignore"):
        diverged = _error_over_bound(dim, large, sigma, 1 / (1 + large), 1, rng)
    kept = _error_over_bound(dim, large, sigma, 1 / (1 + dim * large), dim, rng)
    return Claim(
        "Theorem 2, utility",
        "Section 5.1, Appendix B.1",
        "E‖θ_t − θ*‖² ≤ (1 − τμ)^t‖θ_0 − θ*‖² + τσ²/μ for τ ≤ 1/(L + γ)",
        f"d = {dim}, {_STEPS} steps, {_RUNS} runs: the error, less four standard errors, over the bound at "
        f"the worst step is {printed:.3g} for γ = {small} and {diverged:.2g} for γ = {large}. With the "
        f"factor d, dτσ²/μ and τ ≤ 1/(L(1 + dγ)), it is {fixed:.3g} and {kept:.3g}",
        verdict(max(printed, diverged) <= 1, corrected=max(fixed, kept) <= 1),
    )


def _error_over_bound(
    dim: int, gamma: float, sigma: float, step: float, factor: float, rng: np.random.Generator
) -> float:
    """The largest ratio of the error (at the low end of its confidence) to the bound with ``factor``."""
    theta = np.full((_RUNS, dim), 1 / math.sqrt(dim))
    worst = 0.0
    for t in range(1, _STEPS + 1):
        std = np.sqrt(gamma * np.sum(theta**2, axis=1) + sigma**2)
        theta = theta - step * (theta + std[:, None] * rng.normal(size=theta.shape))
        bound = (1 - step) ** t + factor * step * sigma**2
        squares = np.sum(theta**2, axis=1)
        least = float(squares.mean() - 4 * squares.std() / math.sqrt(_RUNS))
        worst = max(worst, least / bound)
    return worst


def clipping_variance() -> Claim:
    """The Rényi divergence of the printed noise, for one replaced record."""
    alpha, epsilon, threshold, n = 2.0, 0.1, 3.0, 1000
    printed = math.sqrt(alpha * threshold**2 / (epsilon * n**2))
    sensitivity = 2 * threshold / n
    spent = [
        Gaussian(AbsoluteSensitivity(sensitivity), 1, std / sensitivity).rdp(alpha)
        for std in (printed, math.sqrt(2) * printed)
    ]
    return Claim(
        "Clipping variance αc²/(εN²)",
        "Appendix C.1",
        "clipped gradients with this noise are (α, ε)-RDP",
        f"replacing one record moves the mean by up to 2c/N: at α = 2, ε = 0.1 it spends {spent[0]:.3g}; "
        f"twice the variance spends {spent[1]:.3g}",
        verdict(spent[0] <= epsilon * (1 + 1e-9), corrected=spent[1] <= epsilon * (1 + 1e-9)),
    )
