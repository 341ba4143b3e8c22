"""A node's regression in its own whitened coordinates, asked at public points of common ones.

    z = x M,  w = min(1, R/||z||),  φ = theta - shift,  φ̂ = M^{-1} φ
    released: the gradient at φ̂ of the clipped, whitened records;   then in public: M^{-T}(·) + reg φ

Proofs: proofs/certificates.md, proofs/nodes.md, proofs/node-points.md.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.bounded.answer import BoundedAnswer
from relgauss.descent.clipped_gradients import clipped_pull
from relgauss.descent.objectives import Logistic
from relgauss.descent.quadratic import Quadratic
from relgauss.mechanisms import Gaussian, Mechanism
from relgauss.nodes.node import Answer, GradientQuery, refuse_far
from relgauss.records.blocks import Rows


@dataclass(frozen=True, eq=False)
class Coordinates:
    """The public way between common coordinates and a node's own.

    Attributes
    ----------
    whitening
        M: the node's rows are x M.
    shift
        The point of common coordinates that is the origin of the node's own.
    regulariser
        The penalty's weight; its gradient is added in public.
    """

    whitening: FloatArray
    shift: FloatArray
    regulariser: float

    @cached_property
    def _back(self) -> FloatArray:
        return np.asarray(np.linalg.inv(self.whitening), dtype=np.float64)

    @property
    def largest_eigenvalue(self) -> float:
        """The largest eigenvalue of the released covariance that the whitening is made from."""
        return float(1 / np.square(np.linalg.norm(self.whitening, axis=0)).min())

    def own(self, theta: FloatArray) -> FloatArray:
        """φ̂ of a public point; not finite where it overflows."""
        with np.errstate(all="ignore"):
            return self._back @ (np.asarray(theta) - self.shift)

    def in_public(self, theta: FloatArray, released: FloatArray) -> FloatArray:
        """A released gradient in the coordinates of theta, with the regulariser's own."""
        return self._back.T @ np.asarray(released) + self.regulariser * (np.asarray(theta) - self.shift)


@dataclass(frozen=True, eq=False)
class WhitenedGradient(GradientQuery):
    """A gradient in the node's own coordinates, brought back to the common ones after release."""

    coordinates: Coordinates

    @abstractmethod
    def answer_own(self, point: FloatArray) -> Answer:
        """The gradient at this public point of the node's own coordinates."""

    def admit(self, theta: FloatArray) -> None:
        """Refuse a point that is far out in the node's own coordinates, which were released."""
        refuse_far(self.coordinates.own(theta))

    def answer(self, theta: FloatArray) -> Answer:
        """The gradient at a point of the common coordinates."""
        return self.answer_own(self.coordinates.own(theta))

    def finish(self, theta: FloatArray, released: FloatArray) -> FloatArray:
        """The release in the coordinates of theta, with the regulariser's gradient."""
        return self.coordinates.in_public(theta, released)


@dataclass(frozen=True, eq=False)
class AtPublicPoint(WhitenedGradient):
    """A φ̂ - b with plain Gaussian noise at the bound of the public point: no certificate is needed."""

    problem: Quadratic
    noise_multiplier: float

    def answer_own(self, point: FloatArray) -> Answer:
        """The gradient with noise that follows the point; the guarantee is the same at all points."""
        return _with_gaussian_noise(self.problem.bounded_pull(point), self.noise_multiplier)


@dataclass(frozen=True, eq=False)
class AtCertifiedBound(WhitenedGradient):
    """A φ̂ - b with a relative mechanism at the certified bound, one for all points."""

    problem: Quadratic
    mechanism: Mechanism

    def answer_own(self, point: FloatArray) -> Answer:
        """The gradient, with the one mechanism that serves all points."""
        return Answer(-self.problem.pull(point), self.mechanism)


@dataclass(frozen=True, eq=False)
class LogisticGradient(WhitenedGradient):
    """The gradient of the logistic loss, each record's clipped to the norm ``clip_radius``.

    A record pulls its score by at most 1, so only rows longer than that are ever clipped.
    """

    rows: Rows
    clip_radius: float
    noise_multiplier: float

    def answer_own(self, point: FloatArray) -> Answer:
        """The mean of the clipped gradients, of which two differ by at most 2 clip_radius.

        Proof: proofs/regression.md.
        """
        pull = clipped_pull(self.rows, point, Logistic(), self.clip_radius)
        return _with_gaussian_noise(pull, self.noise_multiplier)


def _with_gaussian_noise(pull: BoundedAnswer, noise_multiplier: float) -> Answer:
    """A gradient, the opposite of its pull, with noise for the bound that comes with it."""
    return Answer(-pull.value, Gaussian(pull.sensitivity, pull.value.size, noise_multiplier))
