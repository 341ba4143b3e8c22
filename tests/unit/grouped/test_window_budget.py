"""The split of the budget and the mark of small groups follow from public numbers alone."""

import math
from fractions import Fraction

import numpy as np
import pytest

import relgauss as rg
from relgauss.grouped.window_budget import divide_budget

SIZES = np.array([1, 2, 5, 10, 20, 26, 30, 100, 1000, 1e5, 1e8])


@pytest.mark.parametrize("bins", [1, 2, 31, 96])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 3.0, 20.0])
def test_no_group_spends_more_than_the_budget(epsilon: float, bins: int):
    mu = rg.Budget(epsilon, 1e-6).mu
    budget = divide_budget(SIZES, mu, bins)
    for counts, mean in zip(budget.mu_counts, budget.mu_mean, strict=True):
        spent = Fraction(float(counts)) ** 2 + Fraction(float(mean)) ** 2
        assert (1 - 1e-12) * Fraction(mu) ** 2 < spent <= Fraction(mu) ** 2
    spent_together = rg.compose(rg.GaussianDP(budget.mu_counts[0]), rg.GaussianDP(budget.mu_mean[0]))
    assert spent_together.epsilon(1e-6) <= epsilon


def test_larger_groups_spend_less_on_being_found():
    budget = divide_budget(SIZES, 0.24, 31)
    shares = budget.mu_counts**2 / 0.24**2
    assert (np.diff(shares) <= 1e-12).all()
    assert shares[0] == pytest.approx(0.9)
    assert shares[-1] == pytest.approx(0.3)


def test_a_group_is_usable_from_a_public_size_on():
    mu, bins = 0.24, 31
    need = 3.25 * math.sqrt(math.log(bins)) / mu
    sizes = np.array([need / 4 - 0.01, need / 4 + 0.01, 1.5 * need - 0.01, 1.5 * need + 0.01])
    budget = divide_budget(sizes, mu, bins)
    assert budget.released.tolist() == [False, True, True, True]
    assert budget.usable.tolist() == [False, False, False, True]


def test_more_bins_need_larger_groups():
    assert divide_budget(np.array([38.0]), 0.24, 31).usable[0]
    assert not divide_budget(np.array([38.0]), 0.24, 96).usable[0]
