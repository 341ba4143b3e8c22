"""What all sampled guarantees share: leaks, failures and orders."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

import relgauss as rg

KINDS = pytest.mark.parametrize(
    ("kind", "neighbours"), [(rg.Subsampled, "replace-one"), (rg.PoissonSampled, "add-or-remove")]
)


@KINDS
def test_a_leak_counts_by_the_rate_and_is_never_lost(kind, neighbours):
    assert kind(rg.ApproximateDP(1.0, 1e-6, neighbours), 0.01).leak == pytest.approx(1e-8)
    tiny = kind(rg.ApproximateDP(1.0, 1e-300, neighbours), 1e-50)  # 1e-350 is no double
    assert tiny.leak > 0
    assert rg.compose(tiny).delta(2.0) > 0


@KINDS
def test_a_failure_counts_in_full(kind, neighbours):
    assert kind(rg.Failure(1e-8), 0.01).failure == 1e-8


@KINDS
def test_sampling_never_costs_more(kind, neighbours):
    whole = rg.GaussianDP(0.7, neighbours)
    for alpha in (1.5, 2.0, 7.3, 40.0):
        assert kind(whole, 0.1).rdp(alpha) < whole.rdp(alpha)
        assert kind(whole, 1.0).rdp(alpha) == pytest.approx(whole.rdp(alpha))


@given(st.floats(-90, 3), st.floats(0.001, 1.0) | st.just(1.0))
def test_the_profile_of_a_tiny_loss_is_rounded_up(log_epsilon, rate):
    """The logarithm of a tiny delta has few digits left behind the point: the slack must grow with it."""
    epsilon = math.exp(log_epsilon)
    with mp.workdps(60):
        exact = mpf(rate) * mp.expm1(mpf(epsilon)) / (1 + mp.exp(mpf(epsilon)))
    for parts in (
        (rg.Subsampled(rg.PureDP(epsilon), rate),),
        (rg.Subsampled(rg.PureDP(epsilon), rate), rg.Failure(1e-300)),
    ):
        assert exact <= rg.compose(*parts).delta(0.0) <= exact * (1 + 1e-9) + 1e-299
