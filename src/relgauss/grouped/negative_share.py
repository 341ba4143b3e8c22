"""Which part of the values that are neither zero nor missing is negative, where both signs may occur.

From released counts alone: that all values of a group have one sign is likely, and how likely is learned from
all groups of the table together.

Shapes alone would mislead where values have none of them, such as ratings from 1 to 5: fewer values than
there are fit a wrong shape best, and the others would be looked for among noise of the other sign. So values
may also lie in any way in a run of L neighbouring bins, all ways alike. With a sum t of the L counts, the
squares D of what these differ from t/L in all, and noise of variance v, m values in the run are more likely
than none by

    m (t - m/2)/(L v) + D/2 (1/v - 1/(v + m²/L²)) - (L - 1)/2 log(1 + m²/(L² v))

on the logarithmic axis: a division of m into L parts, all alike, has a variance of about m²/L² for each part.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.grouped.noisy_measurements import NoisyCounts
from relgauss.grouped.placed_shapes import PlacedShapes, Singles
from relgauss.grouped.runs import run_sums
from relgauss.grouped.shapes import ONE_PEAK
from relgauss.grouped.signed_grid import SignedGrid
from relgauss.grouped.totals import summed_before
from relgauss.records.threads import in_threads

_PRIOR_GROUPS, _STEPS = 10.0, 30
_LEVELS = np.concatenate([[0.0, 0.01, 0.02, 0.04, 0.07], np.arange(0.1, 0.95, 0.05), [0.96, 0.98, 0.99, 1]])
_ONE_SIDED_PRIOR = 0.7  # all values of a group have the same sign
_LEAST_EXPONENT = np.float32(-80.0)  # below it the exponential has few digits, and takes long
_ROWS_TOGETHER = 128  # threads wait for each other where there are fewer
_MISFIT = 0.01  # the part of a group by which a bin may differ from the best shape
_RUNS = (4, 8, 16, 32)  # bins


def negative_share(
    grid: SignedGrid, shapes: PlacedShapes, counts: NoisyCounts, present: FloatArray, threads: int = 1
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
    runs = [_Runs.of(side) for side in sides]

    def evidence_of(start: int) -> FloatArray:
        some = slice(start, start + _ROWS_TOGETHER)
        evidence = np.zeros((len(present[some]), len(_LEVELS)))
        for match, run, parts in zip(matches, runs, (_LEVELS, 1 - _LEVELS), strict=True):
            for place, part in enumerate(parts):
                number = part * present[some, None]
                lost = number**2 / (2 * variance[some])
                by_shape = match[some] * number.astype(np.float32)
                by_shape -= lost.astype(np.float32) * squared
                by_run = run.log_odds(number, variance[some], some)
                evidence[:, place] += np.logaddexp(_log_of_sum(by_shape), _log_of_sum(by_run))
        return evidence

    blocks = in_threads(evidence_of, range(0, len(present), _ROWS_TOGETHER), threads)
    evidence = np.concatenate(list(blocks))
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


def _log_of_sum(exponents: Singles) -> FloatArray:
    """log Σ exp of each row, which is not kept.

    The misfit keeps exponents below 10^4, so single precision is right to 10^-3.
    """
    largest = exponents.max(axis=1, keepdims=True)
    exponents -= largest
    np.maximum(exponents, _LEAST_EXPONENT, out=exponents)
    np.exp(exponents, out=exponents)
    found: FloatArray = np.log(exponents.sum(axis=1, dtype=np.float64)) + largest[:, 0]
    return found


@dataclass(frozen=True, eq=False)
class _Runs:
    """All runs of neighbouring bins of one sign, and for each group a row of what they hold.

    ``length`` are the different lengths, ``which`` says for each run which it has. ``summed`` are sums of
    counts, ``squares`` those of their squared differences from the mean of the run.
    """

    length: FloatArray
    which: NDArray[np.intp]
    summed: Singles
    squares: Singles

    @classmethod
    def of(cls, counts: FloatArray) -> _Runs:
        """All runs of a few lengths; where there are fewer bins than that, of them all."""
        lengths = sorted({min(length, counts.shape[1]) for length in _RUNS})
        before = [summed_before(each) for each in (counts, counts**2)]
        sums, squares = ([run_sums(each, length) for length in lengths] for each in before)
        which = np.repeat(np.arange(len(lengths)), [each.shape[1] for each in sums])
        length, summed = np.array(lengths, dtype=np.float64), np.concatenate(sums, axis=1)
        differences = np.concatenate(squares, axis=1) - summed**2 / length[which]
        return cls(length, which, summed.astype(np.float32), differences.astype(np.float32))

    def log_odds(self, number: FloatArray, variance: FloatArray, rows: slice) -> Singles:
        """How much more likely ``number`` values in a run are than none, for some of the groups."""
        scatter = (number / self.length) ** 2
        by_sum = number / (self.length * variance)
        by_squares = (1 / variance - 1 / (variance + scatter)) / 2
        lost = by_sum * number / 2 + (self.length - 1) / 2 * np.log1p(scatter / variance)
        first, second, rest = (each.astype(np.float32)[:, self.which] for each in (by_sum, by_squares, lost))
        return np.asarray(first * self.summed[rows] + second * self.squares[rows] - rest)
