"""What is measured reaches the group that it belongs to, however many are measured at once."""

import numpy as np
import pytest

from relgauss.grouped.log_grid import LogGrid, Windows
from relgauss.grouped.noisy_measurements import measure_counts, measure_means
from relgauss.grouped.totals import CellTotals
from relgauss.grouped.value_rule import ValueRule

GROUPS = 400
GRID, RULE = LogGrid.over(1.0, 2.0), ValueRule(1.0, 2.0)


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
    counts = measure_counts(totals, groups, mu, rng)
    assert counts.noise_std == pytest.approx(np.sqrt(2) / mu)
    error = (counts.values - totals.bin_counts(groups).value) / counts.noise_std[:, None]
    assert np.abs(error).max() < 7
    assert error.std() == pytest.approx(1, abs=0.15)  # 8 standard errors

    whole = Windows(np.zeros(GROUPS, dtype=np.intp), np.full(GROUPS, GRID.cells))
    means = measure_means(totals, groups, whole, mu, rng)
    assert means.noise_std == pytest.approx(1 / mu / totals.sizes[groups])
    error = (means.values - 1.5) / means.noise_std
    assert np.abs(error).max() < 7
    assert error.std() == pytest.approx(1, abs=0.3)  # 8 standard errors
