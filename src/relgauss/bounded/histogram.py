"""Counts of records in cells, whole numbers, so exact in any order; and the cells that are used."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.bounded.answer import BoundedAnswer
from relgauss.records.blocks import Block, Rows
from relgauss.records.storage import Room

_MORE_CELLS = "There are more cells than was announced."
_BYTES = 2**8
_FEW_CELLS = 32  # so few that a table of two histograms' cells stays in the nearest cache
_LEAST, _MOST = -100, 100  # exponents of the signed grid's smallest and largest edge
_OCTAVES = 2  # a cell of it spans a ratio of 4

CELLS_PER_SIGN = (_MOST - _LEAST) // _OCTAVES
SIGNED_CELLS = 2 * CELLS_PER_SIGN + 1
SIGNED_EDGES: FloatArray = np.asarray(2.0 ** np.arange(_LEAST, _MOST + 1, _OCTAVES), dtype=np.float64)
"""The outer edge of each cell of the signed grid, from the one around zero outward."""


def count_cells(
    rows: Rows, cells_of: Callable[[Block], Iterable[NDArray[Any]]], histograms: int, cells: int
) -> BoundedAnswer:
    """Several histograms of the same records, of ``cells`` cells each, one after another in one vector.

    ``cells_of`` gives the cell of every record of a block, for one histogram or, a row for each, for several
    at a time. Replacing one record moves two counts of each histogram by one: an L2 distance of at most
    sqrt(2 histograms). Proof: proofs/log-histogram.md.
    """

    def count(block: Block) -> NDArray[np.int64]:
        several = [_counts(np.atleast_2d(places), cells, block.room) for places in cells_of(block)]
        if sum(counts.size for counts in several) != histograms * cells:
            raise ValueError("There are more or fewer histograms than was announced.")
        return np.concatenate(several)

    counts = rows.total(count).astype(np.float64)
    moved = math.nextafter(math.sqrt(2 * histograms), math.inf)
    return BoundedAnswer.enforced(counts, moved)


def _counts(places: NDArray[Any], cells: int, room: Room) -> NDArray[np.int64]:
    """The counts of each row of cells; two rows at a time by a table of both, where that takes less time."""
    is_byte = places.dtype == np.uint8
    pairs = len(places) // 2 if cells <= _FEW_CELLS else 0
    if is_byte and not pairs:  # counted with all that a byte can hold: what is no cell is seen afterwards
        counts = _tally(places, _BYTES, room).reshape(-1, _BYTES)
        if counts[:, cells:].any():
            raise ValueError(_MORE_CELLS)
        return counts[:, :cells].ravel()
    if places.size and not (is_byte or places.min() >= 0) & (places.max() < cells):
        raise ValueError(_MORE_CELLS)
    if not pairs:
        return _tally(places, cells, room)
    both = np.multiply(places[: 2 * pairs : 2], np.int32(cells), dtype=np.int32)
    both += places[1 : 2 * pairs : 2]
    tables = _tally(both, cells**2, room).reshape(pairs, cells, cells)
    counts = np.empty((len(places), cells), dtype=np.int64)
    for place in (0, 1):
        np.sum(tables, axis=2 - place, out=counts[place : 2 * pairs : 2])
    if len(places) % 2:
        counts[-1] = _tally(places[-1:], cells, room)
    return counts.ravel()


def _tally(places: NDArray[Any], cells: int, room: Room) -> NDArray[np.int64]:
    """How often each place from 0 to ``cells`` - 1 is in each row."""
    shape = (*places.shape, cells)
    return room.kept(shape, lambda: _Tally(*shape)).counts(places)


class _Tally:
    """Counts by a sparse column of ones, times one: unlike bincount it lets other threads work meanwhile.

    It is made once for all blocks of a shape, as others wait for that; where its ones stand is written anew.
    """

    def __init__(self, rows: int, length: int, cells: int) -> None:
        from scipy.sparse import csc_array

        count = rows * length
        lines, ends = np.zeros(count, dtype=np.int32), np.array([0, count], dtype=np.int32)
        ones = _ones(count.bit_length())[:count]
        self._column = csc_array((ones, lines, ends), shape=(rows * cells, 1))
        self._lines = self._column.indices.reshape(rows, length)
        self._starts = np.arange(0, rows * cells, cells, dtype=np.int32)[:, None]

    def counts(self, places: NDArray[Any]) -> NDArray[np.int64]:
        """Those of these places."""
        np.add(places, self._starts, out=self._lines, dtype=np.int32)
        counts: NDArray[np.int32] = self._column @ _ones(0)
        return counts.astype(np.int64)


@cache
def _ones(bits: int) -> NDArray[np.int32]:
    """As many ones as so many bits can count, and one more."""
    return np.ones(2**bits, dtype=np.int32)


def log_cells(values: FloatArray, low: float, high: float, count: int) -> NDArray[np.uint8]:
    """The cell of each non-negative value: 0 below ``low``, then ``count`` of equal ratio up to ``high``,
    255 at most.

    What lies above is counted in the last cell.
    """
    (cells,) = log_cells_between([values], [(low, high)], count)
    return np.asarray(cells, dtype=np.uint8)


def log_cells_between(
    several: Sequence[FloatArray], ends: Sequence[tuple[float, float]], count: int
) -> NDArray[np.uint8]:
    """The ``log_cells`` of several values of each record, a row for each, between these ends."""
    ratios = [math.log(high / low) / count for low, high in ends]
    shifts = [1 - math.log(low) / ratio for (low, _), ratio in zip(ends, ratios, strict=True)]
    steps = np.empty((len(several), len(several[0])))
    with np.errstate(divide="ignore"):  # of zero, which lies below all
        for values, row in zip(several, steps, strict=True):
            np.log(values, out=row)
    steps /= np.array(ratios)[:, None]
    steps += np.array(shifts)[:, None]
    cells = np.empty(steps.shape, dtype=np.uint8)
    np.clip(steps, 0, count, out=cells, casting="unsafe")
    return cells


def log_edges(low: float, high: float, count: int) -> FloatArray:
    """The lower edges of cells 1 to ``count``, and the upper edge of the last."""
    return np.geomspace(low, high, count + 1)


def signed_cells(values: FloatArray, room: Room | None = None) -> NDArray[np.uint8]:
    """The cell of each value on the signed grid: ratios of 4 from 2^-100 to 2^100 on either side of zero.

    What lies beyond is counted in the outermost cells, and what is next to zero in the middle one. The cells
    are in the room's memory, if there is one, which the next block uses again.
    """
    room = room or Room()
    bits = np.ascontiguousarray(values).view(np.uint64)
    leading = room.columnwise(*values.T.shape).T.view(np.uint64)
    np.right_shift(bits, np.uint64(52), out=leading)
    cells = bytes_in(room, values.shape, np.uint8)
    _SIGNED_CELL.take(leading.view(np.intp), out=cells, mode="wrap")  # of 12 bits none is wrapped
    return cells


def bytes_in(room: Room, shape: tuple[int, ...], kind: type[np.generic]) -> NDArray[Any]:
    """Numbers or truths of a byte each, in memory that the next block of this room uses again."""
    return room.kept((kind, shape), lambda: np.empty(shape, dtype=kind))


def _signed_cell_of_leading_bits() -> NDArray[np.uint8]:
    """The cell on the signed grid by a double's sign and binary exponent, its first 12 bits."""
    bits = np.arange(2**12)
    exponent = (bits & 0x7FF) - 1023  # 2^exponent <= |value| < 2^(exponent + 1); less for the subnormal
    steps = np.clip((exponent - _LEAST) // _OCTAVES + 1, 0, CELLS_PER_SIGN)
    return np.asarray(CELLS_PER_SIGN + np.where(bits >> 11, -steps, steps), dtype=np.uint8)


_SIGNED_CELL = _signed_cell_of_leading_bits()
