"""The public lattice: what is rounded to it, what is refused, and that noise on it keeps the guarantee."""

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from mpmath import mp, mpf

import relgauss as rg
from relgauss.accounting.gaussian_pair import GaussianPair
from relgauss.arrays import l2_norm
from relgauss.errors import InvalidParameterError, InvalidValueError, NoGuaranteeError, RelgaussError
from relgauss.mechanisms import relative
from relgauss.mechanisms.maps import unit_map
from relgauss.noise import secure
from relgauss.noise.lattice import lattice_exponent, round_to_lattice, rounding_distance

Relative, Absolute = rg.RelativeSensitivity, rg.AbsoluteSensitivity

FIXED_NOISE = {
    "gaussian": rg.Gaussian(Absolute(2.0), 1, 3.0),
    "gaussian, 5 coordinates": rg.Gaussian(Absolute(0.3), 5, 0.7),
    "isometric, eta = 0": rg.IsometricGaussian(Relative(0.0, 2.0), 2, 3.0),
    "embedding, quadratic": rg.IsometricGaussian(Relative(0.1, 2.0), 3, 3.0),
    "embedding, linear": rg.IsometricGaussian(Relative(0.1, 2.0, "linear"), 3, 3.0),
    "embedding, r = 0": rg.IsometricGaussian(Relative(0.1), 3, 3.0),
    "asinh": rg.IsometricGaussian(Relative(0.1, 2.0), 1, 3.0),
    "asinh, never negative": rg.IsometricGaussian(Relative(0.1, 2.0, nonnegative=True), 1, 3.0),
    "signed log1p": rg.IsometricGaussian(Relative(0.1, 2.0, "linear"), 1, 3.0),
    "log1p": rg.IsometricGaussian(Relative(0.1, 2.0, "linear", nonnegative=True), 1, 3.0),
    "signed log": rg.IsometricGaussian(Relative(0.1), 1, 3.0),
    "log": rg.IsometricGaussian(Relative(0.1, nonnegative=True), 1, 3.0),
}
MOVING_NOISE = {
    "relative, quadratic": rg.RelativeGaussian(Relative(0.1, 2.0), 3, 0.25),
    "relative, linear": rg.RelativeGaussian(Relative(0.1, 2.0, "linear"), 3, 0.25),
    "relative, larger sigma": rg.RelativeGaussian(Relative(0.1, 2.0), 1, 0.25, 40.0),
}
CLASSICAL = {
    "relative, eta = 0": rg.RelativeGaussian(Relative(0.0, 2.0), 2, 0.0, 5.0),
    "relative, eta = 0, linear": rg.RelativeGaussian(Relative(0.0, 2.0, "linear"), 2, 0.0, 5.0),
}
ALL = FIXED_NOISE | MOVING_NOISE | CLASSICAL


def each(mechanisms: dict[str, rg.Mechanism]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("mechanism", mechanisms.values(), ids=mechanisms.keys())


@pytest.fixture
def draws(monkeypatch: pytest.MonkeyPatch) -> list[tuple[np.ndarray, float, int]]:
    """Every call of the sampler: (value, std, exponent). Nothing is drawn: the value comes back rounded."""
    calls: list[tuple[np.ndarray, float, int]] = []

    def record(value: np.ndarray, std: float, exponent: int) -> np.ndarray:
        calls.append((value, std, exponent))
        return round_to_lattice(value, exponent)

    monkeypatch.setattr(secure, "add_discrete_gaussian", record)
    return calls


def on_lattice(value: float, exponent: int) -> bool:
    return (Fraction(value) / Fraction(2) ** exponent).denominator == 1


# The lattice


@given(st.floats(1e-150, 1e150), st.integers(1, 10**7))
def test_the_step_is_2_to_the_minus_50_of_the_noise_and_finer_for_more_coordinates(std, size):
    share = size * Fraction(2) ** (2 * lattice_exponent(std, size)) / Fraction(std) ** 2
    assert Fraction(2) ** -106 < share <= Fraction(2) ** -100


@each(ALL)
def test_the_lattice_depends_on_public_parameters_only(mechanism, draws):
    for size in (1e-100, 1.0, 3.7, 1e17, 1e100):
        mechanism.release(np.full(mechanism.dim, size))
    assert len({exponent for _, _, exponent in draws}) == 1
    has_fixed_noise = isinstance(mechanism.guarantee, rg.GaussianDP)
    assert (len({std for _, std, _ in draws}) == 1) == has_fixed_noise


@each(ALL)
def test_no_noise_level_is_coarse_on_its_lattice(mechanism, draws):
    """The least std over the step: 2^50 sqrt(m), and 2^70 sqrt(d) where the std follows the answer."""
    for size in (1e-100, 1.0, 1e100):
        mechanism.release(np.full(mechanism.dim, size))
    finest = 2.0**70 if isinstance(mechanism, rg.RelativeGaussian) else 2.0**50
    assert all(std >= finest * math.sqrt(len(value)) * 2.0**exponent for value, std, exponent in draws)


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(-600, 500))
def test_rounding_is_exact(value, exponent):
    rounded = round_to_lattice(np.array([value]), exponent)[0]
    assert on_lattice(rounded, exponent)
    assert abs(Fraction(rounded) - Fraction(value)) <= Fraction(2) ** exponent / 2


