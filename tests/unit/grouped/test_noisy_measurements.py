"""What is measured reaches the group that it belongs to, however many are measured at once."""

import numpy as np
import pytest

from relgauss.grouped.contribution import ONE_ROW, Contribution
from relgauss.grouped.noisy_measurements import (
    NoisyCounts,
    measure_counts,
    measure_ramps,
    measure_sizes,
    measure_sums,
)
from relgauss.grouped.signed_grid import LogGrid, Ramps, SignedGrid, Windows
from relgauss.grouped.totals import OUTSIDE_WEIGHT, CellTotals
from relgauss.grouped.value_rule import ValueRule

GROUPS = 400
GRID, RULE = SignedGrid(LogGrid.over(1.0, 2.0)), ValueRule(1.0, 2.0)


@pytest.fixture
def totals() -> CellTotals:
    """Groups whose counts lie much further apart than the noise, and all of whose values are 1.5."""
    counts = np.zeros((GROUPS, GRID.cells), dtype=np.int64)
    cell = int(np.searchsorted(GRID.edges, 1.5)) - 1
    counts[:, cell] = 10_000 * (1 + np.random.default_rng(0).permutation(GROUPS))
    sums = np.zeros(counts.shape, dtype=np.object_)
    sums[:, cell] = [int(n) * RULE.units(1.5) for n in counts[:, cell]]
    return CellTotals(tuple(range(GROUPS)), counts, sums, GRID, RULE)


@pytest.mark.parametrize("rng", [None, np.random.default_rng(1)], ids=["secure", "simulated"])
def test_every_group_gets_its_own_noise_level_and_its_own_answer(
    totals: CellTotals, rng: np.random.Generator | None
):
    groups = np.arange(GROUPS)[::-1]
    mu = np.where(groups % 3 == 0, 0.5, 2.0)
    counts = measure_counts(totals, groups, totals.sizes[groups].astype(float), ONE_ROW, mu, rng)
    assert counts.noise_std == pytest.approx(np.sqrt(2) / mu)
    error = (counts.values - totals.bin_counts(groups, ONE_ROW).value) / counts.noise_std[:, None]
    assert np.abs(error).max() < 7
    assert error.std() == pytest.approx(1, abs=0.15)  # 8 standard errors

    whole = Windows(np.ones(GROUPS, dtype=np.intp), np.full(GROUPS, GRID.value_cells))
    sums = measure_sums(totals, groups, whole, ONE_ROW, mu, rng)
    assert sums.noise_std == pytest.approx(np.hypot(1, OUTSIDE_WEIGHT) / mu, rel=1e-3)
    assert sums.outside_std == pytest.approx(sums.noise_std / OUTSIDE_WEIGHT)
    assert np.abs(sums.outside / sums.outside_std).max() < 7  # all values are inside
    error = sums.values / sums.noise_std  # all values are at the middle of the window [1, 2]
    assert np.abs(error).max() < 7
    assert error.std() == pytest.approx(1, abs=0.3)  # 8 standard errors


def test_sizes_that_are_not_public_are_noisy(totals: CellTotals):
    person = Contribution(count_sensitivity=4.0, sum_sensitivity=2.0, sizes_public=False)
    noisy = measure_sizes(totals, person, 0.5, np.random.default_rng(2))
    assert noisy.noise_std == pytest.approx(8.0)
    assert (noisy.values - totals.sizes).std() == pytest.approx(8.0, rel=0.2)


def test_a_second_release_of_counts_is_joined_by_the_inverse_of_variances():
    first = NoisyCounts(np.full(3, 10.0), np.array([[1.0], [2.0], [3.0]]), np.array([2.0, 2.0, 2.0]))
    more = NoisyCounts(np.full(1, 10.0), np.array([[7.0]]), np.array([1.0]))
    joined = first.joined(np.array([1]), more)
    assert joined.values.ravel().tolist() == pytest.approx([1.0, 2.0 * 0.2 + 7.0 * 0.8, 3.0])
    assert joined.noise_std.tolist() == pytest.approx([2.0, (1 / 4 + 1) ** -0.5, 2.0])


def test_ramps_tell_where_between_their_ends_values_lie(totals: CellTotals):
    """All values are 1.5: a ramp from 1 to 2 has half of them above, one that ends below 1.5 all of them."""
    groups, last = np.arange(GROUPS), len(GRID.edges) - 1
    below = int(np.searchsorted(GRID.edges, 1.5)) - 1
    ramps = Ramps(np.tile([1, 1], (GROUPS, 1)), np.tile([below, last], (GROUPS, 1)))
    noisy = measure_ramps(totals, groups, ramps, ONE_ROW, np.full(GROUPS, 2.0), np.random.default_rng(3))
    assert noisy.noise_std == pytest.approx(np.sqrt(2) / 2, rel=1e-2)
    exact = totals.sizes[:, None] * np.array([0.0, 0.5, 0.5])
    error = (noisy.values - exact) / noisy.noise_std[:, None]
    assert np.abs(error).max() < 7
    assert error.std() == pytest.approx(1, abs=0.15)
