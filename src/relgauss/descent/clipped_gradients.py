"""Gradients clipped record by record, at a threshold that is found privately."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.bounded.answer import BoundedAnswer
from relgauss.bounded.block_mean import bounded_mean
from relgauss.bounded.histogram import count_cells, log_cells, log_edges
from relgauss.descent.clip_threshold import choose_threshold
from relgauss.descent.objectives import Objective
from relgauss.records.blocks import Block, Rows
from relgauss.spending import Noisy, Spending

GRADIENTS, NORMS = "gradients", "gradient norms"
_CELLS = 29
_SMALLEST, _LARGEST = 0.05, 40.0  # edges of the histogram, in units of the expected norm


def clipped_pull(rows: Rows, theta: FloatArray, objective: Objective, threshold: float) -> BoundedAnswer:
    """The mean of x pull · min(1, c/(||x|| |pull|)), minus the gradient clipped to norm c record by record.

    Two contributions differ by at most 2 c, whatever the rows: proofs/regression.md.
    """

    def block_sum(block: Block) -> FloatArray:
        pull = objective.pull(block.features @ theta, block.labels)
        pull *= threshold / np.maximum(block.norms * np.abs(pull), threshold)
        return pull @ block.features

    return bounded_mean(rows, block_sum, largest=threshold, apart=2 * threshold)


@dataclass(frozen=True, eq=False)
class ClippedGradients:
    """Release clipped gradients of ``rows``; before the steps ``looks`` see the norms and choose c anew.

    ``scale`` is the expected size of a gradient's norm, public or released.
    """

    rows: Rows
    objective: Objective
    scale: float
    spending: Spending
    step_share: float
    norms_share: float
    looks: tuple[int, ...]
    averaged_steps: int
    threshold: float = math.nan
    relative_variance: float = 0.0

    def at(self, step: int, theta: FloatArray) -> ClippedGradients:
        """With a threshold that suits the gradients at theta, if this is a step to look."""
        return self._look(theta) if step in self.looks else self

    def _look(self, theta: FloatArray) -> ClippedGradients:
        """Release a histogram of gradient norms at theta, and take the threshold that suits it."""
        objective, low, high = self.objective, _SMALLEST * self.scale, _LARGEST * self.scale

        def cells_of(block: Block) -> NDArray[np.intp]:
            pull = objective.pull(block.features @ theta, block.labels)
            return log_cells(block.norms * np.abs(pull), low, high, _CELLS)

        answer = count_cells(self.rows, cells_of, 1, _CELLS + 1)
        counts = self.spending.release(NORMS, answer, self.norms_share / len(self.looks))
        edges = np.concatenate([[0.0], log_edges(low, high, _CELLS)])
        mu = self.spending.mu_of(self.step_share * self.averaged_steps)
        noise = 2 * math.sqrt(self.rows.columns) / (self.rows.count * mu)
        return replace(self, threshold=choose_threshold(counts, edges, self.rows.count, noise))

    def release(self, theta: FloatArray, before: Noisy | None) -> Noisy:
        """Release minus the gradient at theta."""
        answer = clipped_pull(self.rows, theta, self.objective, self.threshold)
        return self.spending.release(GRADIENTS, answer, self.step_share)
