"""The isometric mechanism: which map serves which bound, the exact error, and where it warns."""

import math
import warnings

import numpy as np
import pytest
from scipy.special import gammaln, hyp1f1, ndtr

import relgauss as rg
from relgauss.errors import InvalidParameterError, MostlyNoiseWarning, RelgaussError
from relgauss.mechanisms.maps.embedding import BalancedEmbedding, ProductEmbedding
from relgauss.mechanisms.maps.line import AsinhMap, Log1pMap, LogMap, SignedLog1pMap, SignedLogMap
from relgauss.mechanisms.maps.scaling import ScalingMap
from relgauss.mechanisms.maps.spherical import SphericalEmbedding

ETA, R, S = 0.3, 0.5, 1.2


def bound(r: float = R, form: str = "quadratic", nonnegative: bool = False, eta: float = ETA):
    return rg.RelativeSensitivity(eta, r, form, nonnegative=nonnegative)


def expm1_of(width: float) -> float:
    return math.expm1((width * S) ** 2)


def product(norm: float, dim: int, scale: float) -> float:
    x = (ETA * S) ** 2
    return norm**2 * math.expm1(x) + dim * (S * scale) ** 2 * math.exp(x)


def balanced(norm: float, dim: int) -> float:
    """Statement 2 of proofs/decoders.md, written again from the page."""
    x, square = (ETA * S) ** 2, (ETA * norm) ** 2 + R**2
    t, w = (ETA * norm) ** 2 / square, R**2 / square
    beta = 1 / (1 + 1.5 * x * (dim + 2) + 0.5 * x * x * dim * (dim + 2))
    noise = x * t**2 + 1.5 * x**2 * t * (dim + 2) + 0.5 * x**3 * dim * (dim + 2)
    error = t * math.expm1(x) + math.exp(x) * (dim * x - 2 * beta * x * t + beta**2 * noise)
    error += 2 * beta * w * math.sinh(x) * (t + dim * x - beta * x * t)
    return square / ETA**2 * (error + (beta * w) ** 2 * math.sinh(x) * (t + dim * x))


def spherical(norm: float, dim: int) -> float:
    """Statement 1 of proofs/decoders.md, with the mean cosine by the confluent hypergeometric function."""
    half = 1 / (2 * (ETA * S) ** 2)
    log_factor = gammaln((dim + 1) / 2) - gammaln(dim / 2 + 1)
    kappa = math.sqrt(half) * math.exp(log_factor) * hyp1f1(0.5, dim / 2 + 1, -half)
    return norm**2 * (math.exp((ETA * S) ** 2) / kappa**2 - 1)


def signed_log1p(norm: float) -> float:
    """Formulas (2) to (4) of proofs/isometric.md, written again from the page."""
    beta = S * 2 * math.log(2 / (2 - ETA))
    m, x = math.log1p(ETA * norm / R) / beta, beta**2
    up, down = math.exp(beta * m), math.exp(-beta * m)
    minus = up * ndtr(m + beta) - down * ndtr(beta - m)
    plus = up * ndtr(m + beta) + down * ndtr(beta - m)
    F = math.exp(x) * (up**2 * ndtr(m + 2 * beta) + down**2 * ndtr(2 * beta - m))
    mean = R / ETA * (minus - ndtr(m) + ndtr(-m))
    return (R / ETA) ** 2 * (F - 2 * plus + 1) - 2 * norm * mean + norm**2


