"""Shares by noisy counts: where the truth is on average, and none where it is none. Seeded."""

import numpy as np
import pytest

from relgauss.grouped.likely_shares import likely_shares

SIZES = np.array([5_000.0, 3_000.0, 2_000.0, 2_000.0, 1_500.0, 1_000.0, 700.0, 500.0])


def estimates(share: float, noise_std: float, runs: int = 200) -> np.ndarray:
    rng = np.random.default_rng(3)
    levels = np.full(len(SIZES), noise_std)
    return np.array(
        [
            likely_shares(SIZES * share + rng.normal(0, noise_std, len(SIZES)), SIZES, levels)
            for _ in range(runs)
        ]
    )


@pytest.mark.parametrize("share", [0.01, 0.03, 0.1, 0.6])
@pytest.mark.parametrize("noise_std", [5.0, 40.0])
def test_it_leans_to_no_side(share: float, noise_std: float):
    """Noise of 40 is more than twice what 3 % of the smallest group are."""
    found = estimates(share, noise_std)
    assert found.mean() == pytest.approx(share, rel=0.12)
    assert np.median(found) == pytest.approx(share, rel=0.2)


def test_none_is_hardly_any():
    """On average a smaller part of the noise than 0.4, which is what counts cut off at 0 would add."""
    assert (estimates(0.0, 40.0).mean(axis=0) < 0.25 * 40 / SIZES).all()
    assert np.median(estimates(0.0, 5.0)) < 0.0005


def test_it_is_a_share_whatever_the_numbers():
    """The ends of what doubles hold without an overflow, and counts that are far below 0 or above all."""
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        for observed in (-1e9, -50.0, 0.0, 5.0, 1e9):
            for size in (1.0, 1e3, 1e9):
                for noise_std in (1e-3, 1.0, 1e9, 1e18):
                    one = likely_shares(np.full(2, observed), np.full(2, size), np.full(2, noise_std))
                    assert ((one >= 0) & (one <= 1)).all()
