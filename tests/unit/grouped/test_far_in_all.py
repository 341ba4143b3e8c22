"""Records far outside that only all groups together show: seeded, on tables of groups that are alike."""

import numpy as np
import pytest

import relgauss as rg
from relgauss.grouped.contribution import ONE_ROW
from relgauss.grouped.far_in_all import Beyond, far_in_all
from relgauss.grouped.measure_column import measure_column
from relgauss.grouped.noisy_measurements import NoisyCounts

from .totals_of_values import totals_of

GROUPS, BINS, STD = 64, 40, 10.0
SIZES = np.where(np.arange(GROUPS) < 32, 500.0, 1_000.0)


def beyond(records: np.ndarray, sign: int) -> tuple[Beyond, NoisyCounts]:
    """So many of 1,000 records in each bin; the last 30 lie beyond, or 29 in every second group."""
    exact = SIZES[:, None] / 1_000 * records
    noisy = exact + STD * np.random.default_rng(3).normal(size=exact.shape)
    first = 10 + np.arange(GROUPS) % 2
    is_beyond = np.arange(BINS) >= first[:, None]
    distances = np.maximum(1.25 ** (np.arange(BINS) - first[:, None]) - 0.9, 0.0)
    nothing = np.zeros(exact.shape)
    order = slice(None, None, sign)
    end = Beyond(
        sign, noisy[:, order], nothing, is_beyond[:, order], nothing, np.asarray(distances[:, order])
    )
    return end, NoisyCounts(SIZES, noisy, np.full(GROUPS, STD))


@pytest.mark.parametrize("sign", [1, -1])
def test_two_modes_that_no_group_shows_are_found_in_all(sign: int):
    records = np.zeros(BINS)
    records[16:18] = records[30] = 14.0
    end, counts = beyond(records, sign)
    number, distance, square = far_in_all(end, counts)
    exact = SIZES[:, None] / 1_000 * records
    distances = end.distances[:, ::sign]
    assert (number >= exact.sum(axis=1)).all()
    assert (distance >= 0.95 * (exact * distances).sum(axis=1)).all()
    assert (square >= 0.9 * (exact * distances**2).sum(axis=1)).all()
    assert (number <= 3 * exact.sum(axis=1)).all()
    assert number[SIZES == 1_000].min() > number[SIZES == 500].max(), "each has its part, by its size"


def test_noise_alone_shows_nothing():
    assert not np.any(far_in_all(*beyond(np.zeros(BINS), 1)))


def test_what_shapes_and_tails_put_there_is_no_more():
    end, counts = beyond(np.full(BINS, 8.0), 1)
    further = np.cumsum(np.full((GROUPS, BINS), 8.0)[:, ::-1], axis=1)[:, ::-1]
    as_tail = Beyond(1, end.counts, end.expected, end.is_beyond, further, end.distances)
    as_shape = Beyond(1, end.counts, end.expected + 8.0, end.is_beyond, end.allowed, end.distances)
    for each in (as_tail, as_shape):
        assert not np.any(far_in_all(each, counts))
    assert np.all(far_in_all(end, counts)[0] > 0)


def test_a_mode_that_no_shape_has_is_not_missed_by_usable_means():
    """Three scales, the highest a tenth of the values: half of the usable intervals missed their mean."""
    rng = np.random.default_rng(4)
    scale = rng.choice([1.0, 10.0, 100.0], (120, 1_000), p=[0.6, 0.3, 0.1])
    values = 100 * scale * np.exp(0.4 * rng.normal(size=scale.shape))
    mu = rg.Budget(1.0, 1e-6).mu
    mean = measure_column(totals_of(values), ONE_ROW, mu, ["mean"], 0.95, rng).statistics["mean"]
    truth = values.mean(axis=1)
    held = (mean.lower <= truth) & (truth <= mean.upper)
    assert held.mean() > 0.95
    assert np.mean(mean.usable & ~held) < 0.03
