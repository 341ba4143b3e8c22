"""Every map of the isometric mechanism brings neighbours to a distance of at most 1, and inverts."""

import math
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

import relgauss as rg
from relgauss.mechanisms.maps import UnitMap
from relgauss.mechanisms.maps.projected import ProjectedEmbedding

FORMS = ("quadratic", "linear")
SMALL_ETAS = (1e-6, 1e-3, 0.1, 0.9, 1.5, 1.99)
LARGE_ETAS = (2.0, 3.0, 5.0)
ONCE_IN_A_WHILE = (1e-3, 0.9, 1.5, 3.0)  # between others, where nothing begins or ends
Encode = Callable[[np.ndarray], np.ndarray]


def mechanism(sensitivity: rg.RelativeSensitivity, dim: int) -> rg.IsometricGaussian:
    """A quiet mechanism: the maps do not depend on the noise, apart from the marker of a sign."""
    return rg.IsometricGaussian(sensitivity, dim, min(1.0, 0.1 / max(sensitivity.eta, 1e-9)))


def cases() -> Iterator[tuple[rg.RelativeSensitivity, int]]:
    """Every kind of bound: both forms, with and without a floor, one sign or both, small and large eta."""
    for form in FORMS:
        for r in (0.0, 3.0):
            for eta in SMALL_ETAS + LARGE_ETAS:
                yield rg.RelativeSensitivity(eta, r, form), 1
                yield rg.RelativeSensitivity(eta, r, form), 2
                yield rg.RelativeSensitivity(eta, r, form, nonnegative=True), 1
        yield rg.RelativeSensitivity(0.0, 3.0, form), 1
        yield rg.RelativeSensitivity(0.0, 3.0, form), 2


CASES = list(cases())
every_case = pytest.mark.parametrize(
    ("sensitivity", "dim"),
    [
        pytest.param(
            s,
            d,
            marks=[pytest.mark.slow] * (s.eta in ONCE_IN_A_WHILE),
            id=f"{s.form}-eta{s.eta:g}-r{s.r:g}-d{d}{'-nonnegative' if s.nonnegative else ''}",
        )
        for s, d in CASES
    ],
)


