"""Ends of a quantile's interval from ramps: they hold for every law, and are the best that hold for all."""

import numpy as np
import pytest

import relgauss as rg
from relgauss.grouped.contribution import ONE_ROW
from relgauss.grouped.measure_column import measure_column
from relgauss.grouped.noisy_measurements import NoisyRamps, Present
from relgauss.grouped.quantile_places import Levels
from relgauss.grouped.quantile_ramps import RampReading
from relgauss.grouped.ramp_bounds import ramp_bounds
from relgauss.grouped.signed_grid import LogGrid, Ramps, SignedGrid
from relgauss.grouped.totals import CellTotals
from relgauss.grouped.value_rule import ValueRule

GRID = SignedGrid(LogGrid.over(1.0, 100.0), leaves_out_missing=False)


def bounds(values: np.ndarray, first: int, last: int, level: float) -> tuple[float, float]:
    """By one ramp without noise, and F known at the edges of bins."""
    start, end = GRID.edges[first], GRID.edges[last]
    risen = np.clip((values - start) / (end - start), 0, 1).sum()
    ramps = Ramps(np.array([[first]]), np.array([[last]]))
    noisy = NoisyRamps(ramps, np.array([[values.size - risen, risen]]), np.zeros(1))
    places = Levels(np.ones((1, 1), dtype=np.int8), np.full((1, 1), level))
    number = Present(np.array([float(values.size)]), np.zeros(1))
    reading = RampReading(noisy, GRID, places, np.zeros(1), number, np.ones(1, dtype=np.bool_))
    below = np.array([[(values < edge).mean() for edge in GRID.edges[GRID.bin_edges[1:]]]])
    lower, upper = ramp_bounds(reading, level, (below, below), 1.0)
    return float(lower[0]), float(upper[0])


@pytest.mark.parametrize("seed", range(6))
def test_they_hold_whatever_the_values_are(seed: int):
    rng = np.random.default_rng(seed)
    for _ in range(60):
        centres, width = rng.uniform(1, 40, 3), rng.choice([0.0, 0.2, 2.0])
        values = np.clip(rng.choice(centres, 101) + width * rng.normal(size=101), 1.0, 99.0)
        first = int(rng.integers(1, GRID.value_cells - 4))
        last, level = first + int(rng.integers(1, 4)), float(rng.choice([0.1, 0.5, 0.8]))
        lower, upper = bounds(values, first, last, level)
        low, high = (np.quantile(values, level, method=end) for end in ("lower", "higher"))
        assert lower <= high + 1e-9
        assert low - 1e-9 <= upper


def test_they_tell_more_than_edges_do():
    """Evenly spread from 3 to 7, the median is 5: a ramp below it on average raises the lower end."""
    values = np.linspace(3, 7, 4001)
    first = int(np.searchsorted(GRID.edges, 4.2)) - 2
    lower, upper = bounds(values, first, first + 2, 0.5)
    assert GRID.edges[first] < lower <= 5.0
    assert upper == np.inf
    shifted, _ = bounds(values - 2, first, first + 2, 0.5)
    assert shifted == -np.inf, "above the median a ramp says nothing of the lower end"


def test_intervals_of_large_groups_end_inside_bins_and_hold():
    rng = np.random.default_rng(3)
    grid, rule = SignedGrid(LogGrid.over(1.0, 1e6)).fine, ValueRule(1.0, 1e6)
    values = 10 ** rng.uniform(2, 4, (40, 1)) * np.exp(0.1 * rng.normal(size=(40, 1_000)))
    counts = np.zeros((len(values), grid.cells), dtype=np.int64)
    sums = np.zeros(counts.shape)
    for group, row in enumerate(rule.apply(values)):
        cells = grid.cells_of(row)
        np.add.at(counts[group], cells, 1)
        np.add.at(sums[group], cells, row * 2.0**-rule.exponent)
    totals = CellTotals(tuple(range(len(values))), counts, sums, grid, rule)
    asked = ["q25", "median", "q75"]
    found = measure_column(totals, ONE_ROW, rg.Budget(1.0, 1e-6).mu, asked, 0.95, rng).statistics
    for name, level in zip(asked, (0.25, 0.5, 0.75), strict=True):
        one, truth = found[name], np.quantile(values, level, axis=1)
        assert np.mean((one.lower <= truth) & (truth <= one.upper)) > 0.95
    median = found["median"]
    assert np.median(median.upper / median.lower) < 1.2, "less than a bin, which is 1.25"


def test_medians_get_better_with_the_number_of_rows():
    """Evenly spread values are no shape of ours: what ramps say must count more than the fitted shape."""
    rng = np.random.default_rng(4)
    grid, rule = SignedGrid(LogGrid.over(1.0, 1e6)).fine, ValueRule(1.0, 1e6)
    values = rng.uniform(0, 2, (30, 20_000)) * 10 ** rng.uniform(2, 4, (30, 1))
    counts = np.zeros((len(values), grid.cells), dtype=np.int64)
    sums = np.zeros(counts.shape)
    for group, row in enumerate(rule.apply(values)):
        cells = grid.cells_of(row)
        counts[group] = np.bincount(cells, minlength=grid.cells)
        sums[group] = np.bincount(cells, row * 2.0**-rule.exponent, grid.cells)
    totals = CellTotals(tuple(range(len(values))), counts, sums, grid, rule)
    found = measure_column(totals, ONE_ROW, rg.Budget(1.0, 1e-6).mu, ["mean", "median"], 0.95, rng)
    error = np.abs(found.statistics["median"].estimate / np.median(values, axis=1) - 1)
    assert np.median(error) < 0.006
