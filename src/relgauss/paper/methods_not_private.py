"""The lines of the paper's figures and ours beside them, with constants read from the data: not private."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from relgauss.accounting import GaussianDP
from relgauss.arrays import FloatArray
from relgauss.mechanisms import Gaussian, IsometricGaussian, Mechanism
from relgauss.mechanisms.sensitivity import AbsoluteSensitivity
from relgauss.nodes.node import Answer, GradientQuery, Node
from relgauss.paper.constants_not_private import (
    ConstantsNotPrivate,
    relative_by_theorem,
    relative_exactly,
)
from relgauss.paper.node_objective import NodeObjective
from relgauss.paper.panels import ALPHA


@dataclass(frozen=True, eq=False)
class WholeGradient(GradientQuery):
    """The exact gradient, for a mechanism that takes any."""

    objective: NodeObjective
    mechanism: Mechanism

    def answer(self, theta: FloatArray) -> Answer:
        """The exact gradient; that its mechanism's bound holds is assumed."""
        return Answer(self.objective.gradient(theta), self.mechanism)


@dataclass(frozen=True, eq=False)
class ClippedGradient(GradientQuery):
    """The mean of gradients clipped to a fixed threshold: replacing one moves it by at most 2c/n."""

    objective: NodeObjective
    threshold: float
    mechanism: Mechanism

    def answer(self, theta: FloatArray) -> Answer:
        """The mean of gradients that are clipped one by one."""
        return Answer(self.objective.clipped_gradient(theta, self.threshold), self.mechanism)


@dataclass(frozen=True, eq=False)
class GradientAtPublicPoint(GradientQuery):
    """The exact gradient with noise for its absolute bound at the public φ: (R² ||φ|| + 2 R Y)/n."""

    objective: NodeObjective
    constants: ConstantsNotPrivate
    noise_multiplier: float

    def answer(self, theta: FloatArray) -> Answer:
        """The gradient with noise that follows the point; the guarantee is the same at all points."""
        norm = float(np.linalg.norm(theta - self.objective.shift))
        radius, label = self.constants.radius, self.constants.label
        bound = AbsoluteSensitivity((radius**2 * norm + 2 * radius * label) / self.objective.rows)
        mechanism = Gaussian(bound, self.objective.dim, self.noise_multiplier)
        return Answer(self.objective.gradient(theta), mechanism)


Rng = np.random.Generator | None
Build = Callable[[NodeObjective, ConstantsNotPrivate, float, Rng], Node]


def gaussian_mu(epsilon: float) -> float:
    """The mu whose Rényi divergence of the paper's order is epsilon: alpha mu²/2 = epsilon."""
    return math.sqrt(2 * epsilon / ALPHA)


def _node(query: GradientQuery, mechanism: Mechanism, rng: Rng) -> Node:
    return Node(query, mechanism.guarantee, rng)


def _relative_paper(objective: NodeObjective, of: ConstantsNotPrivate, epsilon: float, rng: Rng) -> Node:
    mechanism = relative_by_theorem(of.sensitivity, objective.dim, ALPHA, epsilon)
    return _node(WholeGradient(objective, mechanism), mechanism, rng)


def _relative_exact(objective: NodeObjective, of: ConstantsNotPrivate, epsilon: float, rng: Rng) -> Node:
    mechanism = relative_exactly(of.sensitivity, objective.dim, ALPHA, epsilon)
    return _node(WholeGradient(objective, mechanism), mechanism, rng)


def _isometric(objective: NodeObjective, of: ConstantsNotPrivate, epsilon: float, rng: Rng) -> Node:
    mechanism = IsometricGaussian(of.sensitivity, objective.dim, 1 / gaussian_mu(epsilon))
    return _node(WholeGradient(objective, mechanism), mechanism, rng)


def _public_iterate(objective: NodeObjective, of: ConstantsNotPrivate, epsilon: float, rng: Rng) -> Node:
    multiplier = 1 / gaussian_mu(epsilon)
    return Node(GradientAtPublicPoint(objective, of, multiplier), GaussianDP(1 / multiplier), rng)


def _clipped(factor: float) -> Build:
    def build(objective: NodeObjective, of: ConstantsNotPrivate, epsilon: float, rng: Rng) -> Node:
        threshold = factor * of.clip_threshold
        bound = AbsoluteSensitivity(2 * threshold / objective.rows)
        mechanism = Gaussian(bound, objective.dim, 1 / gaussian_mu(epsilon))
        return _node(ClippedGradient(objective, threshold, mechanism), mechanism, rng)

    return build


NOISELESS, OURS = "noiseless", "isometric"
METHODS: dict[str, Build] = {
    "rgm": _relative_paper,
    "clip": _clipped(1.0),
    "clip-high": _clipped(10.0),
    "clip-low": _clipped(0.1),
    "rgm-exact": _relative_exact,
    OURS: _isometric,
    "public-iterate": _public_iterate,
}
