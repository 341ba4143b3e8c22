"""Gradient descent on released gradients, and the average that is kept of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.spending import Noisy


class GradientMechanism(Protocol):
    """Releases gradients of an objective at public points; what it spends is its own affair."""

    @property
    def relative_variance(self) -> float:
        """v, if the noise has mean square v ||gradient||² + s²: proofs/utility.md."""

    def at(self, step: int, theta: FloatArray) -> Self:
        """The mechanism for this step, should it look at the point first."""

    def release(self, theta: FloatArray, before: Noisy | None) -> Noisy:
        """Minus the gradient at theta, with noise, and the noise's standard deviation.

        ``before`` is the last release, for mechanisms that adapt to it.
        """


@dataclass(frozen=True, eq=False)
class State:
    """Where descent is: a public point, and the number of steps that led to it."""

    theta: FloatArray
    step: int = 0


@dataclass(frozen=True, eq=False)
class Landscape:
    """What is public about the objective: a step size, the penalty's matrix P, and a ball to stay in.

        θ <- project((I + step P)^{-1} (θ + step pull))

    The penalty's part of a step is implicit: exact, and stable however large P is in some directions.
    """

    step: float
    contraction: FloatArray  # (I + step P)^{-1}
    ball: float

    @classmethod
    def of(cls, step: float, penalty: FloatArray, ball: float) -> Landscape:
        """The landscape of a penalty ½ θᵀPθ."""
        values, vectors = np.linalg.eigh(penalty)
        kept = 1 / (1 + step * np.maximum(values, 0.0))  # a penalty is never negative, but for rounding
        return cls(step, (vectors * kept) @ vectors.T, ball)

    def advance(self, state: State, pull: FloatArray) -> State:
        """One step along a released pull."""
        theta = self.contraction @ (state.theta + self.step * pull)
        norm = float(np.linalg.norm(theta))
        if not math.isfinite(norm):
            return State(state.theta, state.step + 1)
        moved = theta * min(1.0, self.ball / norm) if norm else theta
        return State(moved, state.step + 1)


@dataclass(frozen=True, eq=False)
class Average:
    """A weighted mean of iterates, and the standard deviation of its noise in a well-whitened direction."""

    theta: FloatArray
    noise_std: float


def average(points: list[FloatArray], noise_stds: list[float], step: float) -> Average:
    """Each point weighs as much as the gradient that led to it is precise: weight 1/std².

    Where the objective's curvature is 1/step, a point carries one gradient's noise, so the mean's noise is
    step/sqrt(Σ 1/std²).
    """
    precision = 1 / np.square(np.maximum(noise_stds, np.finfo(np.float64).tiny ** 0.25))
    theta = (precision / precision.sum()) @ np.stack(points)
    return Average(theta, step / math.sqrt(precision.sum()))


def shrink(theta: FloatArray, noise_std: float) -> FloatArray:
    """James and Stein's estimate: θ max(0, 1 - (d - 2) std²/||θ||²), never worse than θ for d >= 3."""
    size = float(theta @ theta)
    excess = max(theta.size - 2, 0) * noise_std**2
    return theta * max(0.0, 1 - excess / size) if size > 0 else theta


def descend(
    gradients: GradientMechanism, landscape: Landscape, start: FloatArray, steps: int, unaveraged: int
) -> Average:
    """Take steps along released gradients, and average all points but the first, which carry the start."""
    state, points, noise = State(start), [], []
    released: Noisy | None = None
    for step in range(steps):
        gradients = gradients.at(step, state.theta)
        released = gradients.release(state.theta, released)
        state = landscape.advance(state, released.value)
        if step >= unaveraged:
            points.append(state.theta)
            noise.append(released.noise_std)
    return average(points, noise, landscape.step)
