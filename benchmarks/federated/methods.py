"""Every method at one total (epsilon, delta) of a node's run: constants from the data, or all paid for."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

import relgauss as rg
from relgauss.certify import Certified, gradient_sensitivity
from relgauss.errors import MostlyNoiseWarning, NoGuaranteeError
from relgauss.nodes.node import Node
from relgauss.nodes.plan import NodePlan
from relgauss.nodes.regression import clear_setup
from relgauss.nodes.set_up import release_setup
from relgauss.nodes.table import rows_of
from relgauss.nodes.whitened_gradients import AtCertifiedBound, AtPublicPoint
from relgauss.paper.constants_not_private import ConstantsNotPrivate
from relgauss.paper.methods_not_private import ClippedGradient, GradientAtPublicPoint, WholeGradient
from relgauss.paper.node_objective import NodeObjective
from relgauss.paper.strict_node import LABEL_BOUND, setup_of

Build = Callable[[NodeObjective, ConstantsNotPrivate, rg.Budget, int, np.random.Generator], Node]


def clipped(factor: float) -> Build:
    """Records' gradients clipped at a multiple of the largest at the node's own minimum."""

    def build(objective, constants, budget, steps, rng) -> Node:
        threshold = factor * constants.clip_threshold
        bound = rg.AbsoluteSensitivity(2 * threshold / objective.rows)
        mechanism = rg.Gaussian(bound, objective.dim, np.sqrt(steps) / budget.mu)
        return Node(ClippedGradient(objective, threshold, mechanism), mechanism.guarantee, rng)

    return build


def relative(mechanism: str) -> Build:
    """RGM or the isometric mechanism, with the paper's constants."""

    def build(objective, constants, budget, steps, rng) -> Node:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MostlyNoiseWarning)
            made = rg.calibrate(
                constants.sensitivity,
                dim=objective.dim,
                epsilon=budget.epsilon,
                delta=budget.delta,
                steps=steps,
                mechanism=mechanism,
            )
        return Node(WholeGradient(objective, made), made.guarantee, rng)

    return build


def at_public_point(objective, constants, budget, steps, rng) -> Node:
    """Plain Gaussian noise at the bound of the public iterate, with norms from the data."""
    multiplier = float(np.sqrt(steps) / budget.mu)
    return Node(GradientAtPublicPoint(objective, constants, multiplier), rg.GaussianDP(1 / multiplier), rng)


def strict(certified: bool) -> Build:
    """Norms, whitening and, for the isometric mechanism, the certificate are released and paid for."""

    def build(objective, constants, budget, steps, rng) -> Node:
        plan = NodePlan.of(budget, steps, certified=certified)
        plan.check_size(objective.rows, objective.dim)
        rows = rows_of(objective.features, objective.labels)
        released = release_setup(rows, plan.mu_setup, plan.failure, rng, LABEL_BOUND)
        setup = setup_of(objective, clear_setup(released))
        if not certified:
            query = AtPublicPoint(setup.coordinates, setup.problem, plan.noise_multiplier)
            return Node(query, plan.per_round, rng)
        if not isinstance(setup.certificate, Certified):
            raise NoGuaranteeError(setup.certificate.reason, setup.certificate.fix)
        bound = gradient_sensitivity(setup.certificate.rho, setup.problem.bounds)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MostlyNoiseWarning)
            mechanism = rg.IsometricGaussian(bound, objective.dim, plan.noise_multiplier)
        return Node(AtCertifiedBound(setup.coordinates, setup.problem, mechanism), plan.per_round, rng)

    return build


METHODS: dict[str, Build] = {
    "clip at c/10": clipped(0.1),
    "clip at c": clipped(1.0),
    "clip at 10c": clipped(10.0),
    "RGM": relative("relative"),
    "isometric": relative("isometric"),
    "public iterate": at_public_point,
}
STRICT: dict[str, Build] = {
    "isometric, strict": strict(certified=True),
    "public iterate, strict": strict(certified=False),
}
