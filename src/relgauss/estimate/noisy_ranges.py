"""Where the values of a column lie, read from noisy counts; post-processing of releases, with public n.

    anchor   the run of cells that stands out most: without one, nothing is known
    reach    outward from it, over gaps, as long as what is beyond makes up for the way there
    leave    what few values of a feature have on a scale of their own, far beyond all others
    grow     until the cells account for nearly all of the n records
    trim     what noise may have added, where one or two cells account for them

Noise alone may add a neighbour to a range, never a far cell: that takes a count of many noise levels. What is
missed is clipped to the edge of the range, so nothing is widened for it. Proof: proofs/regression.md.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.spending import Noisy

_WIDTHS = (1, 2, 4, 8)  # of the runs that may stand out
# On the signed grid, with its hundreds of cells, an anchor takes 4.5 noise levels, on 16 or 64 cells 4; and 4
# on the signed grid where it is known that some values are not zero, and only not where they lie.
CAUTION_SIGNED, CAUTION_LINEAR = 4.5, 4.0
FULL = 2.0  # a cell next to the range that holds so many noise levels is taken in
_FAR_SIGNED, _FAR_LINEAR = 6.0, 3.0  # a far one must hold so many more
_NEAR = 3  # the cells below the outermost in which a sign must show to be there: a ratio of 4^3
_FEW = 0.01  # of the records: a sign with fewer is clipped
_FAR_PART = 0.15  # of the values at most lie far beyond a range: more are of two kinds, neither of them odd
_SWITCH_CAUTION, _SWITCH_REST = 2.5, 2.0  # noise levels of ones beside zeros, and of what is neither
MISSED = 0.05  # of the records may lie outside of a range: outside of stated bounds, more are told of


class Span(NamedTuple):
    """The first and the last cell of a range."""

    first: int
    last: int

    @property
    def is_narrow(self) -> bool:
        """Whether it is one cell or two neighbours: finer cells may show more."""
        return self.last - self.first <= 1

    def with_cell(self, cell: int) -> Span:
        """The smallest that holds another cell too."""
        return Span(min(self.first, cell), max(self.last, cell))


class CoarseRange(NamedTuple):
    """[low, high] from the signed grid; narrow if nearly all records lie in one cell away from zero."""

    low: float
    high: float
    is_narrow: bool


def standing_out(counts: FloatArray, noise_std: float, caution: float) -> Span | None:
    """The run of 1, 2, 4 or 8 cells that stands out most of the noise, if by ``caution`` of its levels."""
    best, found = caution, None
    for width in _WIDTHS:
        if width > len(counts):
            break
        levels = np.convolve(counts, np.ones(width), "valid") / (noise_std * math.sqrt(width))
        start = int(np.argmax(levels))
        if levels[start] >= best:
            best, found = float(levels[start]), Span(start, start + width - 1)
    return found


def reach_outward(counts: FloatArray, noise_std: float, far: float) -> int:
    """How many of these cells, in outward order, belong to a range that begins before them.

    Each is paid with ``FULL`` noise levels, and a gap with at most ``far`` more; the range ends where the
    sum is largest.
    """
    total = best = 0.0
    reached = 0
    for number, count in enumerate(counts.tolist(), 1):
        total = max(total, best - far * noise_std) + count - FULL * noise_std
        if total > best:
            best, reached = total, number
    return reached


def grow(counts: FloatArray, span: Span, records: float) -> Span:
    """Widen a span, always by the fuller neighbour, until it accounts for 95 % of the records."""
    first, last = span
    total = float(counts[first : last + 1].sum())
    while total < (1 - MISSED) * records and (first > 0 or last < len(counts) - 1):
        below = counts[first - 1] if first > 0 else -math.inf
        above = counts[last + 1] if last < len(counts) - 1 else -math.inf
        if below >= above:
            first -= 1
        else:
            last += 1
        total += float(max(below, above))
    return Span(first, last)


def trim(counts: FloatArray, noise_std: float, span: Span, records: float) -> Span:
    """Leave out the ends of a span that noise may have made, as long as 95 % of the records may be in it."""
    first, last = span
    total = float(counts[first : last + 1].sum()) + FULL * noise_std
    while last > first:
        end = first if counts[first] <= counts[last] else last
        total -= float(counts[end])
        if counts[end] > CAUTION_LINEAR * noise_std or total < (1 - MISSED) * records:
            break
        first, last = (first + 1, last) if end == first else (first, last - 1)
    return Span(first, last)


def read_signed(
    counts: FloatArray, noise_std: float, records: int, edges: FloatArray, *, leaves_far: bool = False
) -> CoarseRange | None:
    """The range of a column from its counts on a signed logarithmic grid; None if nothing stands out.

    ``edges[i]`` is the outer edge of the i-th cell from zero, on either side; cell 0 is zero's own. The
    outermost scale is found on both signs together, then each sign by itself. A range of [0, 0] is a column
    of zeros, as far as can be seen. A range that ``leaves_far`` values out is that of most of them, if the
    others lie far beyond it.
    """
    zero = len(edges) - 1
    sides = counts[zero:], counts[zero::-1]
    folded = sides[0] + sides[1]
    folded_std = math.sqrt(2) * noise_std
    anchor = standing_out(folded[1:], folded_std, CAUTION_SIGNED)
    if anchor is None and counts[zero] > CAUTION_SIGNED * noise_std:
        anchor = _beside_zeros(sides, noise_std, records)
        if anchor is None:
            top = float(_is_switch(sides[0], noise_std, records, edges))
            return CoarseRange(0.0, top, is_narrow=False)
    if anchor is None:
        return None
    last = anchor.last + 1
    outermost = last + reach_outward(folded[last + 1 :], folded_std, _FAR_SIGNED)
    if leaves_far:
        outermost = _end_of_many(folded, folded_std, last, outermost, records - float(counts[zero]))
    up, down = (_end_of_side(side, outermost, noise_std, records) for side in sides)
    if not up and not down:
        up = down = outermost
    if up and down:
        return CoarseRange(-float(edges[down]), float(edges[up]), is_narrow=False)
    side, end = (sides[0], up) if up else (sides[1], down)
    is_narrow = bool(records - side[end] <= max(_FEW * records, noise_std))
    near, far = float(edges[end - 1]) if is_narrow else 0.0, float(edges[end])
    return CoarseRange(near, far, is_narrow) if up else CoarseRange(-far, -near, is_narrow)


def _end_of_many(folded: FloatArray, noise_std: float, anchor: int, outermost: int, values: float) -> int:
    """The cell from the anchor on with next to nothing in the cells behind it, up to a ratio of 16, and few
    of the values beyond: a code for what is missing, a unit mistaken. A range that held both would show
    nothing of the many. The outermost, if there is none.
    """
    beyond = np.cumsum(folded[: outermost + 1][::-1])[::-1]
    nothing = max(_FEW * values, noise_std * math.sqrt(_NEAR))
    for end in range(anchor, outermost - _NEAR + 1):
        few, fewer = beyond[end + 1], beyond[end + _NEAR]
        if few - fewer <= nothing and few <= _FAR_PART * values:
            return end
    return outermost


def _is_switch(side: FloatArray, noise_std: float, records: int, edges: FloatArray) -> bool:
    """Whether what is not zero may well be one, as in most columns that are mostly zeros.

    Ones show twice, in their cell and as zeros that are missing; and one cell that is named beforehand takes
    less caution than the largest of hundreds.
    """
    ones = float(side[int(np.searchsorted(edges, 1.0, "right"))])
    others, std = records - float(side[0]), math.sqrt(2) * noise_std
    return ones + others > _SWITCH_CAUTION * std and abs(others - ones) < _SWITCH_REST * std


def _beside_zeros(sides: tuple[FloatArray, FloatArray], noise_std: float, records: int) -> Span | None:
    """Where values lie that are not zero, on either side; less will do if it is known that there are some."""
    some = records - float(sides[0][0]) > CAUTION_SIGNED * noise_std
    caution = CAUTION_LINEAR if some else CAUTION_SIGNED
    found = (standing_out(side[1:], noise_std, caution) for side in sides)
    return next((each for each in found if each is not None), None)


def _end_of_side(side: FloatArray, outermost: int, noise_std: float, records: int) -> int:
    """The last cell of one sign: from where outward 1 % of the records lie, visibly; 0 if nowhere near."""
    tail = np.cumsum(side[max(1, outermost - _NEAR) : outermost + 1][::-1])
    noise = noise_std * np.sqrt(np.arange(1, len(tail) + 1))
    there = np.flatnonzero(tail > np.maximum(_FEW * records, noise))
    return outermost - int(there[0]) if there.size else 0


def read_linear(
    counts: FloatArray, noise_std: float, records: float, *, leaves_far: bool = False
) -> Span | None:
    """The cells of equal width that hold nearly all records; None if none stands out.

    Where one or two cells do, neighbours that noise may have made are none: finer cells will tell. A range
    that ``leaves_far`` values out is that of one or two cells, too, if they hold nearly all records and
    their neighbours next to nothing.
    """
    anchor = standing_out(counts, noise_std, CAUTION_LINEAR)
    if anchor is None:
        return None
    if leaves_far and is_apart(counts, noise_std, anchor, records):
        return anchor
    above = reach_outward(counts[anchor.last + 1 :], noise_std, _FAR_LINEAR)
    below = reach_outward(counts[: anchor.first][::-1], noise_std, _FAR_LINEAR)
    grown = grow(counts, Span(anchor.first - below, anchor.last + above), records)
    trimmed = trim(counts, noise_std, grown, records)
    return trimmed if trimmed.is_narrow else grown


def is_apart(counts: FloatArray, noise_std: float, span: Span, records: float) -> bool:
    """Whether one or two cells hold nearly all of the records, and the two on either side next to none,
    while some of those further away stand out.
    """
    first, last = span
    inside, near = counts[first : last + 1].sum(), slice(max(first - 2, 0), last + 3)
    beside = counts[near].sum() - inside
    hidden = FULL * noise_std
    if not span.is_narrow or inside < (1 - _FAR_PART) * records or hidden > MISSED * records:
        return False
    if beside > max(_FEW * records, hidden):
        return False
    far = counts.copy()
    far[near] = 0.0
    return standing_out(far, noise_std, CAUTION_LINEAR) is not None


def part_outside(counts: FloatArray, noise_std: float, records: int) -> float:
    """The part of the records in the first and the last of these cells; zero if it is small, or may be."""
    outside = float(counts[0] + counts[-1])
    is_clear = outside > max(MISSED * records, CAUTION_LINEAR * math.sqrt(2) * noise_std)
    return min(outside / records, 1.0) if is_clear else 0.0


def together(first: Noisy, second: Noisy) -> Noisy:
    """Two releases of the same counts, each weighted by its precision."""
    precision = first.noise_std**-2, second.noise_std**-2
    value = (precision[0] * first.value + precision[1] * second.value) / sum(precision)
    return Noisy(value, sum(precision) ** -0.5)
