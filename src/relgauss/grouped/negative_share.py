"""Which part of the values that are neither zero nor missing is negative, where both signs may occur.

From released counts alone: that all values of a group have one sign is likely, and how likely is learned from
all groups of the table together.
"""

from __future__ import annotations

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.grouped.noisy_measurements import NoisyCounts
from relgauss.grouped.placed_shapes import PlacedShapes, Singles
from relgauss.grouped.shapes import ONE_PEAK
from relgauss.grouped.signed_grid import SignedGrid

_PRIOR_GROUPS, _STEPS = 10.0, 30
_LEVELS = np.concatenate([[0.0, 0.01, 0.02, 0.04, 0.07], np.arange(0.1, 0.95, 0.05), [0.96, 0.98, 0.99, 1]])
_ONE_SIDED_PRIOR = 0.7  # all values of a group have the same sign
_LEAST_EXPONENT = np.float32(-80.0)  # below it the exponential has few digits, and takes long
_ROWS_IN_CACHE = 32
_MISFIT = 0.01  # the part of a group by which a bin may differ from the best shape


def negative_share(
    grid: SignedGrid, shapes: PlacedShapes, counts: NoisyCounts, present: FloatArray
) -> FloatArray:
    """The part of each group's ``present`` values that is negative: the mean over a few levels.

    At each level both sides are explained by the shapes of one peak, at a position in every bin.
    """
    positions = np.arange(0, shapes.positions, shapes.positions // grid.magnitudes.bins)
    rows = (np.arange(len(ONE_PEAK))[:, None] * shapes.positions + positions).ravel()
    shares, squared = shapes.bin_shares[rows], shapes.squared_shares[rows]
    sides = counts.values[:, : grid.zero_bin][:, ::-1], counts.values[:, grid.zero_bin + 1 : grid.value_bins]
    variance = (counts.noise_std**2 + (_MISFIT * present) ** 2)[:, None]
    matches = [(side / variance).astype(np.float32) @ shares.T for side in sides]
    evidence = np.zeros((len(present), len(_LEVELS)))
    for start in range(0, len(present), _ROWS_IN_CACHE):
        some = slice(start, start + _ROWS_IN_CACHE)
        for match, parts in zip(matches, (_LEVELS, 1 - _LEVELS), strict=True):
            for place, part in enumerate(parts):
                number = part * present[some, None]
                lost = number**2 / (2 * variance[some])
                evidence[some, place] += _log_of_sum(number, match[some], lost, squared)
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
