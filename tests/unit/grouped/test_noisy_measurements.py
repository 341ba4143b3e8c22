"""What is measured reaches the group that it belongs to, however many are measured at once."""

import math
from fractions import Fraction

import numpy as np
import pytest

import relgauss as rg
from relgauss.grouped.contribution import ONE_ROW, Contribution
from relgauss.grouped.noisy_measurements import (
    divide_budget,
    measure_counts,
    measure_sizes,
    measure_sums,
    split_off_sizes,
)
from relgauss.grouped.signed_grid import LogGrid, SignedGrid, Windows
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


# The budget

SIZES = np.array([1, 2, 5, 10, 20, 26, 30, 100, 1000, 1e5, 1e8])


@pytest.mark.parametrize("bins", [1, 2, 31, 96])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 3.0, 20.0])
def test_no_group_spends_more_than_the_budget(epsilon: float, bins: int):
    mu = rg.Budget(epsilon, 1e-6).mu
    budget = divide_budget(SIZES, mu, bins, ONE_ROW)
    for counts, mean in zip(budget.mu_counts, budget.mu_sums, strict=True):
        spent = Fraction(float(counts)) ** 2 + Fraction(float(mean)) ** 2
        assert (1 - 1e-12) * Fraction(mu) ** 2 < spent <= Fraction(mu) ** 2
    spent_together = rg.compose(rg.GaussianDP(budget.mu_counts[0]), rg.GaussianDP(budget.mu_sums[0]))
    assert spent_together.epsilon(1e-6) <= epsilon


def test_larger_groups_spend_less_on_being_found():
    budget = divide_budget(SIZES, 0.24, 31, ONE_ROW)
    shares = budget.mu_counts**2 / 0.24**2
    assert (np.diff(shares) <= 1e-12).all()
    assert shares[0] == pytest.approx(0.9)
    assert shares[-1] == pytest.approx(0.3)


def test_quantiles_give_counts_at_least_a_half():
    budget = divide_budget(SIZES, 0.24, 31, ONE_ROW, quantiles=True)
    assert (budget.mu_counts**2 / 0.24**2).min() == pytest.approx(0.5)


def test_a_group_is_released_from_a_public_size_on():
    mu, bins = 0.24, 31
    need = 3.25 * math.sqrt(math.log(bins)) / mu
    sizes = np.array([need / 4 - 0.01, need / 4 + 0.01])
    assert divide_budget(sizes, mu, bins, ONE_ROW).released.tolist() == [False, True]
    assert not divide_budget(sizes, mu, 96, ONE_ROW).released.any()


def test_groups_whose_sizes_are_not_public_divide_the_budget_alike():
    """A person may be in several groups: a split by size would let it spend twice in one of them."""
    person = Contribution(math.sqrt(8), 2.0, sizes_public=False)
    budget = divide_budget(SIZES, 0.5, 31, person)
    assert len(set(budget.mu_counts)) == len(set(budget.mu_sums)) == 1
    spent = Fraction(float(budget.mu_counts[0])) ** 2 + Fraction(float(budget.mu_sums[0])) ** 2
    assert (1 - 1e-12) * Fraction(0.5) ** 2 < spent <= Fraction(0.5) ** 2


def test_sizes_and_what_is_left_of_a_budget_are_no_more_than_it():
    for mu in (1e-3, 0.24, 0.5, 7.0):
        sizes, rest = split_off_sizes(mu)
        spent = Fraction(sizes) ** 2 + Fraction(rest) ** 2
        assert (1 - 1e-12) * Fraction(mu) ** 2 < spent <= Fraction(mu) ** 2
