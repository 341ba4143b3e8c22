"""Mechanisms that break their promise, each in a way that has been published or is easily made.

A victim is two samplers of outputs on neighbouring inputs, a score, and the claim that it breaks.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import relgauss as rg
from relgauss.accounting import GaussianPairDP, Guarantee
from relgauss.audit import Projection, Score
from relgauss.mechanisms.neighbours import rotation
from relgauss.mechanisms.scores import GaussianLogRatio

Sampler = Callable[[int], np.ndarray]


@dataclass(frozen=True)
class Victim:
    run_p: Sampler
    run_q: Sampler
    score: Score
    claim: Guarantee


def gaussian_victim(
    answers: tuple[np.ndarray, np.ndarray], stds: tuple[float, float], claim: Guarantee, seed: int
) -> Victim:
    """Isotropic Gaussian noise of these stds on these answers, scored by the likelihood ratio."""
    rng = np.random.default_rng(seed)

    def sampler(answer: np.ndarray, std: float) -> Sampler:
        return lambda count: answer + rng.normal(0.0, std, (count, answer.size))

    score = GaussianLogRatio(*answers, *(max(std, 1e-6) for std in stds))
    return Victim(sampler(answers[0], stds[0]), sampler(answers[1], stds[1]), score, claim)


def on_axis(first: float, second: float, dim: int) -> tuple[np.ndarray, np.ndarray]:
    axis = np.eye(dim)[0]
    return first * axis, second * axis


def noise_at_the_local_sensitivity(seed: int) -> Victim:
    """Gaussian noise of std S(||q||)/mu, claimed mu-GDP: the noise level tells the norm."""
    bound, dim, mu = rg.RelativeSensitivity(eta=0.1, r=1.0), 20, 0.5
    u = 1e3
    v = u + bound.local_scale(u)
    stds = (bound.local_scale(u) / mu, bound.local_scale(v) / mu)
    return gaussian_victim(on_axis(u, v, dim), stds, rg.GaussianDP(mu), seed)


def relative_without_floor(seed: int) -> Victim:
    """RGM with sigma = 0 although r > 0: next to no noise where the answer is small."""
    mechanism = rg.RelativeGaussian(rg.RelativeSensitivity(eta=0.1, r=1.0), 2, gamma=0.01)
    u = 3.0  # far from zero, where the fault would be plain to see
    v = u + mechanism.sensitivity.local_scale(u)
    root = math.sqrt(mechanism.gamma)
    return gaussian_victim(on_axis(u, v, 2), (root * u, root * v), mechanism.guarantee, seed)


def linear_constants_as_quadratic(seed: int) -> Victim:
    """RGM told that a linear bound is quadratic: at ||q|| = r/eta answers are sqrt(2) times too far apart."""
    true = rg.RelativeSensitivity(eta=0.1, r=1.0, form="linear")
    mechanism = rg.RelativeGaussian(rg.RelativeSensitivity(eta=0.1, r=1.0), 2, gamma=0.01)
    u = true.r / true.eta
    answers = on_axis(u, u + true.local_scale(u), 2)
    stds = (mechanism.noise_std(u), mechanism.noise_std(u + true.local_scale(u)))
    return gaussian_victim(answers, stds, mechanism.guarantee, seed)


def relative_with_half_gamma(seed: int) -> Victim:
    """RGM with half of the variance that it claims."""
    mechanism = rg.RelativeGaussian(rg.RelativeSensitivity(eta=0.1), 5, gamma=0.01)
    guarantee = mechanism.guarantee
    assert isinstance(guarantee, GaussianPairDP)
    stds = (mechanism.noise_std(1.0) / math.sqrt(2), mechanism.noise_std(1.1) / math.sqrt(2))
    return gaussian_victim(on_axis(1.0, 1.1, 5), stds, guarantee, seed)


def isometric_with_half_noise(seed: int) -> Victim:
    """The isometric map with half the noise that it claims, decoded as usual."""
    bound, dim = rg.RelativeSensitivity(eta=0.1, r=1.0), 3
    claimed, actual = rg.IsometricGaussian(bound, dim, 2.0), rg.IsometricGaussian(bound, dim, 1.0)
    pair, rng = rotation(bound, dim, 1e4), np.random.default_rng(seed)
    return Victim(
        lambda count: actual.simulate(pair.first, count, rng),
        lambda count: actual.simulate(pair.second, count, rng),
        claimed.score(pair),
        claimed.guarantee,
    )


def delta_plus(features: np.ndarray, rho: float) -> int:
    """The paper's distance to failure: min |I| with sum over I of x_i' (A - rho I)^-1 x_i >= n, C = I."""
    n, d = features.shape
    excess = features.T @ features / n - rho * np.eye(d)
    leverage = np.einsum("ij,ij->i", features @ np.linalg.inv(excess), features)
    return int(np.searchsorted(np.cumsum(np.sort(leverage)[::-1]), n) + 1)


def delta_plus_pair() -> tuple[np.ndarray, np.ndarray]:
    """Two datasets of 200 points that differ in one, with delta_plus 14 and 81 at rho = 1/2.

    In the first, A - rho I has eigenvalues 9.016 and 9.085, and one point carries 0.856 of the first.
    """
    n, rho, m1, m2, share = 200, 0.5, 9.016, 9.085, 0.856
    large = math.sqrt(n * share * m1)
    along_first = math.sqrt(n * (m1 + rho - share * m1) / 111)
    along_second = math.sqrt(n * (m2 + rho) / 88)
    features = np.array([[large, 0.0], *[[along_first, 0.0]] * 111, *[[0.0, along_second]] * 88])
    neighbour = features.copy()
    neighbour[0] = 0.0
    return features, neighbour


def delta_plus_with_laplace_noise(seed: int) -> Victim:
    """delta_plus + Lap(1/epsilon), claimed epsilon-DP as if one record moved delta_plus by one at most."""
    epsilon, rng = 0.1, np.random.default_rng(seed)
    first, second = (delta_plus(features, 0.5) for features in delta_plus_pair())

    def sampler(count_to_failure: int) -> Sampler:
        return lambda count: count_to_failure + rng.laplace(0.0, 1 / epsilon, (count, 1))

    return Victim(sampler(first), sampler(second), Projection(np.ones(1)), rg.PureDP(epsilon))


VICTIMS = (
    noise_at_the_local_sensitivity,
    relative_without_floor,
    linear_constants_as_quadratic,
    relative_with_half_gamma,
    isometric_with_half_noise,
    delta_plus_with_laplace_noise,
)
