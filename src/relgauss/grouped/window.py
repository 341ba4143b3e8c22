"""The window that values are clipped to: wide enough to keep them, narrow enough to need little noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.grouped.shape_weights import Fit
from relgauss.grouped.shapes import Shapes


@dataclass(frozen=True, eq=False)
class Windows:
    """[edges[lower], edges[upper]] for each group, as indices of the grid's edges."""

    lower: NDArray[np.intp]
    upper: NDArray[np.intp]


def choose_windows(shapes: Shapes, fit: Fit, sizes: FloatArray, noise_per_width: FloatArray) -> Windows:
    """The window [a, b] of least expected loss, relative to the mean m, given noise of std k (b - a):

        E[ min(1/2, E(a - X)+ / m) + min(1/2, E(X - b)+ / m) + k (b - a) / m ]

    over the shapes' weights, with the strays that the window would clip added. The loss is a sum of a term in
    a and one in b, so each end is found by itself, on its side of the median place.
    """
    edges, centres = shapes.grid.edges, shapes.grid.bin_centres
    inverse_mean = fit.weights.average(1 / shapes.mean)
    noise = (noise_per_width * inverse_mean)[:, None] * edges
    strays = np.maximum(fit.strays, 0.0) * (inverse_mean / sizes)[:, None]
    clipped_below, clipped_above = np.split(fit.weights.average(shapes.relative_losses), 2, axis=1)
    below = clipped_below + strays @ np.maximum(edges - centres[:, None], 0.0) - noise
    above = clipped_above + strays @ np.maximum(centres[:, None] - edges, 0.0) + noise
    is_left = np.arange(len(edges)) <= _median_cell(shapes, fit)[:, None]
    return Windows(
        np.where(is_left, below, np.inf).argmin(axis=1), np.where(is_left, np.inf, above).argmin(axis=1)
    )


def _median_cell(shapes: Shapes, fit: Fit) -> NDArray[np.intp]:
    """The cell of the median of the shapes' places."""
    weights = fit.weights.values
    by_place = weights.reshape(len(weights), -1, shapes.places).sum(axis=1)
    place = np.minimum((np.cumsum(by_place, axis=1) < 0.5).sum(axis=1), shapes.places - 1)
    median: NDArray[np.intp] = place * shapes.grid.cells // shapes.places
    return median