# (bound, dim, map, mean square error as on the page, at a norm)
TABLE = [
    (bound(), 3, BalancedEmbedding, lambda u: balanced(u, 3)),
    (bound(form="linear"), 3, ProductEmbedding, lambda u: product(u, 3, math.hypot(ETA * u + R, R))),
    (bound(r=0.0), 3, SphericalEmbedding, lambda u: spherical(u, 3)),
    (bound(), 1, AsinhMap, lambda u: _asinh(u, 2 * math.atanh(ETA / 2))),
    (bound(nonnegative=True), 1, AsinhMap, lambda u: _asinh(u, math.asinh(ETA))),
    (bound(form="linear"), 1, SignedLog1pMap, signed_log1p),
    (
        bound(form="linear", nonnegative=True),
        1,
        Log1pMap,
        lambda u: (u + R / ETA) ** 2 * expm1_of(math.log1p(ETA)),
    ),
    (bound(r=0.0), 1, SignedLogMap, lambda u: u**2 * expm1_of(math.log1p(ETA))),
    (bound(r=0.0, nonnegative=True), 1, LogMap, lambda u: u**2 * expm1_of(math.log1p(ETA))),
    (bound(eta=0.0), 3, ScalingMap, lambda u: 3 * (S * R) ** 2),
    (bound(eta=0.0, form="linear"), 1, ScalingMap, lambda u: (S * R) ** 2),
]


def _asinh(norm: float, width: float) -> float:
    x = (width * S) ** 2
    return norm**2 * math.expm1(x) + (R / ETA) ** 2 * math.sinh(x)


@pytest.mark.parametrize(("sensitivity", "dim", "kind", "mean_squared_error"), TABLE)
def test_each_bound_has_its_map_and_the_error_of_the_page(sensitivity, dim, kind, mean_squared_error):
    m = rg.IsometricGaussian(sensitivity, dim, S)
    assert type(m.map) is kind
    assert m.rms_error(1e9) / 1e9 == pytest.approx(m.limiting_relative_error, rel=1e-6, abs=1e-8)
    for norm in (1e-3, 0.4, 3.0, 1e3, 1e9):
        assert m.rms_error(norm) ** 2 == pytest.approx(mean_squared_error(norm), rel=1e-7)


@pytest.mark.parametrize(
    ("eta", "nonnegative", "kind"),
    [
        (1.99, False, AsinhMap),
        (2.0, False, BalancedEmbedding),
        (5.0, False, BalancedEmbedding),
        (5.0, True, AsinhMap),
    ],
)
def test_signed_answers_need_the_embedding_from_eta_two_on(eta, nonnegative, kind):
    assert type(rg.IsometricGaussian(bound(eta=eta, nonnegative=nonnegative), 1, 0.1).map) is kind


@pytest.mark.parametrize("dim", [1, 2, 1000])
@pytest.mark.parametrize("form", ["quadratic", "linear"])
def test_the_privacy_is_that_of_a_plain_gaussian_at_every_dimension(dim, form):
    m = rg.IsometricGaussian(bound(form=form), dim, 2.0)
    plain = rg.Gaussian(rg.AbsoluteSensitivity(1.0), dim, 2.0)
    assert m.mu == 0.5
    assert m.guarantee == plain.guarantee
    assert m.epsilon(1e-6, 7) == plain.epsilon(1e-6, 7)
    assert m.rdp(100.0) == plain.rdp(100.0)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_the_sign_is_marked_so_clearly_that_no_noise_hides_it(sign):
    m = rg.IsometricGaussian(bound(r=0.0), 1, S)
    assert m.encode(sign * 5.0)[1] == sign * 64 * S
    samples = m.simulate(sign * 5.0, 20_000, np.random.default_rng(1))
    assert (np.sign(samples) == sign).all()


def test_simulate_draws_what_release_draws():
    m = rg.IsometricGaussian(bound(), 3, S)
    rows = m.simulate([1.0, 2.0, 3.0], 4, np.random.default_rng(8))
    rng = np.random.default_rng(8)
    one_by_one = [m.release([1.0, 2.0, 3.0], rng=rng) for _ in range(4)]
    np.testing.assert_allclose(rows, one_by_one, rtol=1e-12)


def test_small_eta_turns_into_the_classical_case():
    """As eta falls the quadratic embedding becomes q/r, and the error that of plain noise."""
    q = np.array([0.7, -0.2])
    m = rg.IsometricGaussian(bound(eta=1e-8), 2, S)
    np.testing.assert_allclose(m.encode(q)[1:], q / R, rtol=1e-12)
    assert abs(m.encode(q)[0]) < 1e-7
    assert m.rms_error(1.0) == pytest.approx(math.sqrt(2) * S * R, rel=1e-9)


