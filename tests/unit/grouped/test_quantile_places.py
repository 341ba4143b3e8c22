"""Where quantiles may lie, by weighted points."""

import numpy as np
import pytest
from scipy.special import ndtr

from relgauss.grouped.placed_shapes import placed_shapes
from relgauss.grouped.quantile_places import partial_law, weighted_quantiles
from relgauss.grouped.shapes import ALL_SHAPES, Bell
from relgauss.grouped.signed_grid import LogGrid


def test_weighted_quantiles_are_those_of_repeated_points():
    points = np.array([[3.0, 1.0, 2.0, 9.0], [5.0, 5.0, 5.0, 0.0]])
    weights = np.array([[1.0, 2.0, 3.0, 0.0], [0.2, 0.2, 0.2, 0.4]])
    low, middle, high = weighted_quantiles(points, weights, (0.3, 0.5, 0.9))
    assert low.tolist() == [1.0, 0.0]
    assert middle.tolist() == [2.0, 5.0]
    assert high.tolist() == [3.0, 5.0]


@pytest.mark.parametrize("spread", [0.05, 0.35, 1.0])
@pytest.mark.parametrize("deviates", [-2.0, -0.3, 0.0, 1.1, 2.5])
def test_partial_laws_are_those_of_lognormal_values(spread: float, deviates: float):
    shapes, shape = placed_shapes(LogGrid.over(1.0, 1e6)), ALL_SHAPES.index((Bell(1.0, 0.0, spread),))
    position = shapes.positions // 2
    centre = shapes.grid.log_edges[0] + (position + 0.5) * shapes.position_step
    likely = np.array([[shape * shapes.positions + position]])
    below, mean = partial_law(shapes, likely, np.exp([[centre + deviates * spread]]))
    assert below[0, 0] == pytest.approx(ndtr(deviates), abs=1e-3)
    exact = np.exp(centre + spread**2 / 2) * ndtr(deviates - spread)
    assert mean[0, 0] == pytest.approx(exact, abs=1e-3 * np.exp(centre))


def test_partial_laws_agree_with_placed_shapes():
    shapes = placed_shapes(LogGrid.over(1.0, 1e6))
    likely = np.arange(len(ALL_SHAPES))[None, :] * shapes.positions + shapes.positions // 2
    edge = shapes.grid.cells // 2 + 3
    below, _ = partial_law(shapes, likely, shapes.grid.edges[None, [edge]])
    assert below[0] == pytest.approx(shapes.below[likely[0], edge], abs=5e-3)
