"""What all sampled guarantees share: leaks, failures and orders."""

import pytest

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
