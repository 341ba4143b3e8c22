"""What groups are made of: shares that are shares, whatever the noise."""

import numpy as np
import pytest

from relgauss.grouped.noisy_measurements import NoisyCounts
from relgauss.grouped.placed_shapes import placed_shapes
from relgauss.grouped.sides import compose_groups
from relgauss.grouped.signed_grid import LogGrid, SignedGrid, Signs

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
