"""Which forms are common among many groups: learned from all their noisy counts together.

Where nearly all groups of a table are narrow, the next one most likely is. Only forms are learned, never
places: the answer for a group stays the same if all its values are multiplied by a step of the grid.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from scipy.special import softmax

from relgauss.arrays import FloatArray
from relgauss.estimate.fit import log_likelihood
from relgauss.estimate.log_counts import NoisyCounts
from relgauss.estimate.shapes import Shapes

_PRIOR_GROUPS = 10.0  # the prior counts as much as this many groups
_ROUNDS = 50


def learn_forms(shapes: Shapes, batches: Iterable[NoisyCounts]) -> Shapes:
    """The same shapes, with the prior of each form fitted to the counts; post-processing.

    Expectation-maximisation for the share of each form, from the likelihood of a form at an unknown place.
    """
    evidence = np.concatenate([_by_form(shapes, counts) for counts in batches])
    prior = np.exp(shapes.log_prior.reshape(-1, shapes.places)[:, 0])
    learned = prior
    for _ in range(_ROUNDS):
        found = softmax(evidence + np.log(learned), axis=1).sum(axis=0) + _PRIOR_GROUPS * prior
        learned = found / found.sum()
    return replace(shapes, log_prior=np.repeat(np.log(learned), shapes.places))


def _by_form(shapes: Shapes, counts: NoisyCounts) -> FloatArray:
    """The log-likelihood of each form at an unknown place, up to a constant, a row for each group."""
    by_place = log_likelihood(shapes, counts)
    by_place -= by_place.max(axis=1, keepdims=True)
    likelihood = np.exp(by_place).reshape(len(by_place), -1, shapes.places).sum(axis=2)
    logarithm: FloatArray = np.log(np.maximum(likelihood, np.finfo(np.float64).tiny))
    return logarithm
