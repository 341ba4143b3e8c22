"""No group spends more than the budget, however it is divided."""

import math
from fractions import Fraction

import numpy as np
import pytest

import relgauss as rg
from relgauss.grouped.column_budget import ColumnBudget, divide_budget, split_off_sizes
from relgauss.grouped.contribution import ONE_ROW, Contribution

SIZES = np.array([1, 2, 5, 10, 20, 26, 30, 100, 1000, 1e5, 1e8])


@pytest.mark.parametrize("bins", [1, 31])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 20.0])
@pytest.mark.parametrize("zeros", [0.0, 0.55, 0.9, 0.999])
@pytest.mark.parametrize(("quantiles", "means"), [(False, True), (True, True), (True, False)])
def test_no_group_spends_more_than_the_budget(
    epsilon: float, bins: int, zeros: float, quantiles: bool, means: bool
):
    """Nor do groups whose counts are released again, whatever the first ones showed."""
    mu = rg.Budget(epsilon, 1e-6).mu
    first = divide_budget(SIZES, mu, bins, ONE_ROW, quantiles=quantiles, means=means)
    budget = first.after_counts(np.arange(len(SIZES)), SIZES, SIZES * (1 - zeros))
    assert (budget.mu_counts == first.mu_counts).all()
    for stages in zip(*stages_of(budget), strict=True):
        spent = sum(Fraction(float(each)) ** 2 for each in stages)
        assert (1 - 1e-12) * Fraction(mu) ** 2 < spent <= Fraction(mu) ** 2
    spent_together = rg.compose(rg.GaussianDP(budget.mu_counts[0]), rg.GaussianDP(budget.mu_sums[0]))
    assert spent_together.epsilon(1e-6) <= epsilon


def stages_of(budget: ColumnBudget) -> tuple[np.ndarray, ...]:
    return budget.mu_counts, budget.mu_more, budget.mu_ramps, budget.mu_sums


def test_counts_are_released_again_where_few_values_are_neither_zero_nor_missing():
    sizes = np.array([1_000.0, 1_000.0, 1_000.0, 1_000.0])
    budget = divide_budget(sizes, 0.24, 85, ONE_ROW)
    shown = budget.after_counts(np.arange(4), sizes, np.array([1_000.0, 600.0, 100.0, 1.0]))
    assert shown.more[[0, 1, 3]].tolist() == [0, 0, 0]  # most are values, and too few to be found
    assert 0.25 < shown.more[2] <= 0.35
    assert (shown.mu_sums[2] < shown.mu_sums[0]).all()


def test_larger_groups_spend_less_on_being_found():
    budget = divide_budget(SIZES, 0.24, 31, ONE_ROW)
    shares = budget.mu_counts**2 / 0.24**2
    assert (np.diff(shares) <= 1e-12).all()
    assert shares[0] == pytest.approx(0.9)
    assert shares[-1] == pytest.approx(0.3)


def test_quantiles_take_a_part_and_more_where_no_mean_is_asked_for():
    beside, alone = (
        divide_budget(SIZES, 0.24, 31, ONE_ROW, quantiles=True, means=means) for means in (True, False)
    )
    assert (beside.mu_counts**2 / 0.24**2).min() == pytest.approx(0.4)
    assert (alone.mu_ramps > beside.mu_ramps).all()
    assert (beside.mu_ramps > 0).all()
    assert not divide_budget(SIZES, 0.24, 31, ONE_ROW).has_ramps


def test_a_group_is_released_from_a_public_size_on():
    mu, bins = 0.24, 31
    need = 3.25 * math.sqrt(math.log(bins)) / mu
    sizes = np.array([need / 4 - 0.01, need / 4 + 0.01])
    assert divide_budget(sizes, mu, bins, ONE_ROW).released.tolist() == [False, True]
    assert not divide_budget(sizes, mu, 96, ONE_ROW).released.any()


def test_groups_whose_sizes_are_not_public_divide_the_budget_alike():
    """A person may be in several groups: a split by size would let it spend twice in one of them."""
    person = Contribution(math.sqrt(8), 2.0, sizes_public=False)
    whole = divide_budget(SIZES, 0.5, 31, person, quantiles=True)
    budget = whole.after_counts(np.arange(len(SIZES)), SIZES, 0.01 * SIZES)
    assert not budget.more.any()
    assert not budget.has_ramps
    assert len(set(budget.mu_counts)) == len(set(budget.mu_sums)) == 1
    spent = Fraction(float(budget.mu_counts[0])) ** 2 + Fraction(float(budget.mu_sums[0])) ** 2
    assert (1 - 1e-12) * Fraction(0.5) ** 2 < spent <= Fraction(0.5) ** 2


def test_sizes_and_what_is_left_of_a_budget_are_no_more_than_it():
    for mu in (1e-3, 0.24, 0.5, 7.0):
        sizes, rest = split_off_sizes(mu)
        spent = Fraction(sizes) ** 2 + Fraction(rest) ** 2
        assert (1 - 1e-12) * Fraction(mu) ** 2 < spent <= Fraction(mu) ** 2