@pytest.mark.parametrize(
    ("value", "exponent", "expected"),
    [
        (0.75, 0, 1.0),
        (-0.75, 0, -1.0),
        (1e300, -500, 1e300),
        (-1.7976931348623157e308, -560, -1.7976931348623157e308),
        (5e-324, -560, 0.0),
        (5e-324, 400, 0.0),
        (3 * 2.0**399, 400, 2.0**401),
        (2.0**-560, -560, 2.0**-560),
    ],
)
def test_rounding_of_huge_and_tiny_values(value, exponent, expected):
    assert round_to_lattice(np.array([value]), exponent)[0] == expected


@given(st.lists(st.tuples(st.floats(-9, 9), st.floats(-9, 9)), min_size=1, max_size=6), st.integers(-30, 3))
def test_rounding_brings_two_points_at_most_the_stated_distance_further_apart(pairs, exponent):
    a, b = np.array(pairs).T
    before = distance(a, b)
    after = distance(round_to_lattice(a, exponent), round_to_lattice(b, exponent))
    assert after <= before + mpf(rounding_distance(exponent, len(a)))


def distance(a: np.ndarray, b: np.ndarray) -> mpf:
    with mp.workdps(60):
        return mp.sqrt(sum((mpf(x) - mpf(y)) ** 2 for x, y in zip(a.tolist(), b.tolist(), strict=True)))


def test_the_rounding_distance_is_attained():
    a, b = np.full(4, 0.499), np.full(4, 0.501)
    grown = distance(round_to_lattice(a, 0), round_to_lattice(b, 0)) - distance(a, b)
    assert 0.99 * rounding_distance(0, 4) < grown <= rounding_distance(0, 4)


# Outputs


@each(ALL)
@pytest.mark.parametrize("size", [0.0, 1.0, 1e17])
def test_noisy_points_lie_on_the_lattice(mechanism, size, monkeypatch):
    outputs = []
    sample = secure.add_discrete_gaussian

    def spy(value: np.ndarray, std: float, exponent: int) -> np.ndarray:
        points = sample(value, std, exponent)
        outputs.append((points, exponent))
        return points

    monkeypatch.setattr(secure, "add_discrete_gaussian", spy)
    size = size if mechanism.sensitivity.r > 0 else size + 1.0
    released = [mechanism.release(np.full(mechanism.dim, size)) for _ in range(20)]
    assert all(on_lattice(x, exponent) for points, exponent in outputs for x in points.tolist())
    if not isinstance(mechanism, rg.IsometricGaussian) or mechanism.sensitivity.eta == 0:
        for release, (points, _) in zip(released, outputs, strict=True):
            np.testing.assert_array_equal(release, points)


def test_the_check_sees_that_float_noise_leaves_the_lattice():
    naive = 1.0 + np.random.default_rng(0).normal(0.0, 6.0, 200)
    exponent = lattice_exponent(6.0, 1)
    assert not all(on_lattice(x, exponent) for x in naive.tolist())


# Refusals


