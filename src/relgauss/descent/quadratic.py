"""The quadratic of clipped records, from its moments: a single pass over the records serves all steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from relgauss.arrays import FloatArray, product
from relgauss.bounded.answer import BoundedAnswer, clip_weights
from relgauss.certify import RowBounds, public_iterate_sensitivity
from relgauss.records.blocks import Block, Rows

_SMALLEST = 1e-140  # far below the float error that every sensitivity here includes


@dataclass(frozen=True, eq=False)
class Quadratic:
    """½ θᵀAθ - bᵀθ of rows clipped to norm R, labels clipped to Y and weighted alike:

        A = mean w² z zᵀ,   b = mean w² z clip(y, ±Y),   w = min(1, R/||z||)

    ``bounds`` is what clipping enforced.
    """

    second: FloatArray
    first: FloatArray
    bounds: RowBounds

    @property
    def least_eigenvalue(self) -> float:
        """The least eigenvalue of A: private."""
        return float(np.linalg.eigvalsh(self.second)[0])

    def pull(self, theta: FloatArray) -> FloatArray:
        """b - Aθ, minus the gradient: private. One too small to have a norm is zero."""
        pull: FloatArray = self.first - self.second @ theta
        return np.zeros_like(pull) if float(np.abs(pull).max()) <= _SMALLEST else pull

    def bounded_pull(self, theta: FloatArray) -> BoundedAnswer:
        """The pull at a public point, with the bound (R² ||θ|| + 2 R Y)/n that it has there."""
        norm = float(np.linalg.norm(theta)) * (1 + 1e-12)  # not below the norm that rounding hides
        return BoundedAnswer(self.pull(theta), public_iterate_sensitivity(self.bounds, norm))


def clipped_quadratic(rows: Rows, clip_radius: float, label_bound: float) -> Quadratic:
    """The quadratic of rows clipped to ``clip_radius`` and labels to ``label_bound``: one pass over them.

    Weighting the label like its row keeps a well-specified model unbiased.
    """
    columns = rows.columns

    def block_sum(block: Block) -> FloatArray:
        weights = clip_weights(block.norms, clip_radius)
        weighted = np.multiply(block.features, weights[:, None], out=block.room.like(block.features))
        labels = weights * np.clip(block.labels, -label_bound, label_bound)
        return np.concatenate([product(weighted.T, weighted), product(labels, weighted)[None, :]])

    moments = rows.total(block_sum) / rows.count
    bounds = RowBounds(rows.count, columns, clip_radius * (1 + (columns + 16) * 2.0**-52), label_bound)
    return Quadratic(moments[:-1], moments[-1], bounds)