def farthest(sensitivity: rg.RelativeSensitivity, q: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """The neighbour of q in this direction, pushed to the boundary of the sensitivity condition."""
    start, along, norm = q.tolist(), direction.tolist(), math.hypot(*q.tolist())

    def allowed(step: float) -> bool:
        other = [x + step * d for x, d in zip(start, along, strict=True)]
        if sensitivity.nonnegative and other[0] < 0:
            return False
        return math.dist(start, other) <= sensitivity.local_scale(min(norm, math.hypot(*other)))

    low, high = 0.0, sensitivity.local_scale(norm)
    if allowed(high):
        return q + high * direction
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if allowed(middle) else (low, middle)
    return q + low * direction


def excess(encode: Encode, q: np.ndarray, other: np.ndarray) -> float:
    """How far apart the images are, less 1 and less the rounding of the coordinates themselves."""
    first, second = encode(q), encode(other)
    rounding = 8 * 2.0**-52 * float(np.abs(first).max())
    return float(np.linalg.norm(first - second)) - 1 - rounding


def unit(sensitivity: rg.RelativeSensitivity) -> float:
    """The norm at which the relative part of the bound begins to matter."""
    return sensitivity.r / max(sensitivity.eta, 1e-2) if sensitivity.r > 0 else 1.0


def plane_pair(
    sensitivity: rg.RelativeSensitivity, dim: int, log_norm: float, angle: float
) -> tuple[np.ndarray, np.ndarray]:
    """An answer on the first axis and its farthest neighbour at this angle: all pairs, up to a rotation."""
    q = np.zeros(dim)
    q[0] = unit(sensitivity) * math.exp(min(max(log_norm, -30.0), 30.0))
    direction = np.zeros(dim)
    direction[0] = math.cos(angle)
    if dim > 1:
        direction[1] = math.sin(angle)
    else:
        direction[0] = 1.0 if direction[0] >= 0 else -1.0
    return q, farthest(sensitivity, q, direction)


def worst(encode: Encode, sensitivity: rg.RelativeSensitivity, dim: int) -> float:
    """The largest excess over all pairs: a grid, then a local search from its best points."""

    def loss(point: np.ndarray) -> float:
        return -excess(encode, *plane_pair(sensitivity, dim, *point))

    angles = np.linspace(0, math.pi, 13) if dim > 1 else (0.0, math.pi)
    grid = [(x, angle) for x in np.linspace(-9, 9, 25) for angle in angles]
    starts = sorted(grid, key=lambda point: loss(np.array(point)))[:2]
    options = {"maxfev": 150, "xatol": 1e-9, "fatol": 1e-12}
    return max(-minimize(loss, start, method="Nelder-Mead", options=options).fun for start in starts)


@every_case
def test_the_largest_distance_of_neighbours_is_one(sensitivity, dim):
    """At most one, so that the noise is enough; where the map is exact, one, so that it is not too much."""
    largest = worst(mechanism(sensitivity, dim).encode, sensitivity, dim)
    assert largest <= 1e-9
    # Past eta = 2 the embedding has room to spare; every other map is exact.
    if sensitivity.eta < 2 or sensitivity.nonnegative:
        assert largest > -0.01


def scaled(encode: Encode, factor: float, q: np.ndarray) -> np.ndarray:
    return factor * encode(q)


ONE_CASE_A_MAP = list({type(mechanism(s, d).map): (s, d) for s, d in CASES if s.eta < 2}.values())


@pytest.mark.parametrize(("sensitivity", "dim"), ONE_CASE_A_MAP)
def test_the_search_catches_a_map_scaled_up_and_one_twice_too_wide(sensitivity, dim):
    encode = mechanism(sensitivity, dim).encode
    assert worst(partial(scaled, encode, 1.05), sensitivity, dim) > 1e-3
    assert worst(partial(scaled, encode, 0.5), sensitivity, dim) < -0.4


@pytest.mark.parametrize("dim", [1, 2])
@pytest.mark.parametrize("eta", [0.1, 0.9, 1.5])
def test_the_search_catches_linear_constants_read_as_quadratic(eta, dim):
    truth = rg.RelativeSensitivity(eta, 1.0, "linear")
    misread = mechanism(rg.RelativeSensitivity(eta, 1.0, "quadratic"), dim)
    assert worst(misread.encode, truth, dim) > 0.01


@st.composite
def bounds(draw: st.DrawFn) -> tuple[rg.RelativeSensitivity, int]:
    dim = draw(st.integers(1, 5))
    eta = draw(st.one_of(st.just(0.0), st.floats(-6, math.log10(5)).map(lambda x: 10.0**x)))
    r = draw(st.floats(-6, 6).map(lambda x: 10.0**x)) if eta == 0 or draw(st.booleans()) else 0.0
    form = draw(st.sampled_from(FORMS))
    nonnegative = dim == 1 and draw(st.booleans())
    return rg.RelativeSensitivity(eta, r, form, nonnegative=nonnegative), dim


@st.composite
def answers(draw: st.DrawFn, dim: int, scale: float, nonnegative: bool) -> np.ndarray:
    direction = np.random.default_rng(draw(st.integers(0, 2**32))).normal(size=dim)
    direction /= np.linalg.norm(direction)
    size = scale * math.exp(draw(st.floats(-14, 14)))
    return np.abs(size * direction) if nonnegative else size * direction


@given(st.data())
def test_random_neighbours_lie_at_most_one_apart(data):
    """Pairs at the boundary and inside it: along the radius, against it, across, and anywhere."""
    sensitivity, dim = data.draw(bounds())
    q = data.draw(answers(dim, unit(sensitivity), sensitivity.nonnegative))
    radial = q / np.linalg.norm(q)
    anywhere = np.random.default_rng((1, data.draw(st.integers(0, 2**32)))).normal(size=dim)
    across = anywhere - (anywhere @ radial) * radial if dim > 1 else anywhere
    direction = data.draw(st.sampled_from([radial, -radial, anywhere, across]))
    direction = direction / np.linalg.norm(direction)
    other = farthest(sensitivity, q, direction)
    inside = q + data.draw(st.floats(0, 1)) * (other - q)
    encode = mechanism(sensitivity, dim).encode
    assert excess(encode, q, other) <= 1e-9
    if sensitivity.local_scale(min(np.linalg.norm(q), np.linalg.norm(inside))) >= np.linalg.norm(inside - q):
        assert excess(encode, q, inside) <= 1e-9


@given(st.data())
def test_decode_inverts_encode(data):
    sensitivity, dim = data.draw(bounds())
    q = data.draw(answers(dim, unit(sensitivity), sensitivity.nonnegative))
    m = mechanism(sensitivity, dim)
    np.testing.assert_allclose(m.decode(m.encode(q)), q, rtol=0, atol=1e-9 * np.linalg.norm(q))


def concrete(kind: type) -> set[type]:
    """The classes below this one that can be built."""
    below = set().union(*(concrete(each) for each in kind.__subclasses__()))
    return below | ({kind} if not getattr(kind, "__abstractmethods__", None) else set())


def test_the_cases_cover_every_map():
    """The projected decoder has the embedding of the balanced one."""
    assert {type(mechanism(s, d).map) for s, d in CASES} == concrete(UnitMap) - {ProjectedEmbedding}


@pytest.mark.parametrize("form", FORMS)
def test_zero_is_mapped_to_zero_where_the_bound_has_a_floor(form):
    """At zero the map is smooth, and a neighbour at the floor r is one away or less."""
    for dim in (1, 2, 5):
        m = mechanism(rg.RelativeSensitivity(0.3, 2.0, form), dim)
        other = np.zeros(dim)
        other[-1] = 2.0
        assert m.decode(m.encode(np.zeros(dim))) == pytest.approx(np.zeros(dim), abs=1e-15)
        assert excess(m.encode, np.zeros(dim), other) <= 1e-9