def refused(call: Callable[[], object], error: type[RelgaussError], draws: list[object]) -> str:
    with pytest.raises(error) as refusal:
        call()
    assert draws == []
    return str(refusal.value)


@each(ALL)
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_nan_and_infinity_are_refused_before_any_noise(mechanism, bad, draws):
    value = np.ones(mechanism.dim)
    value[-1] = bad
    refused(lambda: mechanism.release(value), InvalidValueError, draws)


@each({name: m for name, m in ALL.items() if not isinstance(m, rg.Gaussian)})
@pytest.mark.parametrize("size", [1e-170, 1e-155, 1e152, 1.3e154, 1e200, 1.7e308])
def test_norms_outside_the_range_are_refused_before_any_noise(mechanism, size, draws):
    message = refused(lambda: mechanism.release(np.full(mechanism.dim, size)), InvalidValueError, draws)
    assert "norm" in message


@each({name: m for name, m in ALL.items() if m.dim > 1})
def test_a_wrong_shape_is_refused_before_any_noise(mechanism, draws):
    refused(lambda: mechanism.release(np.ones(mechanism.dim + 1)), InvalidValueError, draws)
    refused(lambda: mechanism.release(np.ones((1, mechanism.dim))), InvalidValueError, draws)


def test_relative_noise_without_a_floor_is_refused_and_names_the_isometric_mechanism(draws):
    mechanism = rg.RelativeGaussian(Relative(0.1), 3, 0.25)
    message = refused(lambda: mechanism.release([1.0, 2.0, 3.0]), NoGuaranteeError, draws)
    assert "IsometricGaussian" in message


@pytest.mark.parametrize("r", [1e-160, 1e160])
def test_noise_levels_outside_the_range_are_refused_before_any_noise(r, draws):
    mechanism = rg.Gaussian(Absolute(r), 1, 1.0)
    refused(lambda: mechanism.release([0.0]), InvalidParameterError, draws)


def test_more_coordinates_than_the_proof_covers_are_refused():
    with pytest.raises(InvalidParameterError, match="parts"):
        lattice_exponent(1.0, 10**7 + 2)


@pytest.mark.parametrize("sigma", [1e-149, 1e157])
def test_floors_outside_the_range_are_refused_before_any_noise(sigma, draws):
    refused(
        lambda: rg.RelativeGaussian(Relative(0.0, 1.0), 1, 0.0, sigma).release([0.0]),
        InvalidParameterError,
        draws,
    )


def test_a_zero_or_negative_answer_that_the_bound_excludes_is_refused_before_any_noise(draws):
    refused(lambda: FIXED_NOISE["embedding, r = 0"].release(np.zeros(3)), InvalidValueError, draws)
    refused(lambda: FIXED_NOISE["log"].release([0.0]), InvalidValueError, draws)
    refused(lambda: FIXED_NOISE["log1p"].release([-1.0]), InvalidValueError, draws)


@pytest.mark.parametrize(
    ("eta", "r"), [(0.1, 1e-200), (0.1, 1e-141), (0.1, 1e141), (1e9, 1.0), (1e-101, 1.0)]
)
def test_bounds_whose_coordinates_would_overflow_are_refused(eta, r):
    """At r = 1e-200 the answer 1e140 would be mapped to infinity, far from its neighbours."""
    with pytest.raises(InvalidParameterError):
        Relative(eta, r)


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_the_sampler_refuses_what_is_no_lattice_point(value):
    """OpenDP would take infinity for the largest double, and NaN for zero."""
    with pytest.raises(InvalidValueError):
        secure.add_discrete_gaussian(np.array([0.0, value]), 1.0, -50)


@each(ALL)
def test_the_record_of_draws_sees_a_release(mechanism, draws):
    mechanism.release(np.ones(mechanism.dim))
    assert len(draws) == 1


# The noise is larger than the coordinates can move

MARGIN = 1 - mpf(2) ** -41


