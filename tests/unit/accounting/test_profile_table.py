"""A guarantee by its profile at points: chords lie above, and nothing is made up beyond the last."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import relgauss as rg
from relgauss.accounting import ProfileTable
from relgauss.errors import InvalidParameterError

GAUSSIAN = rg.GaussianDP(0.5)


def table_of(guarantee: rg.GaussianDP, points: int, farthest: float) -> ProfileTable:
    epsilons = np.linspace(0, farthest, points)
    return ProfileTable(tuple(epsilons), tuple(guarantee.profile_at(epsilons)))


@given(st.floats(0, 6), st.integers(2, 60))
def test_it_lies_above_what_it_was_read_from(epsilon, points):
    table = table_of(GAUSSIAN, points, 4.0)
    assert table.log_delta(epsilon) >= GAUSSIAN.log_delta(epsilon) - 1e-12


def test_many_points_come_close():
    table = table_of(GAUSSIAN, 3000, 4.5)
    for times in (1, 5):
        exact = rg.compose((GAUSSIAN, times)).epsilon(1e-6)
        assert exact * (1 - 1e-9) <= rg.compose((table, times)).epsilon(1e-6) <= exact * 1.01


def test_nothing_is_known_beyond_the_last_point():
    table = ProfileTable((0.0, 1.0), (0.1, 1e-3))
    assert table.log_delta(50.0) == pytest.approx(math.log(1e-3))
    assert rg.compose(table).epsilon(1e-6) == math.inf
    assert rg.compose((table, 3)).epsilon(1e-6) == math.inf
    assert table.rdp(2.0) == math.inf


def test_it_composes_with_others():
    table = table_of(GAUSSIAN, 3000, 4.5)
    both = rg.compose(table, rg.GaussianDP(0.2), rg.PureDP(0.1)).epsilon(1e-6)
    exact = rg.compose(GAUSSIAN, rg.GaussianDP(0.2), rg.PureDP(0.1)).epsilon(1e-6)
    assert exact * (1 - 1e-3) <= both <= exact * 1.02


@pytest.mark.parametrize(
    ("name", "epsilons", "deltas"),
    [
        ("epsilons", (), ()),
        ("epsilons", (0.1, 1.0), (0.1, 0.01)),
        ("epsilons", (0.0, 1.0, 0.5), (0.1, 0.01, 0.001)),
        ("epsilons", (0.0, math.nan), (0.1, 0.01)),
        ("epsilons", (0.0, 1e4), (0.1, 0.01)),
        ("deltas", (0.0, 1.0), (0.1,)),
        ("deltas", (0.0, 1.0), (0.1, 0.2)),
        ("deltas", (0.0, 1.0), (0.1, -0.2)),
        ("deltas", (0.0, 1.0), (math.inf, 0.2)),
        ("neighbours", (0.0, 1.0), (0.2, 0.1)),
    ],
)
def test_hostile_tables_are_refused_by_name(name, epsilons, deltas):
    neighbours = "anybody" if name == "neighbours" else "replace-one"
    with pytest.raises(InvalidParameterError, match=name):
        ProfileTable(epsilons, deltas, neighbours)


@pytest.mark.parametrize("last", [1e-8, 1e-12, 1e-16])
def test_small_epsilons_keep_their_digits(last):
    table = ProfileTable((0.0, last), (math.tanh(last / 2), 0.0))
    found = table.profile_at(np.array([0.0, last / 2]))
    exact = math.tanh(last / 2) * np.array([1.0, 0.5])
    assert (found >= exact * (1 - 1e-12)).all()
    assert (found <= exact * (1 + 1e-6)).all()
