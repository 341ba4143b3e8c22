"""Records far outside of windows: found where noisy counts show them, and not in noise. Seeded."""

from types import SimpleNamespace

import numpy as np
import pytest

from relgauss.grouped.far_records import FarRecords, far_records
from relgauss.grouped.noisy_measurements import NoisyCounts, NoisySums
from relgauss.grouped.signed_grid import LogGrid, SignedGrid, Windows

GROUPS, STD, OUTSIDE_STD = 1_000, 10.0, 25.0
HAS = np.arange(GROUPS) % 10 == 0
LOW, HIGH = 40, 60  # cells of the window among magnitudes


def found(exact: np.ndarray, signs: str = "positive") -> tuple[SignedGrid, FarRecords, FarRecords]:
    """What is found in noisy counts of these records by bin, of which none is expected.

    One group in ten has them: so few do not show in all groups together.
    """
    grid = SignedGrid(LogGrid.over(1.0, 1e8), signs)
    rng, bins = np.random.default_rng(1), grid.value_bins
    place = np.where(exact >= 0, grid.zero_bin + 1 + np.arange(len(exact)), 0)
    every = np.zeros(bins)
    every[place] = exact
    values = np.pad(HAS[:, None] * every + STD * rng.normal(size=(GROUPS, bins)), ((0, 0), (0, 1)))
    lower, upper = (np.full(GROUPS, grid.zero + 1 + end) for end in (LOW, HIGH))
    is_outside = (np.arange(83) < LOW // 2) | (np.arange(83) >= HIGH // 2)
    outside = HAS * exact[is_outside].sum() + OUTSIDE_STD * rng.normal(size=GROUPS)
    windows, nothing = Windows(lower, upper), np.zeros(GROUPS)
    std = np.full(GROUPS, STD)
    sums = NoisySums(windows, nothing, std, outside, np.full(GROUPS, OUTSIDE_STD))
    counts = NoisyCounts(np.full(GROUPS, 3e3), values, std)
    sides = (SimpleNamespace(expected=np.zeros((GROUPS, bins))),)
    tails, scales = (0.7 * std, 0.7 * std), (grid.edges[lower], grid.edges[upper])
    bound = np.maximum(outside, 0.0) + 2 * OUTSIDE_STD
    more = outside - tails[0] - tails[1]
    return grid, *far_records(grid, sums, counts, sides, more, tails, scales, bound)


def records(number: float, first: int, length: int) -> np.ndarray:
    """So many in all, evenly in a run of bins."""
    exact = np.zeros(83)
    exact[first : first + length] = number / length
    return exact


@pytest.mark.parametrize("signs", ["positive", "both"])
def test_noise_shows_hardly_any(signs: str):
    _, below, above = found(np.zeros(83), signs)
    assert np.mean((below.number > 0) | (above.number > 0)) < 0.02


@pytest.mark.parametrize("length", [1, 2, 4, 8])
@pytest.mark.parametrize("first", [34, 50, 70])
def test_what_a_run_shows_at_six_noise_levels_is_covered(length: int, first: int):
    """The sum of its counts has noise of sqrt(length) times that of one."""
    exact = records(6 * np.sqrt(length) * STD, first, length)
    grid, below, above = found(exact)
    distance = exact @ (grid.bin_centres[grid.zero_bin + 1 :] - grid.edges[grid.zero + 1 + HIGH])
    assert np.mean(above.number[HAS] > 0) > 0.97
    assert np.mean(above.distance[HAS] >= distance) > 0.95
    assert not below.number.any(), "nothing is looked for between 0 and a window"


def test_what_the_window_holds_is_not_far():
    _, _, above = found(records(500.0, 22, 4))
    assert np.mean(above.number > 0) < 0.02


def test_none_lies_further_away_than_all_that_may_lie_outside():
    grid, _, above = found(records(300.0, 60, 2))
    furthest = grid.edges[-1]
    assert (above.distance <= above.number * furthest).all()
    assert (above.square <= above.distance * furthest).all()
