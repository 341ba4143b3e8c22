"""What clipping took from a regression's gradients, so that coefficients are those of least squares.

At a point a gradient g is clipped to norm c plus what lies beyond it, (||g|| - c)+ u, u its direction. Steps
end where the first has mean zero, least squares is where the sum has. What lies beyond is released in rungs,
from c to C1, C2, C3, each as long as what was seen of the one before makes worth its noise.
Proof: proofs/regression.md.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from relgauss.arrays import FloatArray, product
from relgauss.bounded.answer import BoundedAnswer, bounded_mean
from relgauss.descent.clipped_gradients import ROUNDING
from relgauss.descent.objectives import Objective
from relgauss.records.blocks import Block, Rows
from relgauss.spending import Spending

CUT = "cut gradients"
RUNGS = 0.3, 0.3, 0.4  # shares of all that they may spend
_LEAST_FIRST, _MOST_FIRST = 1.25, 3.0  # where the first rung ends, in thresholds; between,
_AFFORDABLE = 0.7  # where its noise is such a part of what errors there are anyway
_NEXT: FloatArray = np.geomspace(1.25, 8.0, 40)  # where a further one may end, in ends of the one before
_SEEN = 2.0  # noise levels from which records are seen to lie beyond a rung
_CAUTION = 0.5  # noise levels that are added to how many do
_FALL, _LEAST_FALL, _MOST_FALL = 2.0, 1.3, 3.0  # tails fall as 1/t to so much: at first, and as rungs tell
_MOST_EXCESS = 2.0  # ends of the last rung that those beyond reach further, on average
_ALIKE_TO_CLIMB, _ALIKE = 0.4, 0.2  # of what lies beyond the rungs, in one direction
_PLAIN = 5.0  # times as far, where features are not clipped


class Rung(NamedTuple):
    """Released: the mean of what lies between two norms, and the part of the records beyond the second, as it
    is likely and at most.
    """

    end: float
    between: FloatArray
    noise_std: float
    beyond: float
    most_beyond: float
    is_seen: bool


class Cut(NamedTuple):
    """What was cut from gradients, with the std of its noise; how much more of it may be hidden in any
    direction; a vector of what may be hidden in the direction of the last rung; how much larger the mean
    square of gradients is than that of clipped ones; and how long what was cut is on average, whatever its
    direction. ``end`` is that of the last rung, which at most the part ``beyond`` of the records pull past.
    """

    mean: FloatArray
    noise_std: float
    hidden: float
    leaning: FloatArray
    square: float
    length: float
    end: float
    beyond: float


class RobustLine(NamedTuple):
    """The line on which no record pulls harder than so: with a row of the usual norm it counts as at most
    ``residual`` off the line, in scaled units. At most the part ``beyond`` of the records would pull harder.
    """

    residual: float
    beyond: float


def cut_gradients(
    rows: Rows, theta: FloatArray, objective: Objective, start: float, end: float
) -> BoundedAnswer:
    """The mean of (w h, v): v is what of minus the gradient lies between norms C and D, w = D - C, and h
    whether it is longer than D.

    As 0 <= h <= 1 and ||v|| <= w, two are at most sqrt(1 + 4) w apart.
    """
    width = end - start

    def block_sum(block: Block) -> FloatArray:
        pull = objective.pull(block.scores(theta), block.labels)
        sizes = block.norms * np.abs(pull)
        far = np.flatnonzero(sizes > start)  # few: the others add nothing
        sizes = sizes[far]
        lengths = pull[far] * (np.minimum(end / sizes, 1.0) - start / sizes)
        between = product(block.features.T.take(far, axis=1), lengths)
        return np.concatenate([[width * np.count_nonzero(sizes > end)], between])

    rounded = width + 16 * ROUNDING * end
    return bounded_mean(rows, block_sum, largest=math.sqrt(2) * rounded, apart=math.sqrt(5) * rounded)


def release_cut(
    rows: Rows,
    theta: FloatArray,
    objective: Objective,
    clip_threshold: float,
    usual_std: float,
    spending: Spending,
    share: float,
    *,
    is_plain: bool,
) -> Cut:
    """Climb the rungs at a public point, where coefficients have errors of about ``usual_std`` anyway."""
    ends, rungs, fall, beyond = [clip_threshold], list[Rung](), _FALL, 1.0
    for part in RUNGS:
        noise = math.sqrt(5) / (rows.count * spending.mu_of(part * share))  # for each unit of a rung's length
        if rungs:
            end = next_end(ends[-1], beyond, fall, noise)
        else:
            affordable = 1 + _AFFORDABLE * usual_std / (noise * clip_threshold)
            end = clip_threshold * min(max(affordable, _LEAST_FIRST), _MOST_FIRST)
        rung = _release_rung(rows, theta, objective, ends[-1], end, spending, part * share)
        before, beyond = beyond, min(rung.beyond, beyond)
        if rungs:
            fall = _fall(before, beyond, end / ends[-1]) if rung.is_seen else _MOST_FALL
        rungs.append(rung)
        ends.append(end)
    hidden = beyond * ends[-1] * _excess(fall) * (_PLAIN if is_plain else 1.0)
    of_last = (ends[-1] - ends[-2]) * (before + beyond) / 2
    return Cut(
        np.sum([rung.between for rung in rungs], axis=0),
        math.sqrt(sum(rung.noise_std**2 for rung in rungs)),
        _ALIKE * hidden,
        min(1.0, hidden / of_last) * rungs[-1].between,
        sum(rung.beyond * (rung.end**2 - start**2) for rung, start in zip(rungs, ends, strict=False)),
        # more are beyond the start of a rung than its end
        2 * sum(rung.beyond * (rung.end - start) for rung, start in zip(rungs, ends, strict=False)),
        ends[-1],
        min(rung.most_beyond for rung in rungs),
    )


def next_end(start: float, beyond: float, fall: float, noise: float) -> float:
    """Where a rung ends for the least noise² + bias², the bias a part of what lies beyond it on average:
    records are as many as ``beyond`` at its start, and fall as a power.
    """
    ends = start * _NEXT
    bias = _ALIKE_TO_CLIMB * beyond * _NEXT**-fall * ends * _excess(fall)
    return float(ends[np.argmin((noise * (ends - start)) ** 2 + bias**2)])


def _release_rung(
    rows: Rows,
    theta: FloatArray,
    objective: Objective,
    start: float,
    end: float,
    spending: Spending,
    share: float,
) -> Rung:
    released = spending.release(CUT, cut_gradients(rows, theta, objective, start, end), share)
    beyond, std = float(released.value[0]) / (end - start), released.noise_std / (end - start)
    likely = max(beyond, 0.0) + _CAUTION * std
    most = max(beyond, 0.0) + _SEEN * std
    return Rung(end, released.value[1:], released.noise_std, likely, min(most, 1.0), beyond > _SEEN * std)


def _fall(before: float, beyond: float, ratio: float) -> float:
    """The power of 1/t by which a tail fell from one end to the next."""
    return min(max(math.log(before / beyond) / math.log(ratio), _LEAST_FALL), _MOST_FALL)


def _excess(fall: float) -> float:
    """How far beyond an end those reach that do, on average, in ends, if they fall as 1/t to this power."""
    return min(_MOST_EXCESS, 1 / (fall - 1))
