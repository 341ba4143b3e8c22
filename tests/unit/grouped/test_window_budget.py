"""The split of the budget and the mark of small groups follow from public numbers alone."""

import math
from fractions import Fraction

import numpy as np
import pytest

import relgauss as rg
from relgauss.grouped.contribution import ONE_ROW, Contribution
from relgauss.grouped.window_budget import divide_budget, mu_of_sizes

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
    parts = (budget.mu_counts[0], budget.mu_sums[0], mu_of_sizes(0.5))
    spent = sum(Fraction(float(part)) ** 2 for part in parts)
    assert (1 - 1e-12) * Fraction(0.5) ** 2 < spent <= Fraction(0.5) ** 2
