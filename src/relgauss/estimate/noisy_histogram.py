"""What a noisy histogram tells: which cells hold records, where a quantile lies and where to clip."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray

_BIAS_WEIGHT = 0.5  # clipped gradients partly cancel
_CAUTION_TAIL = 3.0  # noise levels at which a tail is taken for real


class Span(NamedTuple):
    """The first and the last cell that visibly hold records."""

    first: int
    last: int

    @property
    def is_narrow(self) -> bool:
        """Whether it is one cell or two neighbours: finer cells may show more."""
        return self.last - self.first <= 1


def visible_span(counts: FloatArray, noise_std: float, caution: float) -> Span | None:
    """From the first to the last visible cell, None if nothing is visible; post-processing."""
    return _span(visible_cells(counts, noise_std, caution))


def anchored_span(
    counts: FloatArray, noise_std: float, caution: float, far_caution: float, near: int
) -> Span | None:
    """As ``visible_span``, but cells further than ``near`` from what is sure must themselves be sure.

    Sure are those visible at ``far_caution`` or, if none is, the fullest. Among many cells some noise is
    sooner or later taken for records: next to records that does little harm, far away it would be ruinous.
    """
    seen = visible_cells(counts, noise_std, caution)
    sure = visible_cells(counts, noise_std, far_caution)
    if not sure.any():
        sure = seen & (counts == np.max(counts, where=seen, initial=-np.inf))
    close = np.convolve(sure, np.ones(2 * near + 1), "same") > 0
    return _span(seen & close)


def _span(seen: NDArray[np.bool_]) -> Span | None:
    cells = np.flatnonzero(seen)
    return Span(int(cells[0]), int(cells[-1])) if cells.size else None


def visible_cells(counts: FloatArray, noise_std: float, caution: float) -> NDArray[np.bool_]:
    """Cells whose count, or whose sum over a run of 2, 4, ... 32, is ``caution`` noise levels above zero.

    A run counts only where no part of it was visible by itself.
    """
    seen = np.zeros(len(counts), dtype=bool)
    for width in (1, 2, 4, 8, 16, 32):
        if width > len(counts):
            break
        sums = np.convolve(counts, np.ones(width), "valid")
        already = np.convolve(seen, np.ones(width), "valid") > 0
        added = np.zeros_like(seen)
        for start in np.flatnonzero((sums > caution * noise_std * math.sqrt(width)) & ~already):
            added[start : start + width] = True
        seen |= added
    return seen


def quantile_cell(counts: FloatArray, noise_std: float, above: float) -> int:
    """The first cell from which on at most ``above`` records lie, or no more than noise could feign.

    With several cells summed the noise grows like a root, and 1.5 of its levels are not told from nothing.
    """
    tail = np.cumsum(counts[::-1])[::-1]
    noise = noise_std * np.sqrt(np.arange(len(counts), 0, -1))
    small = np.flatnonzero(tail <= np.maximum(above, 1.5 * noise))
    return int(small[0]) if small.size else len(counts)


def least_error_threshold(
    counts: FloatArray, noise_std: float, edges: FloatArray, records: int, noise_per_threshold: float
) -> float:
    """The clip threshold c, an edge of the cells, that minimises noise² + bias²; post-processing.

        noise = noise_per_threshold · c
        bias  = ½ E(||g|| - c)+ ,   the mean overshoot: the integral of the tail P(||g|| > t) over t > c

    ``counts`` are those of norms of gradients g, with noise of ``noise_std``; ``edges`` are those of the
    cells, the first of which begins at zero. A tail is counted up to where it sinks into the noise: past it
    nothing is known, and nothing is paid for it.
    """
    tail = np.cumsum(counts[::-1])[::-1]
    noise = noise_std * np.sqrt(np.arange(len(tail), 0, -1))
    hidden = np.flatnonzero(tail <= _CAUTION_TAIL * noise)
    beyond = tail / records
    if hidden.size:
        beyond[hidden[0] :] = 0.0
    overshoot = np.cumsum((beyond * np.diff(edges))[::-1])[::-1]
    loss = (noise_per_threshold * edges[:-1]) ** 2 + (_BIAS_WEIGHT * overshoot) ** 2
    return float(max(edges[:-1][int(np.argmin(loss))], edges[1]))
