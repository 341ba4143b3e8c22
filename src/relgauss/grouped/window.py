"""The window that values are clipped to: wide enough to keep them, narrow enough to need little noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.grouped.log_grid import Windows
from relgauss.grouped.shape_weights import ShapeFit
from relgauss.grouped.shapes import PlacedShapes


def choose_windows(
    shapes: PlacedShapes, fit: ShapeFit, sizes: FloatArray, noise_per_width: FloatArray
) -> Windows:
    """The window [a, b] of least expected loss, relative to the mean m, given noise of std k (b - a):

        E[ min(1/2, E(a - X)+ / m) + min(1/2, E(X - b)+ / m) + k (b - a) / m ]

    over the weights of the shapes; what the window would clip of the unexplained counts is added. The loss is
    a sum of a term in a and one in b, so each end is found by itself, on its side of the median position.
    ``sizes`` are those of the groups, ``noise_per_width`` is k.
    """
    edges, centres = shapes.grid.edges, shapes.grid.bin_centres
    inverse_mean = fit.weights.average(1 / shapes.mean)
    noise = (noise_per_width * inverse_mean)[:, None] * edges
    outside = np.maximum(fit.unexplained, 0.0) * (inverse_mean / sizes)[:, None]
    clipped_below, clipped_above = np.split(fit.weights.average(shapes.relative_losses), 2, axis=1)
    below = clipped_below + outside @ np.maximum(edges - centres[:, None], 0.0) - noise
    above = clipped_above + outside @ np.maximum(centres[:, None] - edges, 0.0) + noise
    is_left = np.arange(len(edges)) <= _median_cell(shapes, fit)[:, None]
    return Windows(
        np.where(is_left, below, np.inf).argmin(axis=1), np.where(is_left, np.inf, above).argmin(axis=1)
    )


def _median_cell(shapes: PlacedShapes, fit: ShapeFit) -> NDArray[np.intp]:
    """The cell of the median of the shapes' positions."""
    weights = fit.weights.values
    by_position = weights.reshape(len(weights), -1, shapes.positions).sum(axis=1)
    position = np.minimum((np.cumsum(by_position, axis=1) < 0.5).sum(axis=1), shapes.positions - 1)
    median: NDArray[np.intp] = position * shapes.grid.cells // shapes.positions
    return median
