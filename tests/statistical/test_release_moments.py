"""The mean and the mean square error of simulated releases are the ones that the formulas say."""

import math

import numpy as np
import pytest
from scipy.special import ndtr

import relgauss as rg
from relgauss.mechanisms.maps import UnitMap, spherical
from relgauss.mechanisms.maps.embedding import BalancedEmbedding
from relgauss.mechanisms.maps.line import SignedLog1pMap
from relgauss.mechanisms.maps.projected import ProjectedEmbedding

pytestmark = pytest.mark.statistical

COUNT = 120_000


def problems(
    samples: np.ndarray, mean: np.ndarray, answer: np.ndarray, mean_squared_error: float, allowed: float = 5.0
) -> list[str]:
    """What the samples contradict by more standard errors than allowed: their mean or their square error."""
    root_count = math.sqrt(len(samples))
    found = []
    off = np.abs(samples.mean(axis=0) - mean) / (samples.std(axis=0) / root_count)
    if off.max() > allowed:
        found.append(f"the mean is {off.max():.1f} standard errors off")
    squares = np.sum((samples - answer) ** 2, axis=1)
    off = abs(squares.mean() - mean_squared_error) / (squares.std() / root_count)
    if off > allowed:
        found.append(f"the mean square error is {off:.1f} standard errors off")
    return found


def check(
    mechanism: rg.Mechanism, answer: list[float], seed: int, mean: list[float] | None = None
) -> list[str]:
    samples = np.asarray(mechanism.simulate(answer, COUNT, np.random.default_rng(seed)))
    expected = np.array(answer if mean is None else mean)
    norm = float(np.linalg.norm(answer))
    return problems(samples, expected, np.array(answer), mechanism.rms_error(norm) ** 2)


ANSWERS = {1: [-2.0], 2: [3.0, -0.5], 5: [0.3, 0.0, -4.0, 1.0, 2.0]}


@pytest.mark.parametrize("dim", ANSWERS)
def test_gaussian(dim):
    mechanism = rg.Gaussian(rg.AbsoluteSensitivity(0.7), dim, 2.5)
    assert check(mechanism, ANSWERS[dim], 10) == []


@pytest.mark.parametrize("dim", ANSWERS)
@pytest.mark.parametrize("form", ["quadratic", "linear"])
@pytest.mark.parametrize("sigma", [None, 1.7])
def test_relative(dim, form, sigma):
    mechanism = rg.RelativeGaussian(rg.RelativeSensitivity(0.2, 0.5, form), dim, 0.09, sigma)
    assert check(mechanism, ANSWERS[dim], 20) == []
    assert check(mechanism, [0.0] * dim, 21) == []


@pytest.mark.parametrize("sigma", [0.0, 1.7])
def test_relative_without_a_floor(sigma):
    mechanism = rg.RelativeGaussian(rg.RelativeSensitivity(0.2), 2, 0.09, sigma)
    assert check(mechanism, ANSWERS[2], 22) == []


# (bound, dim, answer, noise multiplier): eta times the multiplier is at most 0.6, so that tails stay light.
ISOMETRIC = [
    (rg.RelativeSensitivity(0.2, 0.5), 2, ANSWERS[2], 2.0),
    (rg.RelativeSensitivity(0.2, 0.5), 5, ANSWERS[5], 3.0),
    (rg.RelativeSensitivity(0.2, 0.5), 2, [0.0, 0.0], 2.0),
    (rg.RelativeSensitivity(0.2, 0.5, "linear"), 2, ANSWERS[2], 2.0),
    (rg.RelativeSensitivity(0.2, 0.5, "linear"), 5, [0.0] * 5, 2.0),
    (rg.RelativeSensitivity(0.2), 2, ANSWERS[2], 2.0),
    (rg.RelativeSensitivity(3.0, 0.5), 1, ANSWERS[1], 0.15),
    (rg.RelativeSensitivity(3.0, 0.5, "linear"), 1, ANSWERS[1], 0.15),
    (rg.RelativeSensitivity(3.0), 1, ANSWERS[1], 0.15),
    (rg.RelativeSensitivity(0.0, 0.5), 1, ANSWERS[1], 2.0),
    (rg.RelativeSensitivity(0.0, 0.5, "linear"), 5, ANSWERS[5], 2.0),
    (rg.RelativeSensitivity(0.2, 0.5), 1, ANSWERS[1], 3.0),
    (rg.RelativeSensitivity(0.2, 0.5), 1, [0.0], 3.0),
    (rg.RelativeSensitivity(1.5, 0.5), 1, ANSWERS[1], 0.3),
    (rg.RelativeSensitivity(0.2, 0.5, nonnegative=True), 1, [2.0], 3.0),
    (rg.RelativeSensitivity(0.2, 0.5, "linear", nonnegative=True), 1, [2.0], 3.0),
    (rg.RelativeSensitivity(0.2, 0.5, "linear", nonnegative=True), 1, [0.0], 3.0),
    (rg.RelativeSensitivity(0.2, nonnegative=True), 1, [2.0], 3.0),
    (rg.RelativeSensitivity(0.2), 1, ANSWERS[1], 3.0),
]


