"""Printed counts are whole, not negative, and add up."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relgauss.grouped.consistent_counts import consistent_counts

NOISY = st.lists(st.floats(-1e6, 1e6), max_size=40).map(np.array)


@given(NOISY)
def test_they_are_whole_nonnegative_and_add_up(noisy: np.ndarray):
    found = consistent_counts(noisy)
    assert found.dtype == np.int64
    assert (found >= 0).all()
    assert found.sum() == max(0, round(float(np.sum(noisy)))) or abs(found.sum() - noisy.sum()) <= 1


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=40))
def test_counts_that_are_in_order_stay(counts: list[int]):
    assert consistent_counts(np.array(counts, dtype=float)).tolist() == counts


@given(NOISY)
def test_the_order_of_groups_stays(noisy: np.ndarray):
    found = consistent_counts(noisy)
    order = np.argsort(noisy, kind="stable")
    assert (np.diff(found[order]) >= -1).all()


def test_many_small_groups_do_not_make_the_total_too_large():
    """Cutting off negative counts alone would add 0.4 noise levels for each empty group."""
    rng = np.random.default_rng(0)
    noisy = 50 * rng.normal(size=10_000)
    noisy[:10] += 10_000
    assert np.maximum(noisy, 0).sum() > 2.5e5
    assert consistent_counts(noisy).sum() == pytest.approx(1e5, abs=5 * 50 * 100)
