"""The decoders of the embedding: their error by 50-digit arithmetic, their choices and their refusals."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from mpmath import mp, mpf

import relgauss as rg
from relgauss.errors import InvalidParameterError
from relgauss.mechanisms.maps.embedding import BalancedEmbedding, ProductEmbedding
from relgauss.mechanisms.maps.spherical import mean_cosine

DIMS = [1, 2, 3, 10, 100, 10_000, 1_000_000]
SPREADS = [1e-9, 1e-4, 0.01, 0.1, 0.5, 1.0, 3.0, 25.0]


@pytest.fixture(autouse=True)
def _fifty_digits():
    with mp.workdps(50):
        yield


def confluent(dim: int, spread: float) -> mpf:
    """κ by the confluent hypergeometric function, in Kummer's form whose terms are all positive."""
    rho = 1 / mpf(spread)
    half = mpf(dim) / 2
    factor = rho / mp.sqrt(2) * mp.exp(mp.loggamma(half + mpf(1) / 2) - mp.loggamma(half + 1))
    return factor * mp.exp(-(rho**2) / 2) * mp.hyp1f1(half + mpf(1) / 2, half + 1, rho**2 / 2)


def lost_by_series(dim: int, spread: float) -> mpf:
    """1 - κ for a small spread, asymptotically: the large-argument series of the same function."""
    z = 1 / (2 * mpf(spread) ** 2)
    b = mpf(dim) / 2 + 1
    return 1 - mp.fsum(
        mp.rf(mpf(1) / 2, k) * mp.rf(mpf(3) / 2 - b, k) / mp.factorial(k) / z**k for k in range(12)
    )


@pytest.mark.parametrize("dim", DIMS)
@pytest.mark.parametrize("spread", [each for each in SPREADS if each >= 0.01])
def test_the_mean_cosine_has_all_its_digits(dim, spread):
    with mp.workdps(60 + int(dim / 2e4)):
        kept = confluent(dim, spread)
    found = mean_cosine(dim, spread)
    assert found.kept == pytest.approx(float(kept), rel=1e-12)
    assert found.lost == pytest.approx(float(1 - kept), rel=1e-10)
    assert found.log_kept == pytest.approx(float(mp.log(kept)), rel=1e-10)


@pytest.mark.parametrize("dim", [2, 3, 10, 100])
@pytest.mark.parametrize("spread", [1e-9, 1e-4, 1e-3])
def test_what_a_small_spread_loses_has_all_its_digits(dim, spread):
    assert mean_cosine(dim, spread).lost == pytest.approx(float(lost_by_series(dim, spread)), rel=1e-11)
    assert mean_cosine(dim, spread).lost == pytest.approx((dim - 1) / 2 * spread**2, rel=2 * dim * spread**2)


@pytest.mark.filterwarnings("ignore::relgauss.errors.MostlyNoiseWarning")
@pytest.mark.parametrize(("dim", "spread"), list(itertools.product([1, 2, 10, 10_000], [0.01, 0.3, 2.0])))
def test_the_error_without_a_floor(dim, spread):
    eta = 4.0
    m = rg.IsometricGaussian(rg.RelativeSensitivity(eta), dim, spread / eta)
    exact = mp.exp(mpf(spread) ** 2) / confluent(dim, spread) ** 2 - 1
    assert m.limiting_relative_error == pytest.approx(float(mp.sqrt(exact)), rel=1e-9)
    assert m.rms_error(7.0) == pytest.approx(7 * m.limiting_relative_error, rel=1e-12)