@each(FIXED_NOISE | CLASSICAL)
def test_the_noise_covers_rounding_and_float_error_and_leaves_a_margin(mechanism, draws):
    mechanism.release(np.full(mechanism.dim, 1.5))
    ((value, std, exponent),) = draws
    moved = mp.sqrt(len(value)) * mpf(2) ** exponent
    reach = mpf(mechanism.sensitivity.r)
    if isinstance(mechanism, rg.IsometricGaussian) and mechanism.sensitivity.eta > 0:
        reach = 1 + 2 * mpf(mechanism.map.float_error())
    assert (reach + moved) / std <= mechanism.guarantee.mu * MARGIN


EXACT_MAPS = {
    "asinh": (1, "quadratic", False),
    "asinh, never negative": (1, "quadratic", True),
    "signed log1p": (1, "linear", False),
    "log1p": (1, "linear", True),
    "embedding, quadratic": (3, "quadratic", False),
    "embedding, linear": (3, "linear", False),
}


def exact_coordinates(bound: rg.RelativeSensitivity, answer: list[float]) -> list[mpf]:
    eta, r, q = mpf(bound.eta), mpf(bound.r), [mpf(x) for x in answer]
    linear = bound.form == "linear"
    if len(q) > 1 or (eta >= 2 and not bound.nonnegative):
        norm = mp.sqrt(sum(x * x for x in q))
        scale = mp.sqrt((eta * norm + r) ** 2 + r * r) if linear else mp.sqrt((eta * norm) ** 2 + r * r)
        return [mp.log(scale / r if r > 0 else scale) / eta, *(x / scale for x in q)]
    if r == 0:
        return [mp.log(abs(q[0])) / mp.log1p(eta)]
    if not linear:
        width = mp.asinh(eta) if bound.nonnegative else 2 * mp.atanh(eta / 2)
        return [mp.asinh(eta * q[0] / r) / width]
    width = mp.log1p(eta) if bound.nonnegative else -2 * mp.log1p(-eta / 2)
    return [mp.sign(q[0]) * mp.log1p(eta * abs(q[0]) / r) / width]


@pytest.mark.parametrize(("dim", "form", "nonnegative"), EXACT_MAPS.values(), ids=EXACT_MAPS.keys())
@given(data=st.data())
def test_the_float_error_of_a_map_is_below_its_bound(dim, form, nonnegative, data):
    power = st.floats(-1, 1)
    eta = 10 ** data.draw(st.floats(-12, 8 if dim > 1 or nonnegative else 0.3))
    r = data.draw(st.just(0.0) | st.builds(lambda p: 10 ** (139 * p), power))
    norm = 10 ** (149 * data.draw(power))
    near_floor = min(max(r / eta * 10 ** (5 * data.draw(power)), 1e-149), 1e149)
    norm = data.draw(st.sampled_from([norm, near_floor])) if r > 0 else norm
    direction = np.array(data.draw(st.lists(st.floats(0.01, 1), min_size=dim, max_size=dim)))
    answer = direction / np.linalg.norm(direction) * norm
    bound = Relative(eta, r, form, nonnegative)
    encoded = unit_map(bound, dim, 1.0).encode(answer)
    with mp.workdps(60):
        exact = exact_coordinates(bound, answer.tolist())
        squares = [(mpf(x) - y) ** 2 for x, y in zip(encoded.tolist(), exact, strict=False)]
        assert mp.sqrt(sum(squares)) <= mpf(unit_map(bound, dim, 1.0).float_error())


@given(st.lists(st.floats(1e-149, 1e149), min_size=1, max_size=40))
def test_the_norm_is_good_to_three_roundings(value):
    array = np.array(value)
    with mp.workdps(60):
        exact = mp.sqrt(sum(mpf(x) ** 2 for x in value))
        assert abs(mpf(l2_norm(array)) / exact - 1) <= 2.2 * mpf(2) ** -53


@pytest.mark.parametrize("value", [[1.3e154, 1.3e154], [1e200], [1e155] * 3])
def test_a_norm_that_overflows_is_infinite(value):
    assert l2_norm(np.array(value)) == math.inf


# Relative noise: every pair of neighbours stays in the stated box


