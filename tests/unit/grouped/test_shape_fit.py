"""Which shapes are looked at: not those of a sign that counts cannot show."""

import numpy as np
import pytest

import relgauss as rg
from relgauss.grouped.contribution import ONE_ROW
from relgauss.grouped.measure_column import measure_column
from relgauss.grouped.noisy_measurements import NoisyCounts
from relgauss.grouped.placed_shapes import placed_shapes
from relgauss.grouped.shape_fit import fit_shapes
from relgauss.grouped.signed_grid import LogGrid

from .totals_of_values import totals_of

MU = rg.Budget(1.0, 1e-6).mu
GRID = LogGrid.over(1.0, 1e6)
SHAPES = placed_shapes(GRID)


def counts_of(groups: int) -> NoisyCounts:
    """Noisy counts of shapes at any places."""
    rng = np.random.default_rng(2)
    shares = SHAPES.bin_shares[rng.integers(0, SHAPES.common, groups)]
    return NoisyCounts(
        np.full(groups, 800.0), 800 * shares + rng.normal(0, 5.0, shares.shape), np.full(groups, 5.0)
    )


@pytest.mark.parametrize("chosen", [[], [3], [0, 2, 5, 6], range(8)])
def test_the_others_weigh_as_if_they_were_alone(chosen: list[int]):
    counts, there = counts_of(8), np.isin(np.arange(8), list(chosen))
    some, every = (fit_shapes(SHAPES, SHAPES.log_prior, counts, which) for which in (there, None))
    difference = some.weights.dense()[there] - every.weights.dense()[there]
    assert np.abs(difference).max(initial=0.0) < 1e-4  # single precision
    lowest = some.weights.dense()[~there]
    assert (lowest[:, 0] == 1).all()
    assert lowest.sum() == len(lowest)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_sign_that_is_not_there_makes_no_spread_of_the_other_unknown(sign: float):
    """Upper ends were a thousand times the truth, as a tenth of a record might lie at the other end."""
    values = sign * np.random.default_rng(0).uniform(1.0, 100.0, (40, 1_000))
    found = measure_column(totals_of(values, "both"), ONE_ROW, MU, ["std"], 0.95, np.random.default_rng(1))
    spread, truth = found.statistics["std"], values.std(axis=1)
    assert (spread.lower <= truth).mean() > 0.9
    assert (truth <= spread.upper).mean() > 0.9
    assert np.median(spread.upper / truth) < 4
