"""Columns that are mostly zeros: what else they hold is taken for ones where all of it may be."""

import numpy as np

from relgauss.estimate.noisy_ranges import CoarseRange, read_signed

EDGES = 4.0 ** np.arange(-50, 51)
ZERO = len(EDGES) - 1
COUNT = 10_000
NOTHING = CoarseRange(0.0, 0.0, is_narrow=False)


def read(noise: np.ndarray, zeros: float, **counts: float) -> CoarseRange | None:
    """up1=500 puts 500 records into the positive cell that ends at 4."""
    cells = noise.copy()
    cells[ZERO] += zeros
    for name, count in counts.items():
        side, power = (1, name.removeprefix("up")) if name[0] == "u" else (-1, name.removeprefix("down"))
        cells[ZERO + side * (50 + int(power))] += count
    return read_signed(cells, 100.0, COUNT, EDGES)


def test_what_is_not_zero_may_be_ones_if_all_of_it_may():
    """Half as many as would stand out by themselves: 2.2 noise levels, in the cell from 1 to 4."""
    noise = np.random.default_rng(3).normal(0, 20, 2 * ZERO + 1)
    assert read(noise, 9780, up1=220) == CoarseRange(0.0, 1.0, is_narrow=False)
    assert read(noise, COUNT) == NOTHING
    for others in ({"up0": 220}, {"up2": 220}, {"down1": 220}):  # from 1/4, from 4, below zero
        assert read(noise, 9780, **others) == NOTHING, others
    assert read(noise, 9480, up1=220, up4=300) == NOTHING


def test_noise_seldom_makes_ones_of_zeros():
    rng = np.random.default_rng(4)
    found = [read(rng.normal(0, 100, 2 * ZERO + 1), COUNT) for _ in range(2000)]
    assert sum(each != NOTHING for each in found) <= 30
