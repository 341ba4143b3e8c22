"""The noise covers what rounding and floating point can do, and relative noise stays in its stated box."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

import relgauss as rg
from relgauss.arrays import l2_norm
from relgauss.mechanisms import relative_lattice
from relgauss.mechanisms.isometric import unit_map
from relgauss.noise.lattice import round_to_lattice

from .lattice_cases import CLASSICAL, FIXED_NOISE, Relative, distance, each

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
    monkeypatch.setattr(relative_lattice, "lattice_exponent", lambda std, size: 1 + relative_lattice._FINER)
    bound = Relative(0.1, 1.0, form)
    mechanism = rg.RelativeGaussian(bound, 1, 0.01)
    pairs = [
        (np.array([x]), np.array([x + bound.local_scale(x) * (1 - 1e-13)])) for x in np.arange(0, 9, 0.01)
    ]
    assert outside_the_box(mechanism, pairs, draws) == []
    monkeypatch.setattr(relative_lattice, "_floor", lambda bound, gamma, sigma, error: sigma)
    assert "shift" in outside_the_box(mechanism, pairs, draws)


def test_the_check_sees_a_box_without_room_for_rounding(draws, monkeypatch):
    bound = Relative(0.1, 1.0, "linear")
    mechanism = rg.RelativeGaussian(bound, 1, 0.01)
    tight = rg.accounting.GaussianPairDP(1.0, 0.1 * 2.1 * (1 - 1e-12), 1)
    monkeypatch.setattr(rg.RelativeGaussian, "guarantee", tight)
    rng = np.random.default_rng(0)
    assert "excess" in outside_the_box(mechanism, [neighbours(bound, rng, 1) for _ in range(50)], draws)
