"""The window that values are clipped to: wide enough to keep them, narrow enough to need little noise."""

from __future__ import annotations

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.grouped.composition import Composition
from relgauss.grouped.sides import Side
from relgauss.grouped.signed_grid import SignedGrid, Windows


def choose_windows(
    grid: SignedGrid,
    sides: tuple[Side, ...],
    parts: Composition,
    present: FloatArray,
    noise_per_width: FloatArray,
) -> Windows:
    """The window [a, b] of least expected loss, relative to the mean magnitude m, given noise k (b - a):

        E[ min(1/2, E(a - X)+ / m) + min(1/2, E(X - b)+ / m) + k (b - a) / m ]

    over the weights of the shapes of each side; zeros, and what the window would clip of the unexplained
    counts, are added. The loss is a sum of a term in a and one in b, so each end is found by itself, on its
    side of the median. ``present`` are the numbers of values of each group, ``noise_per_width`` is k.
    """
    edges, centres = grid.edges, grid.bin_centres
    inverse = 1 / magnitudes(sides)
    zero = parts.zero_of_present[:, None]
    noise = (noise_per_width * inverse)[:, None] * edges
    below = zero * np.maximum(edges, 0.0) * inverse[:, None] - noise
    above = zero * np.maximum(-edges, 0.0) * inverse[:, None] + noise
    values_below = zero * (edges > 0)
    for side in sides:
        weight = (side.share / side.inverse_mean * inverse)[:, None]
        cut_below, cut_above = side.relative_losses
        stray = np.maximum(side.unexplained, 0.0) * (inverse / present)[:, None]
        below = below + weight * cut_below + stray @ np.maximum(edges - centres[:, None], 0.0)
        above = above + weight * cut_above + stray @ np.maximum(centres[:, None] - edges, 0.0)
        values_below = values_below + side.share[:, None] * side.below
    median_cell = np.minimum((values_below[:, 1:] < 0.5).sum(axis=1), grid.value_cells - 1)
    is_left = np.arange(len(edges)) <= median_cell[:, None]
    return Windows(
        np.where(is_left, below, np.inf).argmin(axis=1), np.where(is_left, np.inf, above).argmin(axis=1)
    )


def magnitudes(sides: tuple[Side, ...]) -> FloatArray:
    """The typical mean magnitude of each group's values: the harmonic mean over shapes, by side."""
    total = sum((side.share / side.inverse_mean for side in sides), np.zeros(1))
    return np.maximum(total, sides[0].grid.magnitudes.low * 1e-6)
