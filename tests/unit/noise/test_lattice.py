"""The public lattice: its step, what is rounded to it, and that every output lies on it."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mpf

import relgauss as rg
from relgauss.noise import lattice
from relgauss.noise.lattice import lattice_exponent, round_to_lattice, rounding_distance

from .lattice_cases import ALL, distance, each


def on_lattice(value: float, exponent: int) -> bool:
    return (Fraction(value) / Fraction(2) ** exponent).denominator == 1


# The lattice


@given(st.floats(1e-150, 1e150), st.integers(1, 10**7))
def test_the_step_is_2_to_the_minus_47_of_the_noise(std, size):
    share = Fraction(2) ** lattice_exponent(std, size) / Fraction(std)
    assert Fraction(2) ** -48 < share <= Fraction(2) ** -47


@each(ALL)
def test_the_lattice_depends_on_public_parameters_only(mechanism, draws):
    for size in (1e-100, 1.0, 3.7, 1e17, 1e100):
        mechanism.release(np.full(mechanism.dim, size))
    assert len({exponent for _, _, exponent in draws}) == 1
    has_fixed_noise = isinstance(mechanism.guarantee, rg.GaussianDP)
    assert (len({std for _, std, _ in draws}) == 1) == has_fixed_noise


@each(ALL)
def test_no_noise_level_is_coarse_on_its_lattice(mechanism, draws):
    """The least std over the step: 2^47, and 2^115 where the std follows the answer."""
    for size in (1e-100, 1.0, 1e100):
        mechanism.release(np.full(mechanism.dim, size))
    finest = 2.0**115 if isinstance(mechanism, rg.RelativeGaussian) else 2.0**47
    assert all(std >= finest * 2.0**exponent for _, std, exponent in draws)


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


def test_the_rounding_distance_is_attained():
    a, b = np.full(4, 0.499), np.full(4, 0.501)
    grown = distance(round_to_lattice(a, 0), round_to_lattice(b, 0)) - distance(a, b)
    assert 0.99 * rounding_distance(0, 4) < grown <= rounding_distance(0, 4)


# Outputs


@each(ALL)
@pytest.mark.parametrize("size", [0.0, 1.0, 1e17])
def test_noisy_points_lie_on_the_lattice(mechanism, size, monkeypatch):
    outputs = []
    sample = lattice.add_discrete_gaussian

    def spy(value: np.ndarray, std: float, exponent: int) -> np.ndarray:
        points = sample(value, std, exponent)
        outputs.append((points, exponent))
        return points

    monkeypatch.setattr(lattice, "add_discrete_gaussian", spy)
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
