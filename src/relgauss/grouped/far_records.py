"""Records far outside of a window that noisy counts show: more than shapes and tails would put there.

Values that lie together, far from the rest, show in the sum y of a run of L neighbouring counts, and in the
number O of values outside, which has noise of its own. With what is expected there taken off both,

    R = (y/(L sigma²) + O/sigma_O²)/P,   P = 1/(L sigma²) + 1/sigma_O²,

is the number of such records if they lie in that run, known to 1/sqrt(P). Where R sqrt(P) is above 3.8 for
any run, more lies outside than is assumed. Where it lies is not sure either: every run counts whose
likelihood is less than e^3 times below that of the likeliest one. Proof: proofs/grouped-intervals.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.grouped.far_in_all import Beyond, far_in_all
from relgauss.grouped.noisy_measurements import NoisyCounts, NoisySums
from relgauss.grouped.runs import run_sums
from relgauss.grouped.sides import Side
from relgauss.grouped.signed_grid import SignedGrid
from relgauss.grouped.totals import summed_before

_RUNS = (1, 2, 4, 8, 16)  # bins
_SHOWN = 3.8  # noise levels: of all runs of a group, noise alone passes in about one group of a hundred
_LESS_LIKELY = 3.0  # the logarithm of a likelihood ratio
_MORE = 1.5  # times what a run shows: it may hold only the middle of what lies together
_ONE_SIDED = 1.645


@dataclass(frozen=True, eq=False)
class FarRecords:
    """Records beyond one end of each window: 0 as a rule.

    ``number`` is how many there are, ``distance`` and ``square`` how far from the end in all, and the sum of
    the squares: each at most, by itself.
    """

    number: FloatArray
    distance: FloatArray
    square: FloatArray


def far_records(
    grid: SignedGrid,
    sums: NoisySums,
    counts: NoisyCounts,
    sides: tuple[Side, ...],
    more: FloatArray,
    tails: tuple[FloatArray, FloatArray],
    scales: tuple[FloatArray, FloatArray],
    bound: FloatArray,
) -> tuple[FarRecords, FarRecords]:
    """What counts show below and above each window, beyond what is assumed.

    ``more`` are the noisy numbers of values outside less those that are expected there. ``tails`` may lie
    beyond each end anyway, and fall off as Pareto tails of the ``scales``; ``bound`` is what lies outside at
    most. Where no value is negative, none lies further below a window than 0: nothing is looked for there.
    """
    ends = _ends(grid, sums, counts, sides, tails, scales)
    runs = [_in_runs(end, counts.noise_std[:, None], (more, sums.outside_std)) for end in ends]
    best = np.max([likelihood.max(axis=1) for likelihood, *_ in runs], axis=0)[:, None]
    shown = []
    for likelihood, number, distance, counted in runs:
        may_be = (best > _SHOWN**2 / 2) & (likelihood > best - _LESS_LIKELY)
        most = np.where(may_be, _MORE * np.minimum(number, bound[:, None]), 0.0)
        in_all = np.where(may_be, np.minimum(most * distance, _MORE * counted), 0.0)
        shown.append([each.max(axis=1) for each in (most, in_all, in_all * distance)])
    for end, own in zip(ends, shown, strict=True):
        of_all = far_in_all(end, counts)
        own[:] = [np.maximum(*each) for each in zip(own, of_all, strict=True)]
    nothing = np.zeros(len(bound))
    above, *below = (FarRecords(*each) for each in shown)
    return (below[0] if below else FarRecords(nothing, nothing, nothing)), above


def _ends(
    grid: SignedGrid,
    sums: NoisySums,
    counts: NoisyCounts,
    sides: tuple[Side, ...],
    tails: tuple[FloatArray, FloatArray],
    scales: tuple[FloatArray, FloatArray],
) -> list[Beyond]:
    """What lies above each window and, where values may be negative, what lies below."""
    values, expected = counts.values[:, : grid.value_bins], sum(side.expected for side in sides)
    bins, windows, centres = grid.bin_edges, sums.windows, grid.bin_centres
    ends = []
    for sign, end, number, scale in zip((-1, 1), (windows.lower, windows.upper), tails, scales, strict=True):
        nearest = bins[:-1] if sign > 0 else bins[1:]
        is_beyond = sign * nearest >= sign * end[:, None]
        gap = np.maximum(sign * (grid.edges[nearest] - grid.edges[end][:, None]), 0.0)
        falls_off = np.maximum(scale, grid.magnitudes.low)[:, None]
        allowed = number[:, None] / np.square(1 + gap / falls_off)
        distances = sign * (centres - grid.edges[end][:, None])
        ends.append(Beyond(sign, values, np.asarray(expected), is_beyond, allowed, distances))
    return ends[::-1] if grid.signs == "both" else ends[1:]


def _in_runs(end: Beyond, noise_std: FloatArray, outside: tuple[FloatArray, FloatArray]) -> list[FloatArray]:
    """For every run: the likelihood's logarithm, how many records are in it at most, how far they lie.

    Last comes how far they lie in all, by the counts of its bins alone.
    """
    more, more_std = (each[:, None] for each in outside)
    counts, of_expected, beyond, distances, squares, of_all = (
        summed_before(each)
        for each in (
            end.counts,
            end.expected,
            end.is_beyond.astype(np.float64),
            end.distances,
            end.distances**2,
            end.counts * end.distances,
        )
    )
    bins = end.counts.shape[1]
    found = []
    for length in (length for length in _RUNS if length <= bins):
        variance, runs = length * noise_std**2, bins - length + 1
        precision = 1 / variance + more_std**-2
        expected = run_sums(of_expected, length)
        # the run's nearest bin allows for most, and is its first or its last
        allowed = np.maximum(end.allowed[:, :runs], end.allowed[:, length - 1 :])
        shown = run_sums(counts, length) - expected - allowed
        number = (shown / variance + more / more_std**2) / precision
        is_run = run_sums(beyond, length) == length
        likelihood = np.where(is_run & (number > 0), number**2 * precision / 2, 0.0)
        most = number + expected + _ONE_SIDED / np.sqrt(precision)
        in_all = run_sums(of_all, length)
        in_all += _ONE_SIDED * noise_std * np.sqrt(run_sums(squares, length))
        found.append((likelihood, most, run_sums(distances, length) / length, in_all))
    return [np.concatenate(each, axis=1) for each in zip(*found, strict=True)]