def neighbours(bound: rg.RelativeSensitivity, rng: np.random.Generator, dim: int):
    """Two answers as far apart as the bound allows, the smaller first."""
    while True:
        x = rng.normal(size=dim)
        x *= rng.choice([0.0, 1e-6, 1.0, 1e3, 1e9]) * bound.r / np.linalg.norm(x)
        step = x.copy() if rng.random() < 0.5 and x.any() else rng.normal(size=dim)
        if step @ x < 0:
            step = -step
        allowed = bound.local_scale(float(np.linalg.norm(x)))
        y = x + step * (allowed * (1 - 1e-13) / np.linalg.norm(step))
        if distance(x, y) <= allowed * (1 - 1e-14):  # not so where the rounding of y is too coarse
            return x, y


def outside_the_box(mechanism: rg.RelativeGaussian, pairs, draws) -> list[str]:
    """In which ways the noise on pairs of neighbours leaves the box of the guarantee."""
    box = mechanism.guarantee
    found = set()
    for x, y in pairs:
        draws.clear()
        mechanism.release(x)
        mechanism.release(y)
        (a, s, exponent), (b, t, _) = draws
        gap = distance(round_to_lattice(a, exponent), round_to_lattice(b, exponent))
        if gap / min(s, t) > box.shift * MARGIN:
            found.add("shift")
        if Fraction(max(s, t)) ** 2 / Fraction(min(s, t)) ** 2 - 1 > Fraction(box.excess):
            found.add("excess")
    return sorted(found)


@pytest.mark.parametrize("form", ["quadratic", "linear"])
@pytest.mark.parametrize("eta", [1e-9, 1e-3, 0.3, 5.0])
@pytest.mark.parametrize("dim", [1, 3])
def test_neighbours_stay_in_the_box(form, eta, dim, draws):
    rng = np.random.default_rng(dim)
    bound = Relative(eta, 0.7, form)
    mechanism = rg.RelativeGaussian(bound, dim, (eta / 0.8) ** 2)
    assert outside_the_box(mechanism, [neighbours(bound, rng, dim) for _ in range(200)], draws) == []


@pytest.mark.parametrize("form", ["quadratic", "linear"])
def test_neighbours_stay_in_the_box_on_a_coarse_lattice(form, draws, monkeypatch):
    """Where the step is larger than r, so that the charge for rounding is what keeps the box."""
    monkeypatch.setattr(relative, "lattice_exponent", lambda std, size: 1)
    bound = Relative(0.1, 1.0, form)
    mechanism = rg.RelativeGaussian(bound, 1, 0.01)
    pairs = [
        (np.array([x]), np.array([x + bound.local_scale(x) * (1 - 1e-13)])) for x in np.arange(0, 9, 0.01)
    ]
    assert outside_the_box(mechanism, pairs, draws) == []
    monkeypatch.setattr(rg.RelativeGaussian, "_floor_after_rounding", lambda self, error: self.sigma)
    assert "shift" in outside_the_box(mechanism, pairs, draws)


def test_the_check_sees_a_box_without_room_for_rounding(draws, monkeypatch):
    bound = Relative(0.1, 1.0, "linear")
    mechanism = rg.RelativeGaussian(bound, 1, 0.01)
    tight = rg.accounting.GaussianPairDP(1.0, 0.1 * 2.1 * (1 - 1e-12), 1)
    monkeypatch.setattr(rg.RelativeGaussian, "guarantee", tight)
    rng = np.random.default_rng(0)
    assert "excess" in outside_the_box(mechanism, [neighbours(bound, rng, 1) for _ in range(50)], draws)


# The discrete Gaussian against the continuous one, on lattices coarse enough to see a difference.
# tau is std/step; s is the part of the noise that the proof spends on the lattice.


def pmf(tau: mpf, centre: int, reach: int) -> dict[int, mpf]:
    total = mp.nsum(lambda k: mp.exp(-(mpf(k) ** 2) / (2 * tau**2)), [-mp.inf, mp.inf])
    return {k: mp.exp(-(mpf(k - centre) ** 2) / (2 * tau**2)) / total for k in range(-reach, reach + 1)}


def product(factors: list[dict[int, mpf]]) -> dict[tuple[int, ...], mpf]:
    return {
        tuple(k for k, _ in point): mp.fprod(p for _, p in point)
        for point in itertools.product(*(factor.items() for factor in factors))
    }


