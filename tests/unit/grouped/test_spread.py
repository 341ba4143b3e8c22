"""Spreads: quantiles by weights, and intervals of standard deviations on many forms. Seeded."""

import numpy as np
import pytest

import relgauss as rg
from relgauss.grouped.contribution import ONE_ROW
from relgauss.grouped.measure_column import measure_column
from relgauss.grouped.placed_shapes import placed_shapes
from relgauss.grouped.signed_grid import LogGrid, Signs
from relgauss.grouped.spread import weighted_quantile

from .totals_of_values import totals_of

MU = rg.Budget(1.0, 1e-6).mu
EDGE = LogGrid.over(0.5, 1e7).edges[::2][30]  # of bins
FORMS = {
    "narrow, on an edge": lambda rng, shape: EDGE * rng.normal(1.0, 0.05, shape),
    "constant": lambda rng, shape: np.full(shape, 777.7),
    "narrow": lambda rng, shape: 3e3 * np.exp(0.03 * rng.normal(size=shape)),
    "normal": lambda rng, shape: rng.normal(5e4, 9e3, shape),
    "either sign": lambda rng, shape: rng.normal(0.0, 40.0, shape),
    "exponential": lambda rng, shape: rng.exponential(2e3, shape),
    "mostly zeros": lambda rng, shape: np.where(rng.random(shape) < 0.7, 0.0, rng.gamma(2.0, 90.0, shape)),
    "zeros and ones": lambda rng, shape: (rng.random(shape) < 0.3).astype(float),
    "three prices": lambda rng, shape: rng.choice([10.0, 1_000.0, 5_000.0], shape, p=[0.5, 0.3, 0.2]),
    "whole numbers": lambda rng, shape: rng.integers(1, 8, shape).astype(float),
}


@pytest.mark.parametrize(
    ("form", "size"), [*((form, 2_000) for form in FORMS), ("either sign", 100), ("mostly zeros", 100)]
)
def test_standard_deviations_are_held(form: str, size: int):
    rng = np.random.default_rng([size, len(form)])
    values = FORMS[form](rng, (40, size))
    signs: Signs = "both" if form == "either sign" else "positive"
    low = 1.0 if form == "zeros and ones" else 0.5  # all ones lie at the low end of their bin
    std = measure_column(totals_of(values, signs, low, 1e7), ONE_ROW, MU, ["std"], 0.95, rng).statistics[
        "std"
    ]
    truth = values.std(axis=1)
    sure = std.flags == 0
    held = (std.lower <= truth * (1 + 1e-9)) & (truth * (1 - 1e-9) <= std.upper)
    assert held[sure].mean() >= 0.87 if sure.any() else size == 100
    if size == 2_000 and form in ("normal", "either sign"):
        assert np.median(np.abs(std.estimate / truth - 1)) < 0.1


def test_an_interval_of_noise_alone_would_not_hold():
    rng = np.random.default_rng(9)
    far = np.where(rng.random((40, 600)) < 0.04, rng.uniform(2, 3, (40, 600)), 1.0)
    values = 5e4 * far * np.exp(0.2 * rng.normal(size=far.shape))
    found = measure_column(totals_of(values, "positive", 0.5, 1e7), ONE_ROW, MU, ["std", "mean"], 0.95, rng)
    std, truth = found.statistics["std"], values.std(axis=1)
    assert np.mean((std.lower <= truth) & (truth <= std.upper)) >= 0.87
    window = found.window
    clipped = np.clip(values, window.low[:, None], window.high[:, None]).std(axis=1)
    assert np.mean(clipped < 0.9 * truth) > 0.5, "what a window cuts off is much of it"


def test_quantiles_by_weights():
    weights = np.array([[0.5, 0.3, 0.2], [0.0, 0.0, 1.0]])
    values = np.array([[3.0, 1.0, 2.0], [3.0, 1.0, 2.0]])
    assert weighted_quantile(values, weights, 0.25).tolist() == [1.0, 2.0]
    assert weighted_quantile(values, weights, 0.6).tolist() == [3.0, 2.0]


def test_variances_of_shapes():
    shapes = placed_shapes(LogGrid.over(1.0, 1e6))
    narrow = shapes.spread < 0.2
    middle = narrow & (shapes.mean > 10) & (shapes.mean < 1e5)
    ratio = np.sqrt(shapes.variance[middle]) / shapes.mean[middle]
    assert ratio.min() > 0
    assert ratio.max() < 0.4
