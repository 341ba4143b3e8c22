"""The score that tells decoded outputs of the embedding apart: their direction, freed of their scale."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.mechanisms.scores import Score

_NEWTON_STEPS = 20


@dataclass(frozen=True, eq=False)
class ScaleFreeProjection(Score):
    """<x, direction> / scale(x), for outputs x = e^g (m + N(0, s² I)), g ~ N(log_scale, (eta s)²).

    The unseen scale e^g is set to its most likely value given x, with m the midpoint of the pair; as
    l = -g that maximises the concave-convex

        -(l + log_scale)²/(2 (eta s)²) + d l - |x|² e^{2l}/(2 s²) + <x, m> e^l/s²

    For the pairs in use this is the likelihood ratio up to a change of scale that is hard to measure.
    """

    direction: FloatArray
    midpoint: FloatArray
    log_scale: float
    eta: float
    noise_std: float

    def __call__(self, outputs: FloatArray) -> FloatArray:
        """The score of each output."""
        outputs = outputs * math.exp(-self.log_scale)  # so that the typical scale is 1
        square = np.einsum("ij,ij->i", outputs, outputs) / self.noise_std**2
        along = outputs @ self.midpoint / self.noise_std**2
        inverse = np.exp(self._log_inverse_scale(square, along, outputs.shape[1]))
        return outputs @ self.direction * inverse

    def _log_inverse_scale(self, square: FloatArray, along: FloatArray, dim: int) -> FloatArray:
        """Newton's method with the concave part's curvature: it never overshoots far, and is capped."""
        prior = (self.eta * self.noise_std) ** -2.0
        log_inverse = np.zeros_like(square)
        for _ in range(_NEWTON_STEPS):
            inverse = np.exp(log_inverse)
            pull, push = square * inverse**2, along * inverse
            slope = dim - prior * log_inverse - pull + push
            curvature = prior + 2 * pull + np.maximum(-push, 0.0)
            log_inverse += np.clip(slope / curvature, -1.0, 1.0)
        return log_inverse