def moments_of_the_control_variate(eta: float, r: float, dim: int, norm: float, s: float, beta: float) -> mpf:
    """E||q̂ - q||² by the moments of Z_0, of the coordinate along q and of the others, term by term."""
    eta, r, norm, s, beta = map(mpf, (eta, r, norm, s, beta))
    x = (eta * s) ** 2
    scale = mp.sqrt((eta * norm) ** 2 + r**2)
    mean = norm / scale

    def exponential(a: int, b: int) -> mpf:
        """E A^a B^b with A, B = exp(±eta Z_0 - x/2)."""
        return mp.exp((a - b) * mp.log(scale / r) + (a - b) ** 2 * x / 2 - (a + b) * x / 2)

    def square(k: int) -> mpf:
        """E (||V||²)^k for V ~ N(mean e_1, s² I_d): moments of the noncentral chi-square law."""
        shift = (mean / s) ** 2
        first, second, third = dim + shift, 2 * (dim + 2 * shift), 8 * (dim + 3 * shift)  # its cumulants
        return s ** (2 * k) * (first, first**2 + second, first**3 + 3 * first * second + third)[k - 1]

    # q̂ = r V (A (c0 - c1 ||V||²) - (β/2) B)
    c0 = 1 + beta / 2 + beta * eta**2 / 2 * (dim + 2) * s**2
    c1 = beta * eta**2 / 2
    polynomial = [c0**2, -2 * c0 * c1, c1**2]
    aa = exponential(2, 0) * mp.fsum(c * square(k + 1) for k, c in enumerate(polynomial))
    ab = exponential(1, 1) * (c0 * square(1) - c1 * square(2))
    bb = exponential(0, 2) * square(1)
    return r**2 * (aa - beta * ab + beta**2 / 4 * bb) - norm**2


CASES = [
    (0.02, 1.0, 2, 5.0),
    (0.01, 3.0, 10, 5.0),
    (0.5, 1.0, 22, 1.0),
    (3.0, 2.0, 1, 0.2),
    (1.0, 1.0, 3, 2.0),
]


@pytest.mark.filterwarnings("ignore::relgauss.errors.MostlyNoiseWarning")
@pytest.mark.parametrize(("eta", "r", "dim", "s"), CASES)
@pytest.mark.parametrize("size", [0.0, 0.1, 1.0, 10.0, 100.0])
@pytest.mark.parametrize("public", [None, 0.0, 1.0, 50.0])
def test_the_error_of_the_control_variate(eta, r, dim, s, size, public):
    norm, public_norm = size * r / eta, None if public is None else public * r / eta
    m = rg.IsometricGaussian(rg.RelativeSensitivity(eta, r), dim, s, public_norm=public_norm)
    assert isinstance(m.map, BalancedEmbedding)
    beta = m.map.weight(s)
    exact = moments_of_the_control_variate(eta, r, dim, norm, s, beta)
    assert m.rms_error(norm) ** 2 == pytest.approx(float(exact), rel=1e-9)
    wrong = moments_of_the_control_variate(eta, r, dim, norm, s, -beta)
    assert abs(float(wrong / exact) - 1) > 1e-6  # the other sign is seen


@pytest.mark.filterwarnings("ignore::relgauss.errors.MostlyNoiseWarning")
@pytest.mark.parametrize(("eta", "r", "dim", "s"), CASES)
@pytest.mark.parametrize("size", [0.0, 0.01, 0.3, 1.0, 3.0, 100.0])
def test_at_a_public_norm_no_weight_is_better(eta, r, dim, s, size):
    norm = size * r / eta
    bound = rg.RelativeSensitivity(eta, r)
    tuned = rg.IsometricGaussian(bound, dim, s, public_norm=norm)
    large = rg.IsometricGaussian(bound, dim, s)
    nothing_taken_out = math.sqrt(ProductEmbedding(eta, r, False, dim).mean_squared_error(norm, s))
    assert tuned.rms_error(norm) <= min(large.rms_error(norm), nothing_taken_out) * (1 + 1e-12)
    beta = tuned.map.weight(s)
    for other in (beta - 0.01, beta + 0.01):
        worse = moments_of_the_control_variate(eta, r, dim, norm, s, other)
        assert float(worse) >= tuned.rms_error(norm) ** 2 * (1 - 1e-12)


def test_calibrate_and_compare_pass_the_public_norm_on():
    bound, target = rg.RelativeSensitivity(0.02, 1.0), {"dim": 2, "epsilon": 1.0, "delta": 1e-6}
    for norm in (0.0, 30.0):
        found = rg.calibrate(bound, norm=norm, mechanism="isometric", **target)
        assert found.public_norm == norm
        rows = {row.name: row.mechanism for row in rg.compare(bound, norm=norm, **target).rows}
        assert rows["isometric"] == found
        assert found.rms_error(norm) < rg.calibrate(bound, mechanism="isometric", **target).rms_error(norm)
    for other in (rg.RelativeSensitivity(0.02), rg.RelativeSensitivity(0.02, 1.0, "linear")):
        assert rg.calibrate(other, norm=30.0, mechanism="isometric", **target).public_norm is None