def hockey_stick(a: dict[tuple[int, ...], mpf], b: dict[tuple[int, ...], mpf], epsilon: float) -> mpf:
    factor = mp.exp(epsilon)
    return mp.fsum(max(p - factor * b[k], 0) for k, p in a.items())


def kappa(s: mpf, dim: int) -> mpf:
    """The log ratio that the theorem allows between the lattice's noise and what it compares it with."""
    ripple = 2 * mp.nsum(lambda j: mp.exp(-2 * mp.pi**2 * s**2 * j**2), [1, mp.inf])
    return dim * mp.log((1 + ripple) / (1 - ripple))


def gdp_delta(mu: mpf, epsilon: float) -> mpf:
    return mp.ncdf(mu / 2 - epsilon / mu) - mp.exp(epsilon) * mp.ncdf(-mu / 2 - epsilon / mu)


@pytest.mark.parametrize(("tau", "shift"), [(8, 8), (8, 1), (2, 2), (1.5, 1)])
def test_a_fixed_scale_is_gdp_with_the_noise_that_the_lattice_leaves(tau, shift):
    with mp.workdps(30):
        tau, s = mpf(tau), mpf("0.75")
        reach = int(14 * tau) + shift
        a, b = product([pmf(tau, shift, reach)]), product([pmf(tau, 0, reach)])
        mu = shift / mp.sqrt(tau**2 - s**2) + 4 * kappa(s, 1)
        grid = [i * shift / float(tau) / 10 for i in range(61)]
        assert all(hockey_stick(a, b, e) <= gdp_delta(mu, e) for e in grid)
        assert any(
            hockey_stick(a, b, e) > gdp_delta(shift / tau, e) for e in grid
        )  # the correction is needed


@pytest.mark.parametrize(
    ("tau", "shift"), [((8.8, 8), (8,)), ((2.2, 2), (2,)), ((1.6, 1.5), (1,)), ((2.2, 2), (1, 2))]
)
def test_unequal_scales_are_a_gaussian_pair_with_the_noise_that_the_lattice_leaves_and_a_leak(tau, shift):
    with mp.workdps(30):
        (wide, narrow), s = map(mpf, tau), mpf("0.8")
        dim, far = len(shift), mp.sqrt(sum(x * x for x in shift))
        reach = int(9 * wide) + max(shift)
        a = product([pmf(wide, 0, reach)] * dim)
        b = product([pmf(narrow, x, reach) for x in shift])

        def pair(v: mpf, w: mpf) -> GaussianPair:
            return GaussianPair(float(far / mp.sqrt(w)), float(v / w - 1), dim)

        left, plain = pair(wide**2 - s**2, narrow**2 - s**2), pair(wide**2, narrow**2)
        leak = kappa(s, dim)
        needed = False
        for epsilon in (0.0, 0.25, 0.5, 1.0, 2.0, 3.0):
            for order, value in (
                ("forward", hockey_stick(a, b, epsilon)),
                ("reverse", hockey_stick(b, a, epsilon)),
            ):
                assert value <= leak + mpf(left.hockey_stick(epsilon, order))
                needed |= value > mpf(plain.hockey_stick(epsilon, order)) * (1 + mpf(10) ** -9)
        assert needed
        for alpha in (1.5, 2.0, 3.0):
            moment = mp.fsum(p**alpha * b[k] ** (1 - alpha) for k, p in a.items())
            allowed = left.renyi(alpha) + (2 * alpha - 1) * leak / (alpha - 1)
            assert mp.log(moment) / (alpha - 1) <= allowed


@given(st.floats(0.5, 3), st.floats(0, 1))
def test_the_normaliser_of_a_shifted_discrete_gaussian_hardly_moves(s, centre):
    """Poisson summation: it is s sqrt(2 pi) up to the factor 1 ± ripple, wherever the centre."""
    assume(s > 0.5)
    with mp.workdps(30):
        total = mp.fsum(mp.exp(-((k - mpf(centre)) ** 2) / (2 * mpf(s) ** 2)) for k in range(-40, 41))
        ripple = mpf("2.01") * mp.exp(-2 * mp.pi**2 * mpf(s) ** 2)
        assert abs(total / (s * mp.sqrt(2 * mp.pi)) - 1) <= ripple + mpf(10) ** -25
