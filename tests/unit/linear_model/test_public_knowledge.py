"""Bounds of features: what reads as two things is refused if it can be meant as one of them only."""

import math
from typing import Any

import numpy as np
import pytest

from relgauss.errors import InvalidParameterError
from relgauss.linear_model.public_knowledge import read_public_knowledge

NAMES = ["area", "rooms"]
INF = math.inf


def bounds_read(bounds: Any, names: list[str] = NAMES) -> list[list[float]]:
    known = read_public_knowledge(names, bounds, None, None, None, None)
    assert known.features is not None
    return [end.tolist() for end in known.features]


PAIRS = [[0, 20], [0, 400]]


@pytest.mark.parametrize(
    "pairs",
    [
        PAIRS,
        np.array(PAIRS),
        tuple(map(tuple, PAIRS)),
        [*map(tuple, PAIRS)],
        [*map(np.array, PAIRS)],
        [[18, 80], [0, 5000]],  # the lows of these lie above their highs
        [[0, math.nan], [0, 400]],
        [(0, 5), (1, 400)],  # a list of tuples means pairs, whatever the numbers
    ],
    ids=repr,
)
def test_a_pair_for_each_of_two_columns_is_refused_with_their_names(pairs: Any):
    with pytest.raises(InvalidParameterError, match="no pair for each column") as refused:
        bounds_read(pairs)
    (a, b), (c, d) = np.asarray(pairs, dtype=float).tolist()
    assert f"{{'area': ({a:g}, {b:g}), 'rooms': ({c:g}, {d:g})}}" in refused.value.fix


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ((0, 20), [[0, 0], [20, 20]]),
        (([0, 5], [20, 400]), [[0, 5], [20, 400]]),
        ([[-4, -4], [4, 4]], [[-4, -4], [4, 4]]),
        (([2, 0], [2, 1]), [[2, 0], [2, 1]]),  # a constant column: as pairs one has no width either
        (([0, math.nan], [9, math.nan]), [[0, -INF], [9, INF]]),
        ({"area": (0, 0), "rooms": (20, 400)}, [[0, 20], [0, 400]]),  # by names they mean one thing
    ],
    ids=repr,
)
def test_what_may_be_meant_as_lows_and_highs_is_read_so(bounds: Any, expected: list[list[float]]):
    assert bounds_read(bounds) == expected


def test_other_numbers_of_columns_cannot_be_mistaken():
    assert bounds_read([[0, 0, 0], [0, 5, 5]], ["a", "b", "c"]) == [[0, 0, 0], [0, 5, 5]]
    with pytest.raises(InvalidParameterError, match="a pair for 3 columns"):
        bounds_read([[0, 1], [0, 1], [0, 1]], ["a", "b", "c"])


@pytest.mark.parametrize("bounds", [("0", "1"), ([0, "1", 0], 2), {"b": ("0", "1")}, {"b": "01"}])
def test_a_text_is_no_end_though_numpy_reads_it_as_a_number(bounds: Any):
    with pytest.raises(InvalidParameterError, match="must be a pair"):
        read_public_knowledge(["a", "b", "c"], bounds, None, None, None, None)