@pytest.mark.parametrize(("sensitivity", "dim", "answer", "noise_multiplier"), ISOMETRIC)
def test_isometric(sensitivity, dim, answer, noise_multiplier):
    mechanism = rg.IsometricGaussian(sensitivity, dim, noise_multiplier)
    assert check(mechanism, answer, 30) == []


def concrete(kind: type) -> set[type]:
    below = set().union(*(concrete(each) for each in kind.__subclasses__()))
    return below | ({kind} if not getattr(kind, "__abstractmethods__", None) else set())


def test_every_map_but_the_biased_ones_is_above():
    covered = {type(rg.IsometricGaussian(s, dim, multiplier).map) for s, dim, _, multiplier in ISOMETRIC}
    assert covered == concrete(UnitMap) - {SignedLog1pMap, ProjectedEmbedding}


@pytest.mark.parametrize("answer", [[0.0, 0.0], [0.5, -1.0], ANSWERS[2], [30.0, -40.0]])
@pytest.mark.parametrize("public_norm", [None, 0.0, 2.0, 100.0])
def test_a_decoder_made_for_a_norm_has_no_bias_at_any_answer(answer, public_norm):
    mechanism = rg.IsometricGaussian(rg.RelativeSensitivity(0.2, 0.5), 2, 2.0, public_norm=public_norm)
    assert check(mechanism, answer, 31) == []


@pytest.mark.parametrize("norm", [0.0, 0.4, 2.5, 25.0, 250.0])
@pytest.mark.parametrize(("dim", "noise_multiplier"), [(2, 2.0), (10, 1.0)])
def test_the_bias_of_the_projected_decoder_is_as_stated(dim, noise_multiplier, norm):
    mechanism = rg.IsometricGaussian(
        rg.RelativeSensitivity(0.2, 0.5), dim, noise_multiplier, decoder="projected"
    )
    answer = norm * np.eye(dim)[0]
    samples = np.asarray(mechanism.simulate(answer, 40_000, np.random.default_rng(32)))
    mean = answer + mechanism.bias(norm) * np.eye(dim)[0]
    assert problems(samples, mean, answer, mechanism.rms_error(norm) ** 2) == []


