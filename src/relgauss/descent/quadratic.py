"""Gradients of one quadratic, computed from its moments: a single pass over the records serves all steps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.bounded.answer import BoundedAnswer
from relgauss.bounded.moments import shortening
from relgauss.certify import RowBounds, public_iterate_sensitivity
from relgauss.descent.clipped_gradients import GRADIENTS
from relgauss.descent.step_size import relative_variance_of_isometric, relative_variance_of_rgm
from relgauss.mechanisms import RelativeGaussian
from relgauss.records.blocks import Block, Rows
from relgauss.sensitivity import RelativeSensitivity
from relgauss.spending import Noisy, Spending

_MOST_LOG_NOISE = 1.0  # standard deviation of the logarithm of a released size
_SMALLEST = 1e-140  # far below the float error that every sensitivity here includes


@dataclass(frozen=True, eq=False)
class Quadratic:
    """½ θᵀAθ - bᵀθ of rows shortened to a radius, labels clipped and weighted alike:

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


def clipped_quadratic(rows: Rows, radius: float, label_bound: float) -> Quadratic:
    """One pass over the rows. Weighting the label too keeps a well-specified model unbiased."""
    columns = rows.columns

    def block_sum(block: Block) -> FloatArray:
        weights = shortening(block.norms, radius)
        weighted = np.multiply(block.features, weights[:, None], out=block.room.like(block.features))
        labels = weights * np.clip(block.labels, -label_bound, label_bound)
        return np.concatenate([weighted.T @ weighted, (labels @ weighted)[None, :]])

    moments = rows.total(block_sum) / rows.count
    bounds = RowBounds(rows.count, columns, radius * (1 + (columns + 16) * 2.0**-52), label_bound)
    return Quadratic(moments[:-1], moments[-1], bounds)


@dataclass(frozen=True, eq=False)
class PublicIterateGradients:
    """Plain Gaussian noise at the sensitivity that a public θ has: (R² ||θ|| + 2 R Y)/n."""

    quadratic: Quadratic
    spending: Spending
    step_share: float
    relative_variance: float = 0.0

    def at(self, step: int, theta: FloatArray) -> Self:
        """The same at every step."""
        return self

    def release(self, theta: FloatArray, before: Noisy | None) -> Noisy:
        """Release minus the gradient at theta."""
        return self.spending.release(GRADIENTS, self.quadratic.bounded_pull(theta), self.step_share)


@dataclass(frozen=True, eq=False)
class IsometricGradients:
    """The isometric mechanism at a certified linear sensitivity: mu per step, whatever the certificate.

    A linear bound (eta, r) implies the quadratic (sqrt(1 + t) eta, sqrt(1 + 1/t) r) for every t > 0, whose
    map has the smaller noise; t = r/(eta u) is best at an answer of norm u, which the last release tells.
    """

    quadratic: Quadratic
    sensitivity: RelativeSensitivity
    spending: Spending
    step_share: float

    def at(self, step: int, theta: FloatArray) -> Self:
        """The same at every step."""
        return self

    def release(self, theta: FloatArray, before: Noisy | None) -> Noisy:
        """Release minus the gradient at theta."""
        sensitivity = self.sensitivity.to_quadratic(1.0 if before is None else self._balance(before))
        value = self.spending.release_relative(
            GRADIENTS, self.quadratic.pull(theta), sensitivity, self.step_share
        )
        # The noise at the released norm: a function of what was released.
        local = sensitivity.local_scale(float(np.linalg.norm(value)))
        return Noisy(value, local / self.spending.mu_of(self.step_share))

    @property
    def relative_variance(self) -> float:
        """Of the balanced map; others suit their answers better."""
        multiplier = 1 / self.spending.mu_of(self.step_share)
        eta = math.sqrt(2) * self.sensitivity.eta
        return relative_variance_of_isometric(eta, multiplier, self.quadratic.first.size)

    @property
    def is_mostly_noise(self) -> bool:
        """Whether even the balanced map would leave little of a gradient's size."""
        return self._log_noise(1.0) > _MOST_LOG_NOISE

    def _log_noise(self, t: float) -> float:
        return math.sqrt(1 + t) * self.sensitivity.eta / self.spending.mu_of(self.step_share)

    def _balance(self, before: Noisy) -> float:
        """The best t for an answer like the last, as long as the map does not drown its size in noise."""
        answer = self.sensitivity.eta * float(np.linalg.norm(before.value))
        most = (_MOST_LOG_NOISE / self._log_noise(0.0)) ** 2 - 1
        return min(max(self.sensitivity.r / max(answer, 1e-300), 1e-3), most)


@dataclass(frozen=True, eq=False)
class RelativeGradients:
    """RGM: its guarantee is fixed before the certificate is known, and holds for it or is refused."""

    quadratic: Quadratic
    mechanism: RelativeGaussian
    spending: Spending

    @property
    def relative_variance(self) -> float:
        """The part of the noise that grows with the gradient."""
        return relative_variance_of_rgm(self.mechanism.gamma, self.mechanism.dim)

    def at(self, step: int, theta: FloatArray) -> Self:
        """The same at every step."""
        return self

    def release(self, theta: FloatArray, before: Noisy | None) -> Noisy:
        """Release minus the gradient at theta."""
        value = self.spending.release_planned(self.quadratic.pull(theta), self.mechanism)
        sensitivity = self.mechanism.sensitivity
        multiplier = math.sqrt(self.mechanism.gamma) / sensitivity.eta
        return Noisy(value, multiplier * sensitivity.local_scale(float(np.linalg.norm(value))))
