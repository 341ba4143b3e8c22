"""Ways to draw the records of a step."""

import math

import pytest

import relgauss as rg
from relgauss.errors import InvalidParameterError


def test_each_way_makes_its_guarantee():
    assert rg.Batches(0.1).of(rg.GaussianDP(1.0)) == rg.Subsampled(rg.GaussianDP(1.0), 0.1)
    added = rg.GaussianDP(1.0, "add-or-remove")
    assert rg.PoissonSamples(0.1).of(added) == rg.PoissonSampled(added, 0.1)
    assert rg.Batches(0.1) != rg.PoissonSamples(0.1)


@pytest.mark.parametrize("rate", [0, -0.1, 1.01, math.nan, math.inf, "0.1"])
def test_a_rate_is_a_part(rate):
    for way in (rg.Batches, rg.PoissonSamples):
        with pytest.raises(InvalidParameterError, match="rate"):
            way(rate)


def test_the_guess_costs_about_as_much():
    """Of many steps at a small rate: the guess is where a search begins."""
    mu, rate, steps = 0.02, 0.01, 10**4
    per_step = rg.PoissonSamples(rate).equivalent_mu(mu)
    sampled = rg.PoissonSampled(rg.GaussianDP(per_step, "add-or-remove"), rate)
    found = rg.compose((sampled, steps)).epsilon(1e-6)
    assert found == pytest.approx(rg.compose((rg.GaussianDP(mu), steps)).epsilon(1e-6), rel=0.5)