def estimates(mechanism: rg.IsometricGaussian, answer: list[float], seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    noise = rng.normal(0.0, mechanism.noise_multiplier, (COUNT, mechanism.map.coordinates))
    return mechanism.map.estimate(mechanism.encode(answer) + noise, mechanism.noise_multiplier)


def test_the_check_sees_a_wrong_mean_cosine(monkeypatch):
    mechanism = rg.IsometricGaussian(rg.RelativeSensitivity(0.2), 2, 2.0)
    answer = np.array(ANSWERS[2])
    square = mechanism.rms_error(float(np.linalg.norm(answer))) ** 2
    assert problems(estimates(mechanism, ANSWERS[2], 33), answer, answer, square) == []
    monkeypatch.setattr(spherical, "mean_cosine", lambda dim, spread: spherical.Cosine(1.0, 0.0))
    assert problems(estimates(mechanism, ANSWERS[2], 33), answer, answer, square) != []


def test_the_check_sees_a_weight_of_the_wrong_sign(monkeypatch):
    """It stays without bias, as for every weight: the error is what tells."""
    mechanism = rg.IsometricGaussian(rg.RelativeSensitivity(0.2, 0.5), 2, 2.0)
    answer = np.array(ANSWERS[2])
    square, weight = mechanism.rms_error(float(np.linalg.norm(answer))) ** 2, mechanism.map.weight(2.0)
    assert problems(estimates(mechanism, ANSWERS[2], 34), answer, answer, square) == []
    monkeypatch.setattr(BalancedEmbedding, "weight", lambda self, s: -weight)
    (found,) = problems(estimates(mechanism, ANSWERS[2], 34), answer, answer, square)
    assert "square" in found


def signed_log1p_mean(mechanism: rg.IsometricGaussian, answer: float) -> float:
    """Formula (3) of proofs/isometric.md, written again from the page."""
    eta, r = mechanism.sensitivity.eta, mechanism.sensitivity.r
    beta = mechanism.noise_multiplier * 2 * math.log(2 / (2 - eta))
    m = math.copysign(math.log1p(eta * abs(answer) / r), answer) / beta
    difference = math.exp(beta * m) * ndtr(m + beta) - math.exp(-beta * m) * ndtr(beta - m)
    return r / eta * (difference - ndtr(m) + ndtr(-m))


# The bias is largest, some hundredths of r, where the noise often flips the sign.
@pytest.mark.parametrize("answer", [0.0, 0.4, -0.4, 1.5, -30.0])
def test_the_map_that_cannot_be_unbiased(answer):
    mechanism = rg.IsometricGaussian(rg.RelativeSensitivity(0.6, 0.5, "linear"), 1, 0.9)
    assert isinstance(mechanism.map, SignedLog1pMap)
    mean = signed_log1p_mean(mechanism, answer)
    assert check(mechanism, [answer], 40, mean=[mean]) == []
    bias = math.copysign(mechanism.bias(abs(answer)), answer)
    assert bias == pytest.approx(mean - answer, rel=1e-9, abs=1e-12)


def test_the_check_sees_the_bias_of_that_map():
    mechanism = rg.IsometricGaussian(rg.RelativeSensitivity(0.6, 0.5, "linear"), 1, 0.9)
    assert check(mechanism, [0.4], 40) != []


@pytest.mark.parametrize(
    ("sensitivity", "dim", "answer", "noise_multiplier"), ISOMETRIC[:1] + ISOMETRIC[11:12]
)
def test_the_check_sees_an_estimate_without_the_unbiasing_factor(sensitivity, dim, answer, noise_multiplier):
    mechanism = rg.IsometricGaussian(sensitivity, dim, noise_multiplier)
    noise = np.random.default_rng(50).normal(0.0, noise_multiplier, (COUNT, mechanism.map.coordinates))
    noisy = mechanism.encode(answer) + noise
    square = mechanism.rms_error(float(np.linalg.norm(answer))) ** 2
    estimated = mechanism.map.estimate(noisy, noise_multiplier)
    assert problems(estimated, np.array(answer), np.array(answer), square) == []
    decoded = mechanism.map.estimate(noisy, 0.0)
    assert len(problems(decoded, np.array(answer), np.array(answer), square)) == 2


def test_the_check_sees_noise_one_hundredth_too_small():
    mechanism = rg.Gaussian(rg.AbsoluteSensitivity(0.7), 2, 2.5)
    rng = np.random.default_rng(60)
    samples = rng.normal(ANSWERS[2], 0.99 * mechanism.noise_std, (COUNT, 2))
    square = mechanism.rms_error() ** 2
    assert len(problems(samples, np.array(ANSWERS[2]), np.array(ANSWERS[2]), square)) == 1


@pytest.mark.parametrize(
    "mechanism",
    [
        rg.Gaussian(rg.AbsoluteSensitivity(0.7), 2, 2.5),
        rg.RelativeGaussian(rg.RelativeSensitivity(0.2, 0.5), 2, 0.09),
        rg.RelativeGaussian(rg.RelativeSensitivity(0.2, 0.5, "linear"), 2, 0.09, 1.7),
        rg.IsometricGaussian(rg.RelativeSensitivity(0.2, 0.5), 2, 1.0),
        rg.IsometricGaussian(rg.RelativeSensitivity(0.2), 2, 1.0),
        rg.IsometricGaussian(rg.RelativeSensitivity(0.2, 0.5, "linear"), 2, 1.0),
        rg.IsometricGaussian(rg.RelativeSensitivity(0.0, 0.5), 2, 2.0),
    ],
)
def test_secure_noise_has_the_same_moments(mechanism):
    """No seed can be fixed here: a false alarm at seven standard errors is below one in a billion.

    A standard error is an estimate, too small where no large error was drawn. With a skewness s of the
    squares, at most 4.3 here, this makes seven of them exp(7³ s/(3 sqrt(count))) times more likely.
    """
    answer = np.array(ANSWERS[2])
    samples = np.array([mechanism.release(answer) for _ in range(10_000)])
    square = mechanism.rms_error(float(np.linalg.norm(answer))) ** 2
    assert problems(samples, answer, answer, square, allowed=7) == []
