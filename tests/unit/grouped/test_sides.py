"""What groups are made of: shares that are shares, whatever the noise."""

import numpy as np
import pytest

import relgauss as rg
from relgauss.grouped.contribution import ONE_ROW
from relgauss.grouped.noisy_measurements import NoisyCounts, measure_counts
from relgauss.grouped.placed_shapes import placed_shapes
from relgauss.grouped.sides import compose_groups
from relgauss.grouped.signed_grid import LogGrid, SignedGrid, Signs

from .totals_of_values import totals_of

MAGNITUDES = LogGrid.over(1.0, 1e7)


@pytest.mark.parametrize("signs", ["positive", "both"])
def test_no_share_is_negative_where_zeros_and_missing_values_fill_groups(signs: Signs):
    """Noise may count more of both than there are rows; rounding once left less than nothing to the rest."""
    rng = np.random.default_rng(0)
    grid, groups = SignedGrid(MAGNITUDES, signs), 2_000
    sizes = rng.uniform(50, 5_000, groups)
    values = rng.normal(0.0, 5.0, (groups, grid.bins))
    values[:, grid.zero_bin] = sizes * rng.uniform(0.3, 1.2, groups)
    values[:, -1] = sizes * rng.uniform(0.3, 1.2, groups)
    parts = compose_groups(grid, placed_shapes(MAGNITUDES), NoisyCounts(sizes, values, np.full(groups, 5.0)))
    shares = np.array([parts.missing, parts.zero, parts.negative, parts.positive])
    assert (shares >= 0).all()
    assert shares.sum(axis=0) == pytest.approx(np.ones(groups))


FORMS = {
    "ratings": lambda rng, shape: rng.choice(
        [1.0, 2.0, 3.0, 4.0, 5.0], shape, p=[0.08, 0.05, 0.12, 0.3, 0.45]
    ),
    "three prices": lambda rng, shape: rng.choice([10.0, 1e3, 5e3], shape, p=[0.5, 0.3, 0.2]),
    "few events": lambda rng, shape: rng.poisson(3.0, shape).astype(float),
    "answers of either sign": lambda rng, shape: rng.integers(-2, 3, shape).astype(float),
}


@pytest.mark.parametrize("form", FORMS)
def test_values_of_no_shape_are_not_taken_for_values_of_the_other_sign(form: str):
    """Of ratings a fifth were, of prices a third: fewer values than there are fit a shape better."""
    rng = np.random.default_rng(5)
    values = FORMS[form](rng, (40, 2_000))
    totals = totals_of(values, "both", 1e-2, 1e8)
    mu = rg.Budget(1.0, 1e-6).mu * np.ones(40) / 2
    counts = measure_counts(totals, np.arange(40), np.full(40, 2_000.0), ONE_ROW, mu, rng)
    parts = compose_groups(totals.grid, placed_shapes(totals.grid.magnitudes), counts)
    assert parts.negative == pytest.approx((values < 0).mean(axis=1), abs=0.11)
