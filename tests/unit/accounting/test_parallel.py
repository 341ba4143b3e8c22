"""Disjoint parts cost their maximum."""

import pytest

import relgauss as rg
from relgauss.accounting import GaussianPairDP, parallel
from relgauss.errors import InvalidParameterError

PARTS = (rg.GaussianDP(0.5), GaussianPairDP(0.4, 0.2, 5), rg.ApproximateDP(0.3, 1e-9))


def test_the_largest_counts():
    together = rg.Parallel(PARTS)
    for part in PARTS:
        alone = rg.Parallel((part,))
        expected = rg.compose(part).epsilon(1e-6)
        assert rg.compose(alone).epsilon(1e-6) == pytest.approx(expected, rel=1e-9)
        assert rg.compose(together).epsilon(1e-6) >= expected * (1 - 1e-12)
        assert together.rdp(2.0) >= part.rdp(2.0)
    largest = max(rg.compose(part).epsilon(1e-6) for part in PARTS)
    assert rg.compose(together).epsilon(1e-6) <= largest * (1 + 1e-2)
    assert together.leak == 1e-9


def test_rounds_of_equal_parts_are_rounds_of_one():
    rounds = rg.compose((rg.Parallel((GaussianPairDP(0.1, 0.01, 5),) * 4), 100)).epsilon(1e-6)
    assert rounds == pytest.approx(rg.compose((GaussianPairDP(0.1, 0.01, 5), 100)).epsilon(1e-6), rel=1e-12)


def test_order_and_repetition_of_parts_change_nothing():
    assert rg.Parallel(PARTS) == rg.Parallel(PARTS[::-1]) == rg.Parallel(PARTS * 2)
    assert hash(rg.Parallel(PARTS)) == hash(rg.Parallel(PARTS[::-1]))


def test_both_orders_of_sampled_parts_are_kept():
    sampled = rg.PoissonSampled(rg.GaussianDP(1.0, "add-or-remove"), 0.1)
    together = rg.Parallel((sampled, rg.PoissonSampled(rg.GaussianDP(0.5, "add-or-remove"), 0.1)))
    assert not together.is_symmetric
    assert rg.compose((together, 50)).epsilon(1e-6) == pytest.approx(
        rg.compose((sampled, 50)).epsilon(1e-6), rel=1e-6
    )


def test_conditions_are_named_and_nonsense_is_refused():
    assert "one part" in parallel.DISJOINT
    assert "disjoint" in rg.Parallel(PARTS).describe()
    for parts in ((), (0.5,), rg.GaussianDP(0.5), None):
        with pytest.raises(InvalidParameterError, match="parts"):
            rg.Parallel(parts)
