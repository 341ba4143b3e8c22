"""Gradient descent on released gradients, the average that is kept of it, and what errors that has."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.spending import Noisy


@dataclass(frozen=True, eq=False)
class State:
    """Where descent stands: a point, public as it is made of releases, and how many steps led to it."""

    theta: FloatArray
    step: int = 0


class GradientMechanism(Protocol):
    """Releases gradients of an objective at public points; what it spends is its own affair."""

    @property
    def relative_variance(self) -> float:
        """v, if the noise has mean square v ||gradient||² + s²: proofs/utility.md."""

    def at(self, state: State) -> Self:
        """The mechanism for the step from this state, should it adapt to the point first."""

    def release(self, theta: FloatArray, before: Noisy | None) -> Noisy:
        """Minus the gradient at theta, with noise, and the noise's standard deviation.

        ``before`` is the last release, for mechanisms that adapt to it.
        """


def largest_step(smoothness: float, relative_variance: float) -> float:
    """1/(L (1 + v)), for gradient noise of mean square v ||g||² + s², summed over all coordinates.

    The paper's 1/(L + gamma) leaves out that noise has d coordinates: v = d gamma. Proof: proofs/utility.md.
    """
    return 1 / (smoothness * (1 + relative_variance))


@dataclass(frozen=True, eq=False)
class Landscape:
    """What is public about the objective: a step S, the penalty's matrix P, and a ball to stay in.

        θ <- project((I + S P)^{-1} (θ + S pull))

    S is a number times the identity, or the inverse of a released curvature. The penalty's part of a step is
    implicit: exact, and stable however large P is in some directions.
    """

    step: FloatArray  # S
    penalty: FloatArray  # P
    contraction: FloatArray  # (I + S P)^{-1}
    ball: float

    @classmethod
    def of(cls, step_size: float, penalty: FloatArray, ball: float) -> Landscape:
        """The landscape of a penalty ½ θᵀPθ, with iterates of norm at most ``ball``."""
        values, vectors = np.linalg.eigh(penalty)
        kept = 1 / (1 + step_size * np.maximum(values, 0.0))  # a penalty is never negative, but for rounding
        return cls(step_size * np.eye(len(penalty)), penalty, (vectors * kept) @ vectors.T, ball)

    def with_step(self, step: FloatArray) -> Landscape:
        """The same with another step S, positive, of root R: (I + S P)^{-1} = R (I + R P R)^{-1} R^{-1}.

        In this form nothing is singular, however large a penalty is in some directions.
        """
        lengths, directions = np.linalg.eigh(step)
        root = (directions * np.sqrt(lengths)) @ directions.T
        values, vectors = np.linalg.eigh(root @ self.penalty @ root)
        kept = (vectors / (1 + np.maximum(values, 0.0))) @ vectors.T
        inverse_root = (directions / np.sqrt(lengths)) @ directions.T
        return Landscape(step, self.penalty, root @ kept @ inverse_root, self.ball)

    @property
    def step_size(self) -> float:
        """The size of a step, in the root of the mean square over directions."""
        return float(np.linalg.norm(self.step) / math.sqrt(len(self.step)))

    def advance(self, state: State, pull: FloatArray) -> State:
        """One step along a released pull; one that overflows stays where it is."""
        theta = self.contraction @ (state.theta + self.step @ pull)
        norm = float(np.linalg.norm(theta))
        if not math.isfinite(norm):
            return State(state.theta, state.step + 1)
        return State(theta * min(1.0, self.ball / norm) if norm else theta, state.step + 1)


@dataclass(frozen=True, eq=False)
class Average:
    """A weighted mean of the last iterates, and the standard deviation of its noise in a white direction.

    ``weights`` are those of the iterates.
    """

    theta: FloatArray
    noise_std: float
    weights: FloatArray


def average(points: list[FloatArray], noise_stds: list[float], step_size: float) -> Average:
    """Each point weighs as much as the gradient that led to it is precise: weight 1/std².

    Where the objective's curvature is 1/step_size, a point carries one gradient's noise, so the mean's noise
    is step_size/sqrt(Σ 1/std²).
    """
    precision = 1 / np.square(np.maximum(noise_stds, np.finfo(np.float64).tiny ** 0.25))
    weights = precision / precision.sum()
    return Average(weights @ np.stack(points), step_size / math.sqrt(precision.sum()), weights)


def shrink(theta: FloatArray, noise_std: float) -> FloatArray:
    """James and Stein's estimate: θ max(0, 1 - (d - 2) std²/||θ||²), never worse than θ for d >= 3."""
    size = float(theta @ theta)
    excess = max(theta.size - 2, 0) * noise_std**2
    return theta * max(0.0, 1 - excess / size) if size > 0 else theta


@dataclass(frozen=True, eq=False)
class Descended:
    """Where descent ended: the average, the std of every step's noise, and the last step's mechanism."""

    average: Average
    noise_stds: list[float]
    last: GradientMechanism


def descend(
    gradients: GradientMechanism, landscape: Landscape, start: FloatArray, steps: int, unaveraged: int
) -> Descended:
    """Take so many steps along released gradients, and average the points.

    The first ``unaveraged`` points, which still carry the start, are left out.
    """
    state, points, noise = State(start), [], []
    released: Noisy | None = None
    while state.step < steps:
        gradients = gradients.at(state)
        released = gradients.release(state.theta, released)
        state = landscape.advance(state, released.value)
        noise.append(released.noise_std)
        if state.step > unaveraged:
            points.append(state.theta)
    return Descended(average(points, noise[unaveraged:], landscape.step_size), noise, gradients)


def filtered_noise(hessian: FloatArray, landscape: Landscape, end: Descended) -> FloatArray:
    """The covariance that the noise of all steps leaves in the average: exact where H is constant.

    The noise of step s enters point t >= s as (C (I - S H))^{t - s} C S noise.
    """
    weights, steps = end.average.weights, len(end.noise_stds)
    entry = landscape.contraction @ landscape.step
    decay = landscape.contraction @ (np.eye(len(hessian)) - landscape.step @ hessian)
    powers = [np.eye(len(hessian))]
    for _ in range(steps - 1):
        powers.append(powers[-1] @ decay)
    unaveraged = steps - len(weights)
    total = np.zeros_like(hessian)
    for step, noise_std in enumerate(end.noise_stds):
        later = range(max(step, unaveraged), steps)
        passed = sum((weights[t - unaveraged] * powers[t - step] for t in later), np.zeros_like(hessian))
        part = noise_std * passed @ entry
        total += part @ part.T
    return total


def leftover(hessian: FloatArray, landscape: Landscape, end: Descended) -> FloatArray:
    """L, the part of the start's error that is left in the average: the average of the powers by which steps
    shrink it. A curvature that falls on the way, as that of a classifier does, makes L too large rather than
    too small.
    """
    weights, steps = end.average.weights, len(end.noise_stds)
    identity = np.eye(len(hessian))
    decay = landscape.contraction @ (identity - landscape.step @ hessian)
    power, left = identity, np.zeros_like(hessian)
    for step in range(steps):
        power = power @ decay
        if step >= steps - len(weights):
            left += weights[step - steps + len(weights)] * power
    return left
