"""Random batches as a user counts them: leak and failure are kept, and sampling gains what is proven."""

import math

import numpy as np
import pytest
from mpmath import mp, mpf

import relgauss as rg
from relgauss.accounting import GaussianPairDP
from relgauss.rounding import round_up


def test_a_thousand_batches_of_a_hundredth():
    """The figure of the README: 1-GDP steps, each on one record in a hundred."""
    batch = rg.Subsampled(rg.GaussianDP(1.0), 0.01)
    together = rg.compose((batch, 1000)).epsilon(1e-6)
    assert round_up(together, 3) == "2.52"
    assert together < rg.compose((rg.GaussianDP(1.0), 1000)).epsilon(1e-6) / 100


def test_batches_of_a_mechanism_in_a_statement():
    mechanism = rg.Gaussian(rg.AbsoluteSensitivity(1.0), 3, 1.0)
    batch = rg.Subsampled(mechanism.guarantee, 0.1)
    charge = rg.Charge("steps", batch, "proofs/conversions.md", (), 10)
    statement = rg.PrivacyStatement((charge,), 1e-6)
    assert "on a random batch of 0.1 of the records × 10" in str(statement)
    assert statement.epsilon() == rg.compose((batch, 10)).epsilon(1e-6)
    assert statement.epsilon() < mechanism.epsilon(1e-6, 10)


def test_a_leak_is_disclosed_as_often_as_its_record_is_drawn():
    """(0.1, 0.5)-DP on a tenth of the records: past every loss, delta is 0.05."""
    leaky = rg.Subsampled(rg.ApproximateDP(0.1, 0.5), 0.1)
    assert rg.compose(leaky).delta(1.0) == pytest.approx(0.05, rel=1e-12)
    assert rg.compose(leaky).epsilon(0.04) == math.inf
    assert rg.compose((leaky, 10)).delta(2.0) == pytest.approx(1 - 0.95**10, rel=1e-9)


def test_a_failure_is_charged_in_full():
    failing = rg.Subsampled(rg.Failure(0.01), 0.1)
    assert rg.compose(failing).delta(1.0) == pytest.approx(0.01, rel=1e-12)
    assert rg.compose(failing, rg.GaussianDP(0.1)).epsilon(0.01) == math.inf


def test_a_leak_amplified_by_the_exact_profile():
    """The known amplification of (epsilon, delta): log(1 + s(e^epsilon - 1)) and s delta, and no less."""
    for rate in (1e-3, 0.1, 0.9, 1.0):
        batch = rg.compose(rg.Subsampled(rg.ApproximateDP(2.0, 1e-4), rate))
        amplified = math.log1p(rate * math.expm1(2.0))
        assert batch.delta(amplified * (1 + 1e-12)) == pytest.approx(rate * 1e-4, rel=1e-9)
        assert batch.delta(amplified * (1 - 1e-3)) > rate * 1e-4


@pytest.mark.parametrize("size", [1, 2])
def test_a_sum_of_a_batch_of_three_records(size):
    """The true delta of a noisy sum of a batch out of {0, 0, 0} and {0, 0, 1}, by enumeration."""
    rate, epsilon = size / 3, 0.3
    # The record is in the batch with probability s: the law is N(0, 1), or with probability s N(1, 1).
    x = np.linspace(-12, 13, 200_001)
    step = x[1] - x[0]
    zero, one = np.exp(-x * x / 2), np.exp(-((x - 1) ** 2) / 2)
    mixed = rate * one + (1 - rate) * zero
    density = step / math.sqrt(2 * math.pi)
    there = np.maximum(mixed - math.exp(epsilon) * zero, 0).sum() * density
    back = np.maximum(zero - math.exp(epsilon) * mixed, 0).sum() * density
    found = rg.compose(rg.Subsampled(rg.GaussianDP(1.0), rate)).delta(epsilon)
    assert max(there, back) <= found * (1 + 1e-6)
    assert there == pytest.approx(found, rel=1e-4)  # and the bound is reached


def test_a_whole_batch_gains_nothing():
    for guarantee in (rg.GaussianDP(1.0), rg.ApproximateDP(1.0, 1e-7), GaussianPairDP(0.5, 0.1, 3)):
        whole = rg.compose(rg.Subsampled(guarantee, 1.0)).epsilon(1e-6)
        assert whole == pytest.approx(rg.compose(guarantee).epsilon(1e-6), rel=1e-9)


def test_a_batch_of_a_batch_is_a_smaller_batch():
    twice = rg.compose(rg.Subsampled(rg.Subsampled(rg.GaussianDP(1.0), 0.1), 0.2)).epsilon(1e-6)
    assert twice == pytest.approx(rg.compose(rg.Subsampled(rg.GaussianDP(1.0), 0.02)).epsilon(1e-6), rel=1e-6)


@pytest.mark.parametrize("epsilon", [1e-300, 1e-9, 0.5, 0.999, 1.0, 30.0, 1e4])
@pytest.mark.parametrize("rate", [1e-100, 1e-9, 1 / 3, 0.999])
def test_the_epsilon_on_a_batch_is_rounded_down(epsilon, rate):
    with mp.workdps(400):
        exact = mp.log1p(mp.expm1(mpf(epsilon)) / mpf(rate))
        found = mpf(rg.Subsampled(rg.GaussianDP(1.0), rate)._epsilon_on_batch(epsilon))
        assert exact * (1 - mpf("1e-14")) <= found <= exact