@pytest.mark.parametrize("eta", [1e-3, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9])
@pytest.mark.parametrize("norm", [0.0, 0.3, 3.0])
@pytest.mark.parametrize("form", ["quadratic", "linear"])
@pytest.mark.parametrize("nonnegative", [False, True])
def test_the_error_keeps_its_digits_as_eta_falls(eta, norm, form, nonnegative):
    """On the line every map becomes q/r, so the error is S·R up to terms of the order of eta."""
    m = rg.IsometricGaussian(bound(eta=eta, form=form, nonnegative=nonnegative), 1, S)
    assert m.rms_error(norm) == pytest.approx(S * R, rel=10 * eta + 1e-9)


def test_answers_that_are_mostly_noise_bring_a_warning_and_then_an_error():
    with warnings.catch_warnings():
        warnings.simplefilter("error", MostlyNoiseWarning)
        rg.IsometricGaussian(bound(eta=1.0), 2, 1.0)
    with pytest.warns(MostlyNoiseWarning, match="standard deviation of 1.5"):
        rg.IsometricGaussian(bound(eta=1.0), 2, 1.5)
    with pytest.raises(InvalidParameterError, match="nothing but noise"):
        rg.IsometricGaussian(bound(eta=1.0), 2, 25.1)


@pytest.mark.parametrize("form", ["quadratic", "linear"])
@pytest.mark.parametrize("eta", [0.5, 1.0, 1.9, 1.99, 1.9999, 3.0])
def test_no_warning_means_that_the_answer_is_more_than_noise(form, eta):
    with warnings.catch_warnings():
        warnings.simplefilter("error", MostlyNoiseWarning)
        try:
            m = rg.IsometricGaussian(bound(eta=eta, form=form), 1, 0.99 / eta)
        except MostlyNoiseWarning:
            return
    assert m.limiting_relative_error < 3


@pytest.mark.filterwarnings("ignore::relgauss.errors.MostlyNoiseWarning")
@pytest.mark.parametrize("form", ["quadratic", "linear"])
@pytest.mark.parametrize("eta", [0.1, 1.9, 3.0])
@pytest.mark.parametrize("dim", [1, 2])
@pytest.mark.parametrize("norm", [0.0, 1e200])
def test_every_error_is_a_number_up_to_the_largest_noise(form, eta, dim, norm):
    log_noise = rg.IsometricGaussian(bound(eta=eta, form=form), dim, 0.01).map.log_noise(1.0)
    m = rg.IsometricGaussian(bound(eta=eta, form=form), dim, 24.9 / log_noise)
    assert m.rms_error(norm) > 0
    assert m.limiting_relative_error > 0


@pytest.mark.parametrize("form", ["quadratic", "linear"])
@pytest.mark.parametrize("nonnegative", [False, True])
@pytest.mark.parametrize("r", [1e-160, 1e160])
@pytest.mark.parametrize("answer", [1e-100, 1e150])
def test_a_floor_of_any_size_gives_finite_coordinates_or_an_error_of_ours(form, nonnegative, r, answer):
    try:
        m = rg.IsometricGaussian(bound(r=r, form=form, nonnegative=nonnegative), 1, 0.5)
        z = m.encode(answer)
    except RelgaussError:
        return
    assert np.isfinite(z).all()
    assert m.decode(z)[0] == pytest.approx(answer, rel=1e-9)
    assert m.rms_error(answer) > 0


@pytest.mark.parametrize("eta", [1e-6, 1e-9, 1e-12])
def test_secure_answers_are_as_accurate_as_the_formula_says_however_small_eta_is(eta):
    try:
        m = rg.IsometricGaussian(bound(eta=eta), 2, S)
        errors = np.array([m.release([0.3, 0.4]) - [0.3, 0.4] for _ in range(500)])
    except RelgaussError:
        return
    assert np.sqrt(np.sum(errors**2, axis=1).mean()) < 1.3 * m.rms_error(0.5)
