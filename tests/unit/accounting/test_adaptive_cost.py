"""What a use adds to an adaptive budget: never less than it is."""

import math
from fractions import Fraction

import pytest
from mpmath import erfinv, mp, mpf, tanh

import relgauss as rg
from relgauss.accounting import GaussianPairDP
from relgauss.accounting.adaptive_cost import failure_cost, gaussian_cost, mu_of_pure, renyi_cost


@pytest.mark.parametrize("epsilon", [1e-12, 1e-3, 0.1, 1.0, 4.99, 5.01, 20.0, 300.0])
def test_pure_dp_as_gaussian_against_many_digits(epsilon):
    with mp.workdps(400):
        exact = 2 * mp.sqrt(2) * erfinv(tanh(mpf(epsilon) / 2))
        assert exact <= mpf(mu_of_pure(epsilon)) <= exact * (1 + mpf(10) ** -11)


@pytest.mark.parametrize("epsilon", [0.05, 0.7, 3.0, 12.0])
def test_a_gaussian_of_that_mu_dominates_randomised_response(epsilon):
    mu = mu_of_pure(epsilon)
    pure, gaussian, smaller = rg.PureDP(epsilon), rg.GaussianDP(mu), rg.GaussianDP(mu * 0.999)
    for at in (0.0, 0.2 * epsilon, 0.5 * epsilon, 0.9 * epsilon):
        assert pure.log_delta(at) <= gaussian.log_delta(at) + 1e-9
    assert pure.log_delta(0.0) > smaller.log_delta(0.0)  # and none with less does


def test_costs_are_exact():
    assert gaussian_cost(rg.GaussianDP(0.1)) == Fraction(0.1) ** 2
    assert gaussian_cost(rg.Failure(1e-9)) == 0
    assert failure_cost(rg.ApproximateDP(1.0, 1e-9)) == Fraction(1e-9) == failure_cost(rg.Failure(1e-9))
    assert renyi_cost(rg.GaussianDP(2.0), 3.0) >= 6


def test_disjoint_parts_cost_the_largest():
    assert gaussian_cost(rg.Parallel((rg.GaussianDP(0.1), rg.GaussianDP(0.3)))) == Fraction(0.3) ** 2
    assert gaussian_cost(rg.Parallel((rg.GaussianDP(0.1), GaussianPairDP(0.1, 0.1, 3)))) is None
    assert gaussian_cost(rg.Parallel((rg.GaussianDP(0.0),))) == 0


def test_what_has_no_bound_costs_infinitely_much():
    pair = GaussianPairDP(0.1, 0.1, 3)
    assert gaussian_cost(pair) is None
    assert renyi_cost(pair, pair.order_limit) is None
    assert renyi_cost(pair, 2.0) is not None
    assert mu_of_pure(math.inf) == math.inf
    assert gaussian_cost(rg.PureDP(1e300)) == Fraction(mu_of_pure(1e300)) ** 2


def test_a_guarantee_that_only_looks_gaussian_is_not_taken_for_one():
    class Loose(rg.GaussianDP):
        """Says less than its mu."""

    assert gaussian_cost(Loose(0.1)) is None
