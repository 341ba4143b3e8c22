"""Which shapes are common among many groups: learned from all their noisy counts together.

Where nearly all groups of a table are narrow, the next one most likely is. Only shapes are learned, never
their positions: the answer for a group stays the same if all its values are multiplied by a step of the grid.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.grouped.noisy_measurements import NoisyCounts
from relgauss.grouped.shape_weights import log_likelihood
from relgauss.grouped.shapes import PlacedShapes

_PRIOR_GROUPS = 10.0  # the prior counts as much as this many groups
_STEPS = 50  # of expectation-maximisation


def learn_shape_prior(shapes: PlacedShapes, batches: Iterable[NoisyCounts]) -> FloatArray:
    """The log-prior of all placed shapes, with the share of each shape fitted to the noisy counts.

    Expectation-maximisation, from the likelihood of a shape at an unknown position. This is post-processing,
    which costs nothing.
    """
    likelihood = np.concatenate([_by_shape(shapes, counts) for counts in batches])
    prior = np.exp(shapes.log_prior.reshape(-1, shapes.positions)[:, 0])
    learned = prior
    for _ in range(_STEPS):
        found = learned * ((1 / (likelihood @ learned)) @ likelihood) + _PRIOR_GROUPS * prior
        learned = found / found.sum()
    return np.repeat(np.log(learned), shapes.positions)


def _by_shape(shapes: PlacedShapes, counts: NoisyCounts) -> FloatArray:
    """The likelihood of each shape at an unknown position, up to a factor for each group."""
    placed = log_likelihood(shapes, counts)
    placed -= placed.max(axis=1, keepdims=True)
    np.exp(placed, out=placed)
    likelihood: FloatArray = placed.reshape(len(placed), -1, shapes.positions).sum(axis=2, dtype=np.float64)
    return likelihood
