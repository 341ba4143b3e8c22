"""Gradients clipped record by record, at a threshold that is found privately."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray, product
from relgauss.bounded.answer import BoundedAnswer, bounded_mean
from relgauss.bounded.histogram import count_cells, log_cells, log_edges
from relgauss.descent.descend import State
from relgauss.descent.objectives import Objective
from relgauss.records.blocks import Block, Rows
from relgauss.spending import Noisy, Spending

GRADIENTS, NORMS = "gradients", "gradient norms"
ROUNDING = 2.0**-52
_CELLS = 29
_SMALLEST, _LARGEST = 0.05, 40.0  # edges of the histogram, in units of the expected norm
_LEAST, _MOST = 0.1, 3.0  # clip thresholds beyond these are noise's, not the gradients'
_BIAS_WEIGHT = 0.5  # clipped gradients partly cancel
_CAUTION_TAIL = 3.0  # noise levels at which a tail is taken for real


def clipped_pull(rows: Rows, theta: FloatArray, objective: Objective, clip_threshold: float) -> BoundedAnswer:
    """The mean of x pull · min(1, c/(||x|| size)), minus the gradient clipped to norm c record by record:
    c is ``clip_threshold``, pull the objective's at the score xᵀθ, size >= |pull| how hard it may pull there.

    Two contributions differ by at most 2 c, whatever the rows: proofs/regression.md.
    """

    def block_sum(block: Block) -> FloatArray:
        scores = objective.scores(block.features, theta)
        return product(clipped_pulls(block, scores, objective, clip_threshold), block.features).ravel()

    rounded = 1 + 8 * objective.outputs * ROUNDING
    return bounded_mean(rows, block_sum, largest=rounded * clip_threshold, apart=2 * rounded * clip_threshold)


def clipped_pulls(
    block: Block, scores: FloatArray, objective: Objective, clip_threshold: float
) -> FloatArray:
    """Each record's pull, so small that the gradient's norm is at most c, whatever the row."""
    pull = objective.pull(scores, block.labels)
    weights = objective.size(scores, pull)
    weights *= block.norms
    np.maximum(weights, clip_threshold, out=weights)
    pull *= np.divide(clip_threshold, weights, out=weights)
    return pull


@dataclass(frozen=True, eq=False)
class ClippedGradients:
    """Releases gradients of ``rows`` that are clipped record by record.

    Before each of the steps in ``norm_steps`` a histogram of the gradients' norms is released, and the clip
    threshold chosen by it. ``scale`` is the expected size of a gradient's norm, public or released;
    ``step_share`` and ``norms_share`` are what a step and all histograms cost; ``averaged_steps`` is how many
    points will be averaged, over which noise evens out.
    """

    rows: Rows
    objective: Objective
    scale: float
    spending: Spending
    step_share: float
    norms_share: float
    norm_steps: tuple[int, ...]
    averaged_steps: int
    clip_threshold: float = math.nan
    relative_variance: float = 0.0

    def at(self, state: State) -> ClippedGradients:
        """With a clip threshold that suits the gradients at this point, if it is to be chosen anew here."""
        return self._choose_threshold(state.theta) if state.step in self.norm_steps else self

    def _choose_threshold(self, theta: FloatArray) -> ClippedGradients:
        """Release a histogram of gradient norms at theta, and take the clip threshold of least error."""
        objective, low, high = self.objective, _SMALLEST * self.scale, _LARGEST * self.scale

        def cells_of(block: Block) -> list[NDArray[np.uint8]]:
            pull = objective.pull(objective.scores(block.features, theta), block.labels)
            sizes = np.abs(pull) if pull.ndim == 1 else np.sqrt(np.square(pull).sum(axis=0))
            return [log_cells(block.norms * sizes, low, high, _CELLS)]

        answer = count_cells(self.rows, cells_of, 1, _CELLS + 1)
        counts = self.spending.release(NORMS, answer, self.norms_share / len(self.norm_steps))
        edges = np.concatenate([[0.0], log_edges(low, high, _CELLS)])
        mu = self.spending.mu_of(self.step_share * self.averaged_steps)
        noise = 2 * math.sqrt(theta.size) / (self.rows.count * mu)
        chosen = least_error_threshold(counts.value, counts.noise_std, edges, self.rows.count, noise)
        return replace(self, clip_threshold=min(max(chosen, _LEAST * self.scale), _MOST * self.scale))

    def release(self, theta: FloatArray, before: Noisy | None) -> Noisy:
        """Release minus the gradient at theta."""
        answer = clipped_pull(self.rows, theta, self.objective, self.clip_threshold)
        return self.spending.release(GRADIENTS, answer, self.step_share)


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
