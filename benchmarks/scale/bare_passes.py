"""A step of ``clipped`` beside the least it must do, X θ and s X block by block: by layout and precision."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.timing import interleaved, show
from relgauss.descent.clipped_gradients import clipped_pull
from relgauss.descent.objectives import Squared
from relgauss.records.blocks import LEAST_ROWS, ArrayRows, block_rows
from relgauss.records.streamed import slices

SHAPES, ROUNDS = ((1_000_000, 50), (100_000, 20)), 11
_DOUBLE = "float64, columns"
_CONVERTED_ROWS = 2**11  # of those tried the fastest: what is converted stays in the cache
_GROUP_ROWS = 64

Pass = Callable[[], object]


def run() -> None:
    """One pass each, over rows as a fit has whitened them, held by columns (as a fit does) or by rows.

    Sums in float32 are there for comparison: they have no useful bound (proofs/float-sums.md, 5).
    """
    for count, columns in SHAPES:
        rows = with_ones(np.random.default_rng(0).standard_normal((count, columns)))
        cases = {
            _DOUBLE: bare_pass(rows),
            "a step of clipped": _step(rows),
            "float64, rows": bare_pass(np.ascontiguousarray(rows)),
            "float32, sums in float64": _converting_pass(rows),
            f"float32, sums of {_GROUP_ROWS} rows in it": _grouped_pass(rows),
            f"float32, sums of {LEAST_ROWS} rows in it": bare_pass(rows.astype(np.float32), LEAST_ROWS),
        }
        title = f"One bare pass, {count:,} × {columns} and a column of ones, one BLAS thread, {ROUNDS} rounds"
        show(title, interleaved(cases, ROUNDS), _DOUBLE)


def with_ones(features: np.ndarray) -> np.ndarray:
    """Rows as a fit holds them."""
    count, columns = features.shape
    rows = np.empty((count, columns + 1), order="F")
    rows[:, :columns], rows[:, columns] = features, 1.0
    return rows


def bare_pass(rows: np.ndarray, at_once: int = 0) -> Pass:
    """X θ, and the sum of s X in the precision of the rows: so many at once, or a block."""
    theta = np.ones(rows.shape[1], dtype=rows.dtype)
    length = at_once or block_rows(rows.shape[1])

    def once() -> object:
        total = np.zeros(len(theta))
        for part in slices(len(rows), length):
            total += (rows[part] @ theta) @ rows[part]
        return total

    return once


def _step(rows: np.ndarray) -> Pass:
    """All that a step of a fit does with the rows: also residuals and clipping."""
    held = ArrayRows(rows, np.zeros(len(rows))).changed(
        lambda block: (block.features, block.labels), rows.shape[1]
    )
    held.total(lambda block: block.labels[:1])  # from now on it is held, with its norms
    return lambda: clipped_pull(held, np.ones(held.columns), Squared(), 1.0)


def _converting_pass(rows: np.ndarray) -> Pass:
    """Scores in single precision; then each block is converted, for sums in double precision."""
    single, theta = rows.astype(np.float32, order="C"), np.ones(rows.shape[1], dtype=np.float32)
    room = np.empty((_CONVERTED_ROWS, rows.shape[1]))

    def once() -> object:
        total = np.zeros(len(theta))
        for start in range(0, len(single), _CONVERTED_ROWS):
            block = single[start : start + _CONVERTED_ROWS]
            double = room[: len(block)]
            np.copyto(double, block)
            total += (block @ theta).astype(np.float64) @ double
        return total

    return once


def _grouped_pass(rows: np.ndarray) -> Pass:
    """Sums in single precision over few rows each, which are added in double precision."""
    single, theta = rows.astype(np.float32, order="C"), np.ones(rows.shape[1], dtype=np.float32)

    whole, length = len(single) // _GROUP_ROWS * _GROUP_ROWS, block_rows(rows.shape[1])

    def once() -> object:
        total = np.zeros(len(theta))
        for part in slices(whole, length):
            block = single[part]
            weights = (block @ theta).reshape(-1, 1, _GROUP_ROWS)
            sums = weights @ block.reshape(-1, _GROUP_ROWS, len(theta))
            total += sums.sum(axis=(0, 1), dtype=np.float64)
        return total

    return once
