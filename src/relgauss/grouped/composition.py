"""Which part of a group is missing, exactly zero, negative or positive: from released counts alone.

A part that is not there at all is likely, as in most columns; how likely is learned from all groups of the
table together. This guides windows and estimates; no guarantee and no interval rests on it alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from relgauss.arrays import FloatArray
from relgauss.grouped.noisy_measurements import NoisyCounts
from relgauss.grouped.placed_shapes import PlacedShapes, Singles
from relgauss.grouped.shapes import ONE_PEAK
from relgauss.grouped.signed_grid import SignedGrid

_ABSENT_PRIOR, _PRIOR_GROUPS, _STEPS = 0.9, 10.0, 30
_LEVELS = np.concatenate([[0.0, 0.01, 0.02, 0.04, 0.07], np.arange(0.1, 0.95, 0.05), [0.96, 0.98, 0.99, 1]])
_ONE_SIDED_PRIOR = 0.7  # all values of a group have the same sign
_LEAST_EXPONENT = np.float32(-80.0)  # below it the exponential has few digits, and takes long
_MISFIT = 0.01  # the part of a group by which a bin may differ from the best shape


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


def compose_groups(grid: SignedGrid, shapes: PlacedShapes, counts: NoisyCounts) -> Composition:
    """The composition of each group."""
    sizes, noise_std = np.maximum(counts.sizes, 1.0), counts.noise_std
    zero = _share(counts.values[:, grid.zero_bin], sizes, noise_std)
    missing = np.zeros_like(zero)
    if grid.leaves_out_missing:
        missing = _share(counts.values[:, -1], sizes, noise_std)
    total = np.maximum(zero + missing, 1.0)
    zero, missing = zero / total, missing / total
    rest = np.maximum(1 - zero - missing, 0.0)  # two shares that fill a group may round to more than 1
    negative = np.zeros_like(zero)
    if grid.signs == "both":
        negative = rest * _negative_part(grid, shapes, counts, sizes * rest)
    return Composition(missing, zero, negative, rest - negative)


def _share(observed: FloatArray, sizes: FloatArray, noise_std: FloatArray) -> FloatArray:
    """E[share | y] for y = share n + N(0, noise_std²), where the share is 0, or anywhere from 0 to 1.

    How often it is 0 is fitted to all groups by expectation-maximisation.
    """
    below, above = ndtr(-observed / noise_std), ndtr((sizes - observed) / noise_std)
    somewhere = np.maximum(above - below, 1e-300) / sizes
    nowhere = _density(observed / noise_std) / noise_std
    absent = _ABSENT_PRIOR
    for _ in range(_STEPS):
        odds = absent * nowhere / (absent * nowhere + (1 - absent) * somewhere + 1e-300)
        absent = (odds.sum() + _PRIOR_GROUPS * _ABSENT_PRIOR) / (len(odds) + _PRIOR_GROUPS)
    cut = _density(observed / noise_std) - _density((sizes - observed) / noise_std)
    typical = observed + noise_std * cut / (somewhere * sizes)
    share: FloatArray = (1 - odds) * np.clip(typical / sizes, 0.0, 1.0)
    return share


def _density(x: FloatArray) -> FloatArray:
    density: FloatArray = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)
    return density


def _negative_part(
    grid: SignedGrid, shapes: PlacedShapes, counts: NoisyCounts, present: FloatArray
) -> FloatArray:
    """Which part of the values that are not zero is negative: the mean over a few levels.

    At each level both sides are explained by the shapes of one peak, at a position in every bin.
    """
    positions = np.arange(0, shapes.positions, shapes.positions // grid.magnitudes.bins)
    rows = (np.arange(len(ONE_PEAK))[:, None] * shapes.positions + positions).ravel()
    shares, squared = shapes.bin_shares[rows], shapes.squared_shares[rows]
    sides = counts.values[:, : grid.zero_bin][:, ::-1], counts.values[:, grid.zero_bin + 1 : grid.value_bins]
    variance = (counts.noise_std**2 + (_MISFIT * present) ** 2)[:, None]
    matches = [(side / variance).astype(np.float32) @ shares.T for side in sides]
    evidence = np.zeros((len(present), len(_LEVELS)))
    for match, parts in zip(matches, (_LEVELS, 1 - _LEVELS), strict=True):
        for place, part in enumerate(parts):
            number = part * present[:, None]
            evidence[:, place] += _log_of_sum(number, match, number**2 / (2 * variance), squared)
    one_sided = (_LEVELS == 0) | (_LEVELS == 1)
    prior = np.where(one_sided, _ONE_SIDED_PRIOR / 2, (1 - _ONE_SIDED_PRIOR) / (len(_LEVELS) - 2))
    learned = prior
    likelihood = np.exp(evidence - evidence.max(axis=1, keepdims=True))
    for _ in range(_STEPS):
        found = learned * ((1 / (likelihood @ learned)) @ likelihood) + _PRIOR_GROUPS * prior
        learned = found / found.sum()
    weights = likelihood * learned
    weights /= weights.sum(axis=1, keepdims=True)
    negative: FloatArray = weights @ _LEVELS
    return negative


def _log_of_sum(number: FloatArray, match: Singles, lost: FloatArray, squared: Singles) -> FloatArray:
    """log Σ exp(number · match - lost · squared) over the shapes, for each group.

    The misfit keeps exponents below 10^4, so single precision is right to 10^-3.
    """
    exponents = match * number.astype(np.float32)
    exponents -= lost.astype(np.float32) * squared
    largest = exponents.max(axis=1, keepdims=True)
    exponents -= largest
    np.maximum(exponents, _LEAST_EXPONENT, out=exponents)
    np.exp(exponents, out=exponents)
    found: FloatArray = np.log(exponents.sum(axis=1, dtype=np.float64)) + largest[:, 0]
    return found