@pytest.mark.parametrize("kind", ["spherical", "balanced", "projected"])
def test_decoding_inverts_encoding(kind):
    bound = rg.RelativeSensitivity(0.3, 0.0 if kind == "spherical" else 2.0)
    decoder = "projected" if kind == "projected" else "standard"
    m = rg.IsometricGaussian(bound, 3, 1.0, decoder)
    for answer in ([1.0, -2.0, 0.5], [1e-9, 0.0, 0.0], [1e9, 1.0, -1e9]):
        assert m.decode(m.encode(answer)) == pytest.approx(np.array(answer), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    ("bound", "dim"),
    [
        (rg.RelativeSensitivity(0.1), 3),
        (rg.RelativeSensitivity(0.1, 1.0, "linear"), 3),
        (rg.RelativeSensitivity(0.1, 1.0), 1),
        (rg.RelativeSensitivity(0.0, 1.0), 3),
    ],
)
def test_the_projected_decoder_is_refused_by_name_where_it_has_no_proof(bound, dim):
    with pytest.raises(InvalidParameterError, match="projected"):
        rg.IsometricGaussian(bound, dim, 1.0, decoder="projected")


@pytest.mark.parametrize("decoder", ["best", None, 1])
def test_an_unknown_decoder_is_refused(decoder):
    with pytest.raises(InvalidParameterError, match="decoder"):
        rg.IsometricGaussian(rg.RelativeSensitivity(0.1, 1.0), 3, 1.0, decoder=decoder)


@pytest.mark.parametrize("norm", [-1.0, math.nan, math.inf, "3"])
def test_a_public_norm_out_of_range_is_refused(norm):
    with pytest.raises(InvalidParameterError, match="norm"):
        rg.IsometricGaussian(rg.RelativeSensitivity(0.1, 1.0), 3, 1.0, public_norm=norm)


@pytest.mark.parametrize("bound", [rg.RelativeSensitivity(0.1), rg.RelativeSensitivity(0.1, 1.0, "linear")])
def test_a_public_norm_is_refused_where_the_decoder_has_no_choice(bound):
    with pytest.raises(InvalidParameterError, match="public_norm"):
        rg.IsometricGaussian(bound, 3, 1.0, public_norm=2.0)


def test_the_projected_decoder_has_less_error_and_says_its_bias():
    bound = rg.RelativeSensitivity(0.05, 1.0)
    standard = rg.IsometricGaussian(bound, 10, 10.0)
    projected = replace(standard, decoder="projected")
    for size in (0.1, 1.0, 10.0):
        norm = size / 0.05
        assert projected.rms_error(norm) < standard.rms_error(norm)
        assert 0 < abs(projected.bias(norm)) < projected.rms_error(norm)
        assert standard.bias(norm) == 0


@pytest.mark.filterwarnings("ignore::relgauss.errors.MostlyNoiseWarning")
@pytest.mark.parametrize("dim", [2, 1000, 1_000_000])
@pytest.mark.parametrize("log_noise", [1e-180, 1e-8, 1.0, 25.0])
@pytest.mark.parametrize("r", [0.0, 1.0])
@pytest.mark.parametrize("norm", [1e-150, 1.0, 1e150])
def test_extremes_are_numbers(dim, log_noise, r, norm):
    eta = 1e-90 if log_noise < 1e-100 else 0.5
    m = rg.IsometricGaussian(rg.RelativeSensitivity(eta, r), dim, log_noise / eta).tuned_to(norm)
    assert m.rms_error(norm) >= 0  # False for NaN; overflow stays infinite
    assert m.limiting_relative_error >= 0
    if dim <= 1000:
        answer = np.zeros(dim)
        answer[0] = norm
        drawn = m.simulate(answer, 50, np.random.default_rng(0))
        assert np.isfinite(np.asarray(drawn)).all()
