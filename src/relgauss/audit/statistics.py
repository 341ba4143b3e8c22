"""Scores of outputs: large where the second answer is likelier than the first.

A bound is valid for every score; the closer to the likelihood ratio, the more it shows.
Proof: proofs/audit.md.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import singledispatch

import numpy as np

from relgauss.arrays import FloatArray, l2_norm
from relgauss.audit.pairs import Pair
from relgauss.mechanisms import Gaussian, IsometricGaussian, Mechanism, RelativeGaussian
from relgauss.mechanisms.maps.embedding import EmbeddingMap

_NEWTON_STEPS = 20


class Score(ABC):
    """A number for each output, a row each."""

    @abstractmethod
    def __call__(self, outputs: FloatArray) -> FloatArray:
        """The scores."""


@dataclass(frozen=True, eq=False)
class Projection(Score):
    """<output, direction>: for noise that is the same on both answers, and for black boxes."""

    direction: FloatArray

    def __call__(self, outputs: FloatArray) -> FloatArray:
        """The scores."""
        return outputs @ self.direction


@dataclass(frozen=True, eq=False)
class Distance(Score):
    """||output - point||: for noise that is missing, or whose size tells of the answer."""

    point: FloatArray

    def __call__(self, outputs: FloatArray) -> FloatArray:
        """The scores."""
        distances: FloatArray = np.linalg.norm(outputs - self.point, axis=1)
        return distances


@dataclass(frozen=True, eq=False)
class GaussianLogRatio(Score):
    """The log-likelihood ratio of N(second, std_second² I) against N(first, std_first² I), but a constant.

    Its events {score >= t} are outsides and insides of balls, or half-spaces where the stds are equal.
    """

    first: FloatArray
    second: FloatArray
    std_first: float
    std_second: float

    def __call__(self, outputs: FloatArray) -> FloatArray:
        """||x - first||²/(2 std_first²) - ||x - second||²/(2 std_second²)."""
        unit = (outputs - self.first) / self.std_first
        ratio = self.std_first / self.std_second
        step = (self.second - self.first) / self.std_first
        # With y the unit outputs: |y|² - ratio² |y - step|², without the cancellation of large squares.
        square = np.einsum("ij,ij->i", unit, unit)
        mixed = 2 * (unit @ step) - step @ step
        score: FloatArray = 0.5 * ((1 - ratio) * (1 + ratio) * square + ratio**2 * mixed)
        return score


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
        """The scores."""
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


def scores_for_faults(mechanism: Mechanism, pair: Pair) -> tuple[Score, ...]:
    """The score of the right mechanism, and others that wrong ones show in.

    The distance tells noise that is missing, the projection noise that is not decoded as claimed, and the
    likelihood ratio noise whose size follows the answer without noise of its own.
    """
    scores = (score_for(mechanism, pair), Projection(pair.difference), Distance(pair.first))
    if not isinstance(mechanism, IsometricGaussian):
        return scores
    s, bound = mechanism.noise_multiplier, mechanism.sensitivity
    stds = (s * bound.local_scale(l2_norm(answer)) for answer in (pair.first, pair.second))
    return (*scores, GaussianLogRatio(pair.first, pair.second, *stds))


@singledispatch
def score_for(mechanism: Mechanism, pair: Pair) -> Score:
    """The score that tells a mechanism's outputs on this pair apart best, or nearly so."""
    return Projection(pair.difference)


@score_for.register
def _(mechanism: Gaussian, pair: Pair) -> Score:
    """The likelihood ratio is linear."""
    return Projection(pair.difference)


@score_for.register
def _(mechanism: RelativeGaussian, pair: Pair) -> Score:
    """The exact likelihood ratio."""
    return GaussianLogRatio(
        pair.first,
        pair.second,
        mechanism.noise_std(l2_norm(pair.first)),
        mechanism.noise_std(l2_norm(pair.second)),
    )


@score_for.register
def _(mechanism: IsometricGaussian, pair: Pair) -> Score:
    """On the line decoding is increasing, so the output itself; else the direction, freed of its scale."""
    if not isinstance(mechanism.map, EmbeddingMap):
        return Projection(pair.difference)
    first, second = mechanism.encode(pair.first), mechanism.encode(pair.second)
    s, eta = mechanism.noise_multiplier, mechanism.sensitivity.eta
    log_scale = eta * float(first[0] + second[0]) / 2 - (eta * s) ** 2 / 2
    if mechanism.sensitivity.r > 0:
        log_scale += math.log(mechanism.sensitivity.r)
    midpoint = (first + second)[1:] / 2
    return ScaleFreeProjection((second - first)[1:], midpoint, log_scale, eta, s)
