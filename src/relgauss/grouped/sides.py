"""The negative and the positive values of each group: their shares, their shapes, and what a window cuts off.

Everything is computed as for positive values; negative ones are mirrored.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.grouped.composition import Composition
from relgauss.grouped.noisy_measurements import NoisyCounts
from relgauss.grouped.shape_weights import ShapeFit, fit_shapes
from relgauss.grouped.shapes import PlacedShapes
from relgauss.grouped.signed_grid import SignedGrid, Windows

_WORST_LOSS = 0.5  # of the mean, as in a shape's relative losses


@dataclass(frozen=True, eq=False)
class Side:
    """The values of one sign.

    Attributes
    ----------
    sign
        1, or -1 if all is mirrored.
    share
        The share of each group's present values that have this sign.
    counts
        Their noisy counts and estimated numbers, from the smallest magnitude on.
    fit
        The weights of their shapes.
    """

    sign: int
    share: FloatArray
    counts: NoisyCounts
    fit: ShapeFit
    shapes: PlacedShapes
    grid: SignedGrid

    @cached_property
    def inverse_mean(self) -> FloatArray:
        """E[1/m] over the means m of the shapes."""
        return self.fit.weights.average(1 / self.shapes.mean)

    @cached_property
    def below(self) -> FloatArray:
        """The share of this side's values below each edge of the signed grid."""
        inner = self.fit.weights.average(self.shapes.below)
        positive = self._at_signed_edges(inner, 0.0)
        return positive if self.sign > 0 else 1 - positive[:, ::-1]

    @cached_property
    def relative_losses(self) -> tuple[FloatArray, FloatArray]:
        """What cutting below, and above, each edge of the signed grid loses, relative to the mean."""
        short, excess = np.split(self.fit.weights.average(self.shapes.relative_losses), 2, axis=1)
        below, above = self._at_signed_edges(short, 0.0), self._at_signed_edges(excess, _WORST_LOSS)
        return (below, above) if self.sign > 0 else (above[:, ::-1], below[:, ::-1])

    @cached_property
    def unexplained(self) -> FloatArray:
        """How many records of each bin of the signed grid no shape explains."""
        found = np.zeros((len(self.share), self.grid.value_bins))
        if self.sign > 0:
            found[:, self.grid.zero_bin + 1 :] = self.fit.unexplained
        else:
            found[:, : self.grid.zero_bin] = self.fit.unexplained[:, ::-1]
        return found

    def beyond(self, windows: Windows) -> tuple[FloatArray, FloatArray]:
        """The typical share of this side's values below, and above, each group's window.

        Over the weights of the shapes, (E sqrt(share))²: a shape of little weight that lies elsewhere as a
        whole, as there are many where counts are mostly noise, adds the square of its weight only.
        """
        likely, weights = self.fit.weights.likely()
        first, last = self.grid.zero + 1, len(self.grid.edges) - 1
        ends = windows.lower - first, windows.upper - first
        if self.sign < 0:
            ends = last - windows.upper - first, last - windows.lower - first
        lower, upper = (end[:, None] for end in ends)
        inner = self.shapes.below
        below = np.where(lower >= 0, inner[likely, np.maximum(lower, 0)], 0.0)
        above = np.where(upper >= 0, 1 - inner[likely, np.maximum(upper, 0)], 1.0)
        small, large = (
            (weights * np.sqrt(np.maximum(each, 0.0))).sum(axis=1) ** 2 for each in (below, above)
        )
        return (small, large) if self.sign > 0 else (large, small)

    def _at_signed_edges(self, inner: FloatArray, outer: float) -> FloatArray:
        result = np.full((len(inner), len(self.grid.edges)), outer)
        result[:, self.grid.zero + 1 :] = inner
        return result


def fit_sides(
    grid: SignedGrid, shapes: PlacedShapes, log_prior: FloatArray, counts: NoisyCounts, parts: Composition
) -> tuple[Side, ...]:
    """The sides that may occur, the positive one first."""
    present = np.maximum(1 - parts.missing, 1e-12)
    sides = []
    for sign, share in ((1, parts.positive), (-1, parts.negative))[: 2 if grid.signs == "both" else 1]:
        side_counts = counts_of_side(grid, counts, sign, share)
        fit = fit_shapes(shapes, log_prior, side_counts)
        sides.append(Side(sign, share / present, side_counts, fit, shapes, grid))
    return tuple(sides)


def counts_of_side(grid: SignedGrid, counts: NoisyCounts, sign: int, share: FloatArray) -> NoisyCounts:
    """The counts of one sign, from the smallest magnitude on, of this share of each group's records."""
    if sign > 0:
        values = counts.values[:, grid.zero_bin + 1 : grid.value_bins]
    else:
        values = counts.values[:, : grid.zero_bin][:, ::-1]
    return NoisyCounts(np.maximum(counts.sizes * share, 1e-3), values, counts.noise_std)
