"""Intervals of quantiles hold whatever lies outside of windows: long tails towards zero, far minorities."""

import numpy as np
import pytest

import relgauss as rg
from relgauss.grouped import column_statistics
from relgauss.grouped.contribution import ONE_ROW
from relgauss.grouped.distribution_band import distribution_band
from relgauss.grouped.measure_column import measure_column
from relgauss.grouped.noisy_measurements import NoisyCounts, NoisySums, Present
from relgauss.grouped.signed_grid import LogGrid, SignedGrid, Windows

from .totals_of_values import totals_of

GRID = SignedGrid(LogGrid.over(1.0, 1e3), leaves_out_missing=False)
LEVELS = {"q05": 0.05, "q25": 0.25, "median": 0.5, "q75": 0.75, "q95": 0.95}
FORMS = {
    "power of a uniform": lambda rng, shape: 3e5 * rng.random(shape) ** 4,
    "evenly over five decades": lambda rng, shape: 10 ** rng.uniform(0.5, 5.5, shape),
    "a fifth far below": lambda rng, shape: (
        np.where(rng.random(shape) < 0.2, 30.0, 9e3) * np.exp(0.4 * rng.normal(size=shape))
    ),
    "a tenth far above": lambda rng, shape: (
        np.where(rng.random(shape) < 0.1, 4e5, 2e3) * np.exp(0.4 * rng.normal(size=shape))
    ),
    "whole numbers": lambda rng, shape: 1.0 + rng.poisson(0.6, shape) ** 2,
}


def held(form: str, size: int, epsilon: float, groups: int = 120) -> dict[str, float]:
    """How often the interval of each quantile holds a value that has its level."""
    rng = np.random.default_rng([size, len(form)])
    values = np.maximum(FORMS[form](rng, (groups, size)), 1.0)  # the low end of the range
    mu = rg.Budget(epsilon, 1e-6).mu
    found = measure_column(totals_of(values, fine=True), ONE_ROW, mu, ["mean", *LEVELS], 0.95, rng)
    result = {}
    for name, level in LEVELS.items():
        low, high = (np.quantile(values, level, axis=1, method=end) for end in ("lower", "higher"))
        one = found.statistics[name]
        result[name] = float(np.mean((one.lower <= high * (1 + 1e-9)) & (one.upper >= low * (1 - 1e-9))))
    return result


@pytest.mark.parametrize(("size", "epsilon"), [(300, 1.0), (1_000, 1.0), (300, 3.0)])
@pytest.mark.parametrize("form", FORMS)
def test_quantiles_hold_at_any_level(form: str, size: int, epsilon: float):
    """Where no more lay outside than shapes put there, they held in 60 to 80 % at 5 % of the first form."""
    for name, share in held(form, size, epsilon).items():
        assert share >= 0.91, (name, share)  # 95 % less two standard errors


def test_with_nothing_outside_counted_they_would_not(monkeypatch: pytest.MonkeyPatch):
    def without_outside(inside, in_window, *_):
        place = np.cumsum(in_window, axis=1)
        bins = place[:, -1:]
        share, std = inside
        lower = np.where(place == 0, 0.0, share - 2.4 * std)
        upper = np.where(place == bins, 1.0, share + 2.4 * std)
        return np.clip(lower, 0, 1), np.clip(upper, 0, 1)

    monkeypatch.setattr(column_statistics, "distribution_band", without_outside)
    assert held("power of a uniform", 300, 3.0)["q05"] < 0.85


@pytest.mark.parametrize(("lower", "upper"), [(4, 20), (0, 9), (11, 31)])
def test_without_noise_the_band_is_the_distribution_function(lower: int, upper: int):
    rng = np.random.default_rng(lower)
    exact = rng.integers(0, 90, (1, GRID.value_bins)).astype(float)
    number = float(exact.sum())
    windows = Windows(GRID.bin_edges[[lower]], GRID.bin_edges[[upper]])
    in_window = ((np.arange(GRID.value_bins) >= lower) & (np.arange(GRID.value_bins) < upper))[None]
    outside = exact[~in_window].sum(keepdims=True)
    tiny = np.full(1, 1e-6)
    sums = NoisySums(windows, np.zeros(1), tiny, outside, tiny)
    inside = np.where(in_window, exact, 0.0)
    moved = inside + in_window * (outside / in_window.sum())
    shares = np.cumsum(moved, axis=1) / number, np.full(exact.shape, 1e-9)
    counts = NoisyCounts(np.full(1, number), exact, tiny)
    low, high = distribution_band(
        shares, in_window, counts, sums, Present(np.full(1, number), np.zeros(1)), 2.0
    )
    truth = np.cumsum(exact, axis=1) / number
    assert (low <= truth + 1e-6).all()
    assert (truth <= high + 1e-6).all()
    assert (np.diff(low) >= 0).all()
    assert (np.diff(high) >= 0).all()
