"""Where the values of a column lie within stated bounds, which may be far too wide, read from noisy counts.

Post-processing of releases, with public n. Proof: proofs/regression.md.
"""

from __future__ import annotations

import math

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.estimate.noisy_ranges import FULL, MISSED, Span, read_linear

CLEAR = 0.01  # noise of counts, as a part of the records, up to which a range is clear enough
_HIDDEN = 1.25  # noise levels that may hide the rest where few cells are taken for all,
_MOST_HIDDEN = 0.45  # if that is no more of the records


def read_bounded(
    counts: FloatArray, noise_std: float, records: float, *, is_label: bool = False
) -> Span | None:
    """As ``read_linear``, for cells over bounds that may be far too wide: one or two that hold nearly all
    records, as far as noise lets see, are taken to do so, sooner of a label, in whose units errors are. Where
    others are will show in finer cells. Where noise is small, it is seen.
    """
    span = read_linear(counts, noise_std, records)
    if span is None or noise_std <= CLEAR * records:
        return span
    for width in (1, 2):
        held = np.convolve(counts, np.ones(width), "valid")
        first = int(np.argmax(held))
        hidden = (FULL if is_label else _HIDDEN) * noise_std * math.sqrt(width)
        if _may_be_all(float(held[first]), hidden, records):
            return Span(first, first + width - 1)
    return span


def may_be_near(counts: FloatArray, edges: FloatArray, noise_std: float, records: float) -> bool:
    """Whether the cells on either side of zero may hold nearly all of these records."""
    zero = int(np.searchsorted(edges, 0.0, "right")) - 1
    near = counts[max(zero - 1, 0) : zero + 2]
    return _may_be_all(float(near.sum()), _HIDDEN * noise_std * math.sqrt(len(near)), records)


def _may_be_all(held: float, hidden: float, records: float) -> bool:
    """Whether so many may be nearly all of the records, if noise has hidden some, and most are seen."""
    return records - held <= MISSED * records + min(hidden, _MOST_HIDDEN * records)
