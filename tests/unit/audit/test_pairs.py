"""The auditor's pairs are neighbours under the bound, as far apart as it allows, and scored by likelihood."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import multivariate_normal

import relgauss as rg
from relgauss.audit import Pair, worst_pair
from relgauss.mechanisms.maps.scale_free import ScaleFreeProjection
from relgauss.mechanisms.maps.spherical import mean_cosine
from relgauss.mechanisms.scores import GaussianLogRatio

FORMS = ["quadratic", "linear"]
BOUNDS = [
    rg.RelativeSensitivity(eta, r, form, nonnegative)
    for eta in (0.01, 0.5, 1.9, 3.0)
    for r in (0.0, 2.0)
    for form in FORMS
    for nonnegative in (False, True)
]
CASES = [(bound, dim) for bound in BOUNDS for dim in ((1,) if bound.nonnegative else (1, 2, 5))]


def mechanisms(bound: rg.RelativeSensitivity, dim: int) -> list[rg.Mechanism]:
    return [
        rg.RelativeGaussian(bound, dim, gamma=bound.eta**2),
        rg.RelativeGaussian(bound, dim, gamma=bound.eta**2, sigma=3.0),
        rg.IsometricGaussian(bound, dim, noise_multiplier=0.1),
    ]


@pytest.mark.parametrize(("bound", "dim"), CASES)
def test_pairs_are_neighbours(bound: rg.RelativeSensitivity, dim: int):
    for mechanism in mechanisms(bound, dim):
        for epsilon in (0.1, 1.0, 5.0):
            pair = worst_pair(mechanism, epsilon)
            norms = np.linalg.norm(pair.first), np.linalg.norm(pair.second)
            distance = np.linalg.norm(pair.difference)
            assert 0 < distance <= bound.local_scale(min(norms)) * (1 + 1e-12)
            if bound.nonnegative:
                assert min(pair.first[0], pair.second[0]) >= 0


@pytest.mark.parametrize(("bound", "dim"), [case for case in CASES if case[0].eta < 2 or case[0].nonnegative])
def test_isometric_pairs_are_one_apart_in_the_image(bound: rg.RelativeSensitivity, dim: int):
    mechanism = rg.IsometricGaussian(bound, dim, noise_multiplier=0.1)
    pair = worst_pair(mechanism, 1.0)
    distance = np.linalg.norm(mechanism.encode(pair.first) - mechanism.encode(pair.second))
    assert distance == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("form", FORMS)
def test_relative_pair_is_the_worst_corner(form: str):
    mechanism = rg.RelativeGaussian(rg.RelativeSensitivity(0.1, 1.0, form), 3, gamma=0.01)
    pair = worst_pair(mechanism, 3.0)
    first, second = (mechanism.noise_std(float(np.linalg.norm(x))) for x in (pair.first, pair.second))
    assert second / first == pytest.approx(1.1, rel=1e-5)
    assert np.linalg.norm(pair.difference) / first == pytest.approx(0.1 / 0.1, rel=1e-5)


def test_relative_pair_has_equal_variances_where_that_is_worse():
    """At eta = 0.1, shift 2, d = 1 the profile at epsilon 1 is that of equal variances, at 3 it is not."""
    mechanism = rg.RelativeGaussian(rg.RelativeSensitivity(0.1, 1.0), 1, gamma=0.0025)
    equal, unlike = worst_pair(mechanism, 1.0), worst_pair(mechanism, 3.0)
    assert abs(equal.first[0]) == abs(equal.second[0])
    assert abs(unlike.first[0]) < abs(unlike.second[0])


def test_gaussian_log_ratio_is_the_ratio_of_densities():
    rng = np.random.default_rng(0)
    first, second, outputs = rng.normal(size=3), rng.normal(size=3), rng.normal(size=(20, 3))
    densities = multivariate_normal(second, 4.0).logpdf(outputs) - multivariate_normal(first, 0.25).logpdf(
        outputs
    )
    score = GaussianLogRatio(first, second, 0.5, 2.0)(outputs)
    assert score - score[0] == pytest.approx(densities - densities[0])


@pytest.mark.parametrize("form", FORMS)
def test_scale_free_projection_finds_the_most_likely_scale(form: str):
    mechanism = rg.IsometricGaussian(rg.RelativeSensitivity(0.3, 2.0, form), 4, noise_multiplier=1.5)
    pair = worst_pair(mechanism, 1.0)
    score = mechanism.score(pair)
    assert isinstance(score, ScaleFreeProjection)
    outputs = np.asarray(mechanism.simulate(pair.first, 50, np.random.default_rng(1)))
    projection = outputs @ score.direction
    found = np.log(score(outputs) / projection)  # the logarithm of the inverse scale
    for x, best in zip(outputs, found, strict=True):
        grid = np.linspace(best - 2, best + 2, 4001)
        prior = -((grid + score.log_scale) ** 2) / (2 * (score.eta * score.noise_std) ** 2)
        square = np.sum((np.exp(grid)[:, None] * x - score.midpoint) ** 2, axis=1)
        log_likelihood = prior + x.size * grid - square / (2 * score.noise_std**2)
        assert grid[np.argmax(log_likelihood)] == pytest.approx(best, abs=2e-3)


@pytest.mark.parametrize(("dim", "tolerance"), [(2, 2e-2), (5, 5e-3)])
def test_the_spherical_score_is_the_likelihood_ratio(dim: int, tolerance: float):
    """Direction by an integral over all lengths, length by its normal logarithm; the pair differs in both."""
    mechanism = rg.IsometricGaussian(rg.RelativeSensitivity(0.3), dim, noise_multiplier=1.0)
    first, second = np.eye(dim)[0], 1.2 * np.eye(dim)[0] + 0.2 * np.eye(dim)[1]
    score = mechanism.score(Pair(first, second))
    outputs = np.asarray(mechanism.simulate(first, 50, np.random.default_rng(3)))
    kappa = mean_cosine(dim, 0.3).kept

    def log_density(answer: np.ndarray, x: np.ndarray) -> float:
        length = float(np.linalg.norm(x))
        t, norm = float(x @ answer) / length / np.linalg.norm(answer) / 0.3, float(np.linalg.norm(answer))
        radial = quad(lambda R: R ** (dim - 1) * math.exp(-R * R / 2 + R * t - t * t / 2), 0, 40)[0]
        g = math.log(length) - math.log(norm / kappa) + 0.3**2 / 2
        return math.log(radial) + t * t / 2 - g * g / (2 * 0.3**2)

    exact = np.array([log_density(second, x) - log_density(first, x) for x in outputs])
    found = score(outputs)
    assert found - found[0] == pytest.approx(exact - exact[0], abs=tolerance)


def test_scale_free_projection_ignores_the_unit():
    outputs = np.random.default_rng(2).normal(size=(100, 3))
    scores = []
    for r in (1.0, 1e40):
        mechanism = rg.IsometricGaussian(rg.RelativeSensitivity(0.1, r), 3, noise_multiplier=1.0)
        scores.append(mechanism.score(worst_pair(mechanism, 1.0))(outputs * r * 1e3))
    assert scores[0] == pytest.approx(scores[1])
    assert math.isfinite(scores[0].sum())
