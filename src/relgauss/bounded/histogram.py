"""Counts of records in cells: whole numbers, so exact in any order."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.bounded.answer import BoundedAnswer
from relgauss.records.blocks import Block, Rows

_FEW_CELLS = 32  # so few that a table of two histograms' cells stays in the nearest cache


def count_cells(
    rows: Rows, cells_of: Callable[[Block], Iterable[NDArray[Any]]], histograms: int, cells: int
) -> BoundedAnswer:
    """Several histograms of the same records, of ``cells`` cells each, one after another in one vector.

    ``cells_of`` gives, histogram by histogram, the cell of every record of a block: what is counted stays in
    the cache. Replacing one record moves two counts of each histogram by one: an L2 distance of at most
    sqrt(2 histograms). Proof: proofs/log-histogram.md.
    """

    def count(block: Block) -> NDArray[np.int64]:
        counts = np.zeros((histograms, cells), dtype=np.int64)
        each = zip(counts, cells_of(block), strict=True)
        for counted, places in each:
            second = next(each, None) if cells <= _FEW_CELLS else None
            if second is None:
                counted += np.bincount(places, minlength=cells)
            else:  # two at a time, by a table of both, take little longer than one
                also_counted, other_places = second
                both = np.bincount(places * cells + other_places, minlength=cells**2).reshape(cells, cells)
                counted += both.sum(axis=1)
                also_counted += both.sum(axis=0)
        return counts.ravel()

    moved = math.nextafter(math.sqrt(2 * histograms), math.inf)
    return BoundedAnswer.enforced(rows.total(count).astype(np.float64), moved)


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
