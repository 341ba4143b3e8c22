"""What has no place on a lattice is refused before any noise is drawn."""

import math
from collections.abc import Callable

import numpy as np
import pytest

import relgauss as rg
from relgauss.errors import InvalidParameterError, InvalidValueError, NoGuaranteeError, RelgaussError
from relgauss.noise import lattice
from relgauss.noise.lattice import lattice_exponent

from .lattice_cases import ALL, FIXED_NOISE, Absolute, Relative, each


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


def test_relative_noise_without_a_floor_is_refused_and_says_what_else_there_is(draws):
    mechanism = rg.RelativeGaussian(Relative(0.1), 3, 0.25)
    message = refused(lambda: mechanism.release([1.0, 2.0, 3.0]), NoGuaranteeError, draws)
    assert "another mechanism" in message


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
    """Noise on infinity would come back as infinity."""
    with pytest.raises(InvalidValueError):
        lattice.add_discrete_gaussian(np.array([0.0, value]), 1.0, -50)


@each(ALL)
def test_the_record_of_draws_sees_a_release(mechanism, draws):
    mechanism.release(np.ones(mechanism.dim))
    assert len(draws) == 1
