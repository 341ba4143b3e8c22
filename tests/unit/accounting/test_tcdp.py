"""Concentrated DP as a guarantee, and the theorem that the paper refers to for batches."""

import math

import pytest

import relgauss as rg
from relgauss.errors import InvalidParameterError, NoGuaranteeError


def test_composition_is_that_of_then():
    first, second = rg.TruncatedConcentratedDP(0.1, 30.0), rg.TruncatedConcentratedDP(0.2, 12.0)
    composed, then = rg.compose(first, second), first.then(second)
    assert composed.epsilon(1e-6) == pytest.approx(then.epsilon(1e-6), rel=1e-9)
    assert composed.order_limit == then.omega == 12.0
    assert rg.compose((first, 5)).epsilon(1e-6) == pytest.approx(
        rg.TruncatedConcentratedDP(0.5, 30.0).epsilon(1e-6), rel=1e-9
    )


def test_beside_a_gaussian_it_costs_no_less_than_the_gaussian_it_may_be():
    mu = 0.3
    found = rg.compose(rg.ZeroConcentratedDP(mu**2 / 2), rg.GaussianDP(1.0)).epsilon(1e-6)
    exact = rg.compose(rg.GaussianDP(mu), rg.GaussianDP(1.0)).epsilon(1e-6)
    assert exact <= found <= exact * 1.05


def test_the_theorem_is_its_literal_form():
    rho, rate = 0.01, 0.01
    found = rg.TruncatedConcentratedDP(rho).sampled_by_theorem(rate)
    assert found.rho == pytest.approx(13 * rate**2 * rho)
    assert found.rho >= 13 * rate**2 * rho
    assert found.omega == pytest.approx(math.log(1 / rate) / (4 * rho))
    assert found.neighbours == "replace-one"


@pytest.mark.parametrize(
    ("rho", "omega", "rate"),
    [
        (0.2, math.inf, 0.01),  # rho above 0.1
        (0.01, math.inf, 0.2),  # rate above 0.1
        (0.0, math.inf, 0.01),
        (0.01, 100.0, 0.01),  # omega below log(1/s)/(2 rho) = 230
    ],
)
def test_its_conditions_are_checked(rho, omega, rate):
    with pytest.raises(NoGuaranteeError, match="does not cover"):
        rg.TruncatedConcentratedDP(rho, omega).sampled_by_theorem(rate)


def test_it_is_for_replaced_records_only():
    with pytest.raises(InvalidParameterError, match="neighbours"):
        rg.TruncatedConcentratedDP(0.01, neighbours="add-or-remove").sampled_by_theorem(0.01)


def test_the_exact_accounting_of_a_batch_is_below_the_theorem():
    """The Gaussian's own batches cost less than what the theorem says of its concentrated DP."""
    mu, rate, steps = 0.1, 0.01, 1000
    theorem = rg.TruncatedConcentratedDP(mu**2 / 2).sampled_by_theorem(rate)
    exact = rg.compose((rg.Subsampled(rg.GaussianDP(mu), rate), steps)).epsilon(1e-6)
    assert exact < rg.compose((theorem, steps)).epsilon(1e-6)
