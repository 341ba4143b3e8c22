"""Laws of relative sensitivity, on random pairs of neighbouring answers."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import relgauss as rg

ROUNDING = 1 + 1e-12


def log_uniform(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(math.log(low), math.log(high)).map(math.exp)


etas = st.one_of(st.just(0.0), log_uniform(1e-9, 5.0))
floors = st.one_of(st.just(0.0), log_uniform(1e-6, 1e6))
norms = st.one_of(st.just(0.0), log_uniform(1e-6, 1e6))
forms = st.sampled_from(["quadratic", "linear"])
splits = log_uniform(1e-6, 1e6)


@st.composite
def bounds(draw: st.DrawFn, form: str | None = None) -> rg.RelativeSensitivity:
    eta, r = draw(etas), draw(floors)
    if eta == 0 and r == 0:
        r = 1.0
    return rg.RelativeSensitivity(eta, r, draw(forms) if form is None else form)


def are_neighbours(bound: rg.RelativeSensitivity, x: np.ndarray, y: np.ndarray) -> bool:
    """Whether the bound allows x and y to be the answers of neighbours, but for the rounding of x and y."""
    smaller, larger = sorted(float(np.linalg.norm(each)) for each in (x, y))
    return bool(np.linalg.norm(x - y) <= bound.local_scale(smaller) * ROUNDING + 2**-51 * larger)


@st.composite
def neighbours(draw: st.DrawFn, bound: rg.RelativeSensitivity) -> tuple[np.ndarray, np.ndarray]:
    """Two answers as far apart as the bound allows at the smaller norm, in a random direction outwards."""
    dim = draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    x, direction = rng.normal(size=dim), rng.normal(size=dim)
    x *= draw(norms) / np.linalg.norm(x)
    if x @ direction < 0:
        direction = -direction
    distance = draw(st.floats(0, 1)) * bound.local_scale(float(np.linalg.norm(x)))
    return x, x + distance * direction / np.linalg.norm(direction)


@given(bounds(), norms)
def test_local_scale_grows_by_at_most_one_plus_eta(bound, norm):
    """S(u + S(u)) <= (1 + eta) S(u), with equality in the linear form."""
    scale = bound.local_scale(norm)
    grown = bound.local_scale(norm + scale)
    assert scale <= grown <= (1 + bound.eta) * scale * ROUNDING
    if bound.form == "linear":
        assert grown == pytest.approx((1 + bound.eta) * scale, rel=1e-12)


@given(bounds(), norms, norms)
def test_local_scale_rises_no_faster_than_eta(bound, norm, further):
    rise = bound.local_scale(norm + further) - bound.local_scale(norm)
    rounding = 1e-12 * bound.local_scale(norm + further)
    assert -rounding <= rise <= bound.eta * further + rounding


@given(st.data(), bounds())
def test_noise_levels_of_neighbours_differ_by_at_most_one_plus_eta(data, bound):
    x, y = data.draw(neighbours(bound))
    assert are_neighbours(bound, x, y)
    small, large = sorted(bound.local_scale(float(np.linalg.norm(z))) for z in (x, y))
    assert large <= (1 + bound.eta) * small * ROUNDING


@given(st.data(), bounds("quadratic"))
def test_quadratic_implies_linear(data, bound):
    x, y = data.draw(neighbours(bound))
    linear = bound.to_linear()
    assert (linear.form, linear.eta, linear.r) == ("linear", bound.eta, bound.r)
    assert are_neighbours(linear, x, y)


@given(st.data(), bounds("linear"), splits)
def test_linear_implies_quadratic_at_every_split(data, bound, t):
    x, y = data.draw(neighbours(bound))
    quadratic = bound.to_quadratic(t)
    assert quadratic.form == "quadratic"
    assert are_neighbours(quadratic, x, y)


@given(bounds("linear"), splits, norms)
def test_the_quadratic_bound_is_nowhere_below_the_linear_one(bound, t, norm):
    assert bound.to_quadratic(t).local_scale(norm) >= bound.local_scale(norm) * (1 - 1e-15)


@given(log_uniform(1e-6, 5.0), log_uniform(1e-3, 1e3), splits)
def test_the_conversion_is_lossless_at_one_norm(eta, r, t):
    """At u = r/(t eta) both bounds agree: no smaller constants would do for this t."""
    linear = rg.RelativeSensitivity(eta, r, "linear")
    norm = r / (t * eta)
    assert linear.to_quadratic(t).local_scale(norm) == pytest.approx(linear.local_scale(norm), rel=1e-12)


@given(bounds(), st.sampled_from(["assumed", "enforced", "certified"]), st.booleans())
def test_conversions_keep_where_a_bound_comes_from(bound, provenance, nonnegative):
    stated = rg.RelativeSensitivity(bound.eta, bound.r, bound.form, nonnegative, provenance)
    for converted in (stated.to_linear(), stated.to_quadratic()):
        assert (converted.provenance, converted.nonnegative) == (provenance, nonnegative)


@given(bounds())
def test_converting_to_its_own_form_changes_nothing(bound):
    same = bound.to_linear() if bound.form == "linear" else bound.to_quadratic()
    assert same == bound


def test_linear_constants_read_as_quadratic_are_convicted():
    """x = 1 and y = 2.5 are neighbours under linear (0.5, 1) but not under quadratic (0.5, 1)."""
    x, y = np.array([1.0]), np.array([2.5])
    assert are_neighbours(rg.RelativeSensitivity(0.5, 1.0, "linear"), x, y)
    assert not are_neighbours(rg.RelativeSensitivity(0.5, 1.0, "quadratic"), x, y)
