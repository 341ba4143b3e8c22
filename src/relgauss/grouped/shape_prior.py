"""Which forms are common among many groups: learned from all their noisy counts together.

Where nearly all groups of a table are narrow, the next one most likely is. Only forms are learned, never
places: the answer for a group stays the same if all its values are multiplied by a step of the grid.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.grouped.noisy_counts import NoisyCounts
from relgauss.grouped.shape_weights import log_likelihood
from relgauss.grouped.shapes import Shapes

_PRIOR_GROUPS = 10.0  # the prior counts as much as this many groups
_ROUNDS = 50


def learn_forms(shapes: Shapes, batches: Iterable[NoisyCounts]) -> FloatArray:
    """The log-prior of all shapes, with that of each form fitted to the counts; post-processing.

    Expectation-maximisation for the share of each form, from the likelihood of a form at an unknown place.
    """
    likelihood = np.concatenate([_by_form(shapes, counts) for counts in batches])
    prior = np.exp(shapes.log_prior.reshape(-1, shapes.places)[:, 0])
    learned = prior
    for _ in range(_ROUNDS):
        found = learned * ((1 / (likelihood @ learned)) @ likelihood) + _PRIOR_GROUPS * prior
        learned = found / found.sum()
    return np.repeat(np.log(learned), shapes.places)


def _by_form(shapes: Shapes, counts: NoisyCounts) -> FloatArray:
    """The likelihood of each form at an unknown place, up to a factor for each group."""
    by_place = log_likelihood(shapes, counts)
    by_place -= by_place.max(axis=1, keepdims=True)
    np.exp(by_place, out=by_place)
    likelihood: FloatArray = by_place.reshape(len(by_place), -1, shapes.places).sum(axis=2, dtype=np.float64)
    return likelihood
