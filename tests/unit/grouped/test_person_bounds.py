"""The stated sensitivities are never exceeded, and are reached."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relgauss.errors import InvalidParameterError
from relgauss.grouped.person_bounds import PersonBounds

CELLS, GROUPS = 4, 6


def contribution(rng: np.random.Generator, bounds: PersonBounds) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What a random person adds: rows by group and cell, persons by group, sums from the window's middle."""
    counts, persons, sums = np.zeros((GROUPS, CELLS)), np.zeros(GROUPS), np.zeros(GROUPS)
    for group in rng.choice(GROUPS, rng.integers(0, min(bounds.groups, GROUPS) + 1), replace=False):
        rows = rng.integers(1, bounds.rows + 1)
        np.add.at(counts[group], rng.choice(CELLS, rows) if rng.random() < 0.5 else np.zeros(rows, int), 1)
        persons[group] = 1
        sums[group] = rows * 0.5 * rng.choice([-1, 1])
    return counts, persons, sums


@given(st.integers(0, 2**32 - 1), st.builds(PersonBounds, st.integers(1, 5), st.integers(1, GROUPS)))
def test_no_two_persons_are_further_apart(seed: int, bounds: PersonBounds):
    rng = np.random.default_rng(seed)
    ones, others = contribution(rng, bounds), contribution(rng, bounds)
    allowed = bounds.row_counts, bounds.person_counts, bounds.centred_sums
    for one, other, most in zip(ones, others, allowed, strict=True):
        assert np.linalg.norm(one - other) <= most


def test_the_bounds_are_reached():
    """L rows in one cell of each of G groups against L in G others; both ends of a window in the same G."""
    rows, groups = 3, 2
    bounds = PersonBounds(rows, groups)
    one, other = np.zeros(4), np.zeros(4)
    one[:groups], other[groups:] = rows, rows
    assert np.linalg.norm(one - other) == pytest.approx(bounds.row_counts)
    assert np.linalg.norm((one - other) / rows) == pytest.approx(bounds.person_counts)
    assert rows * math.sqrt(groups) == pytest.approx(bounds.centred_sums)


@pytest.mark.parametrize("wrong", [0, -1, 1.5, None, True])
def test_bounds_are_whole_numbers_from_one(wrong: object):
    with pytest.raises(InvalidParameterError, match="rows_per_person"):
        PersonBounds(rows=wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidParameterError, match="groups_per_person"):
        PersonBounds(groups=wrong)  # type: ignore[arg-type]
