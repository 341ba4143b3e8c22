"""Counts of records in cells, whole numbers, so exact in any order; and the cells that are used."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.bounded.answer import BoundedAnswer
from relgauss.records.blocks import Block, Rows

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

    ``cells_of`` gives, histogram by histogram, the cell of every record of a block: what is counted stays in
    the cache. Replacing one record moves two counts of each histogram by one: an L2 distance of at most
    sqrt(2 histograms). Proof: proofs/log-histogram.md.
    """
    in_pairs = histograms // 2 if cells <= _FEW_CELLS else 0
    in_tables = in_pairs * cells**2

    def count(block: Block) -> NDArray[np.int64]:
        each = iter(cells_of(block))
        pairs = islice(zip(each, each, strict=False), in_pairs)
        # Two at a time, by a table of both, take little longer than one.
        tables = [np.bincount(first * cells + second, minlength=cells**2) for first, second in pairs]
        others = [np.bincount(places, minlength=cells) for places in each]
        counts = np.concatenate([np.zeros(0, dtype=np.int64), *tables, *others])
        if counts.size != in_tables + (histograms - 2 * in_pairs) * cells:
            raise ValueError("There are more or fewer histograms or cells than was announced.")
        return counts

    total = rows.total(count)
    tables = total[:in_tables].reshape(in_pairs, cells, cells)
    of_pairs = np.stack([tables.sum(axis=2), tables.sum(axis=1)], axis=1).ravel()
    counts = np.concatenate([of_pairs, total[in_tables:]]).astype(np.float64)
    moved = math.nextafter(math.sqrt(2 * histograms), math.inf)
    return BoundedAnswer.enforced(counts, moved)


def log_cells(values: FloatArray, low: float, high: float, count: int) -> NDArray[np.intp]:
    """The cell of each non-negative value: 0 below ``low``, then ``count`` of equal ratio up to ``high``.

    What lies above is counted in the last cell.
    """
    ratio = math.log(high / low) / count
    steps = np.log(np.maximum(values / low, np.finfo(np.float64).tiny))
    steps /= ratio
    return np.clip(np.floor(steps, out=steps), -1, count - 1).astype(np.intp) + 1


def log_edges(low: float, high: float, count: int) -> FloatArray:
    """The lower edges of cells 1 to ``count``, and the upper edge of the last."""
    return np.geomspace(low, high, count + 1)


def signed_cells(values: FloatArray) -> NDArray[np.intp]:
    """The cell of each value on the signed grid: ratios of 4 from 2^-100 to 2^100 on either side of zero.

    What lies beyond is counted in the outermost cells, and what is next to zero in the middle one.
    """
    leading_bits = values.view(np.uint64) >> np.uint64(52)
    return _SIGNED_CELL.take(leading_bits.view(np.intp))


def _signed_cell_of_leading_bits() -> NDArray[np.intp]:
    """The cell on the signed grid by a double's sign and binary exponent, its first 12 bits."""
    bits = np.arange(2**12)
    exponent = (bits & 0x7FF) - 1023  # 2^exponent <= |value| < 2^(exponent + 1); less for the subnormal
    steps = np.clip((exponent - _LEAST) // _OCTAVES + 1, 0, CELLS_PER_SIGN)
    return np.asarray(CELLS_PER_SIGN + np.where(bits >> 11, -steps, steps), dtype=np.intp)


_SIGNED_CELL = _signed_cell_of_leading_bits()
