"""Intervals of ratios, of clipped means and of means, each against what it states."""

import numpy as np
import pytest
from scipy import stats

from relgauss.grouped.far_records import FarRecords
from relgauss.grouped.mean_interval import (
    Outside,
    Present,
    clipped_interval,
    mean_interval,
    ratio_interval,
    upper_bound,
)
from relgauss.grouped.noisy_measurements import NoisySums
from relgauss.grouped.signed_grid import LogGrid, SignedGrid, Windows

GRID = SignedGrid(LogGrid.over(1.0, 1e6), "both")
RUNS = 20_000


def present(number: float, noise_std: float, runs: int = RUNS) -> Present:
    noise = np.random.default_rng(1).normal(0, noise_std, runs) if noise_std else 0.0
    return Present(number + np.zeros(runs) + noise, np.full(runs, noise_std))


def sums(value: float, noise_std: float, window: tuple[int, int]) -> NoisySums:
    noise = np.random.default_rng(2).normal(0, noise_std, RUNS)
    windows = Windows(*(np.full(RUNS, end) for end in window))
    std = np.full(RUNS, noise_std)
    return NoisySums(windows, value + noise, std, np.zeros(RUNS), std)


@pytest.mark.parametrize("truth", [-3.0, 0.0, 0.02, 40.0])
@pytest.mark.parametrize("number_std", [0.0, 2.0, 9.0])
@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_the_interval_of_a_ratio_is_exact(truth: float, number_std: float, confidence: float):
    """A denominator that may be 0 within its noise included: there the interval is everything."""
    deviates = float(stats.norm.ppf((1 + confidence) / 2))
    number = present(20.0, number_std)
    top = truth * 20.0 + np.random.default_rng(3).normal(0, 5.0, RUNS)
    lower, upper = ratio_interval((top, np.full(RUNS, 5.0)), number, deviates)
    rate = np.mean((lower <= truth) & (truth <= upper))
    unknown = np.isinf(lower).mean()
    assert confidence - 0.012 <= rate <= confidence + unknown + 0.012
    assert np.isinf(lower).tolist() == (number.values <= deviates * number_std).tolist()


def test_an_interval_that_is_a_fifth_too_narrow_is_caught():
    top = np.random.default_rng(3).normal(40.0, 5.0, RUNS)
    lower, upper = ratio_interval((top, np.full(RUNS, 0.8 * 5.0)), present(20.0, 0.0), 1.96)
    assert np.mean((lower <= 2.0) & (upper >= 2.0)) < 0.90


@pytest.mark.parametrize("window", [(10, 30), (60, 150), (126, 140)])
@pytest.mark.parametrize("number_std", [0.0, 6.0])
def test_clipped_means_are_held_at_their_rate(window: tuple[int, int], number_std: float):
    start, end = GRID.edges[window[0]], GRID.edges[window[1]]
    truth = start + 0.3 * (end - start)
    total = 200 * (truth - (start + end) / 2) / (end - start)
    lower, upper = clipped_interval(GRID, sums(total, 5.0, window), present(200.0, number_std), 1.96)
    assert np.mean((lower <= truth) & (truth <= upper)) == pytest.approx(0.95, abs=0.008)


def test_what_is_assumed_to_lie_outside_widens_each_end_by_what_it_adds():
    total, number = sums(3.0, 1.0, (60, 150)), present(200.0, 0.0)
    zeros = np.zeros(RUNS)
    none = FarRecords(zeros, zeros, zeros)
    outside = Outside(zeros, zeros, zeros + 1e3, zeros + 5e3, (none, none), zeros, zeros.astype(np.int8))
    clipped, whole = (
        clipped_interval(GRID, total, number, 1.96),
        mean_interval(GRID, total, number, outside, 1.96),
    )
    assert clipped[0] - whole[0] == pytest.approx(1e3 / 200)
    assert whole[1] - clipped[1] == pytest.approx(5e3 / 200)


def test_a_clipped_mean_is_in_its_window_whatever_the_noise():
    few = Present(np.zeros(3), np.ones(3))
    windows = Windows(np.full(3, 10), np.full(3, 20))
    nothing = NoisySums(windows, np.array([-9.0, 0.0, 9.0]), np.ones(3), np.zeros(3), np.ones(3))
    for known in (few, Present(np.full(3, 10.0), np.ones(3))):
        lower, upper = clipped_interval(GRID, nothing, known, 1.96)
        assert (GRID.edges[10] <= lower).all()
        assert (lower <= upper).all()
        assert (upper <= GRID.edges[20]).all()
    lower, upper = clipped_interval(GRID, nothing, few, 1.96)
    assert (lower == GRID.edges[10]).all()
    assert (upper == GRID.edges[20]).all()


@pytest.mark.parametrize("number", [0.0, 1.0, 5.0, 60.0])
def test_an_upper_bound_is_above_zero_and_holds(number: float):
    noisy = number + 3 * np.random.default_rng(3).normal(size=RUNS)
    bound = upper_bound(noisy, np.full(RUNS, 3.0), 1.96)
    assert (bound > 0).all()
    assert np.mean(bound >= number) >= 0.97
    assert (noisy + 1.96 * 3 < 0).any() == (number < 10), "the plain bound may be impossible"
    if number == 60:
        assert bound == pytest.approx(noisy + 1.96 * 3, rel=1e-3)
