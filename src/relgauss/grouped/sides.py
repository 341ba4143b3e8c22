"""What each group is made of: which part is missing, zero, negative and positive, and how values lie.

All of it is read from released counts. Shapes are computed as for positive values; negative ones are
mirrored. The window that values are clipped to is wide enough to keep them, and narrow enough to need little
noise. No guarantee and no interval rests on the parts alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.grouped.likely_shapes import ShapeWeights
from relgauss.grouped.likely_shares import likely_shares
from relgauss.grouped.negative_share import negative_share
from relgauss.grouped.noisy_measurements import NoisyCounts
from relgauss.grouped.placed_shapes import PlacedShapes
from relgauss.grouped.shape_weights import shape_weights
from relgauss.grouped.signed_grid import SignedGrid, Windows

_CAUTION = 2.5  # noise levels past the largest of as many pure noises; alone they pass once in 10^6 groups
_WORST_LOSS = 0.5  # of the mean, as in a shape's relative losses


@dataclass(frozen=True, eq=False)
class Composition:
    """The estimated shares of each group that are missing, zero, negative and positive: together 1."""

    missing: FloatArray
    zero: FloatArray
    negative: FloatArray
    positive: FloatArray

    @property
    def zero_of_present(self) -> FloatArray:
        """The share of zeros among the values that are not missing."""
        return self.zero / np.maximum(1 - self.missing, 1e-12)

    def rows(self, chosen: slice) -> Composition:
        """Some of the groups."""
        return Composition(
            self.missing[chosen], self.zero[chosen], self.negative[chosen], self.positive[chosen]
        )


@dataclass(frozen=True, eq=False)
class ShapeFit:
    """The weights of the shapes, a row for each group.

    ``expected`` are the records that they put in each bin, ``unexplained`` those that no shape explains.
    """

    weights: ShapeWeights
    expected: FloatArray
    unexplained: FloatArray


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
        low = self.shapes.grid.low  # in single precision nothing far from 1 has an average
        return self.fit.weights.average(low / self.shapes.mean) / low

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
        return self._in_signed_bins(self.fit.unexplained)

    @cached_property
    def expected(self) -> FloatArray:
        """How many records the shapes put in each bin of the signed grid."""
        return self._in_signed_bins(self.fit.expected)

    def _in_signed_bins(self, inner: FloatArray) -> FloatArray:
        found = np.zeros((len(self.share), self.grid.value_bins))
        if self.sign > 0:
            found[:, self.grid.zero_bin + 1 :] = inner
        else:
            found[:, : self.grid.zero_bin] = inner[:, ::-1]
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
        below = np.where(lower >= 0, self.shapes.share_below(likely, np.maximum(lower, 0)), 0.0)
        above = np.where(upper >= 0, 1 - self.shapes.share_below(likely, np.maximum(upper, 0)), 1.0)
        small, large = (
            (weights * np.sqrt(np.maximum(each, 0.0))).sum(axis=1) ** 2 for each in (below, above)
        )
        return (small, large) if self.sign > 0 else (large, small)

    def _at_signed_edges(self, inner: FloatArray, outer: float) -> FloatArray:
        result = np.full((len(inner), len(self.grid.edges)), outer)
        result[:, self.grid.zero + 1 :] = inner
        return result


def compose_groups(grid: SignedGrid, shapes: PlacedShapes, counts: NoisyCounts) -> Composition:
    """The composition of each group."""
    sizes, noise_std = np.maximum(counts.sizes, 1.0), counts.noise_std
    zero = likely_shares(counts.values[:, grid.zero_bin], sizes, noise_std)
    missing = np.zeros_like(zero)
    if grid.leaves_out_missing:
        missing = likely_shares(counts.values[:, -1], sizes, noise_std)
    total = np.maximum(zero + missing, 1.0)
    zero, missing = zero / total, missing / total
    rest = np.maximum(1 - zero - missing, 0.0)  # two shares that fill a group may round to more than 1
    negative = np.zeros_like(zero)
    if grid.signs == "both":
        negative = rest * negative_share(grid, shapes, counts, sizes * rest)
    return Composition(missing, zero, negative, rest - negative)


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


def fit_shapes(shapes: PlacedShapes, log_prior: FloatArray, counts: NoisyCounts) -> ShapeFit:
    """Weigh all placed shapes for each group; post-processing, which costs nothing."""
    return fit_of(shapes, shape_weights(shapes, log_prior, counts), counts)


def fit_of(shapes: PlacedShapes, weights: ShapeWeights, counts: NoisyCounts) -> ShapeFit:
    """What shapes of these weights leave unexplained.

    The residual y - n p at the mean shape is noise up to about noise_std (2.5 + sqrt(2 log bins)); what is
    larger is taken for records that no shape explains.
    """
    sizes = counts.sizes[:, None]
    expected = sizes * weights.average(shapes.bin_shares)
    residual = counts.values - expected
    threshold = counts.noise_std[:, None] * (_CAUTION + math.sqrt(2 * math.log(shapes.grid.bins)))
    unexplained = np.where(np.abs(residual) > threshold, np.clip(residual, -sizes, sizes), 0.0)
    return ShapeFit(weights, expected, unexplained)


def counts_of_side(grid: SignedGrid, counts: NoisyCounts, sign: int, share: FloatArray) -> NoisyCounts:
    """The counts of one sign, from the smallest magnitude on, of this share of each group's records."""
    if sign > 0:
        values = counts.values[:, grid.zero_bin + 1 : grid.value_bins]
    else:
        values = counts.values[:, : grid.zero_bin][:, ::-1]
    return NoisyCounts(np.maximum(counts.sizes * share, 1e-3), values, counts.noise_std)


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
