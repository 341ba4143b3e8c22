"""The panels again with nothing read from the data outside a budget, and the whole run's epsilon.

Every step keeps the panel's Rényi guarantee, as in the paper. What it reads from the data costs a quarter of
that again, in mu², and a tenth of delta for the certificate.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from relgauss.accounting import GaussianDP, Guarantee
from relgauss.arrays import FloatArray
from relgauss.budget import PrivacyStatement
from relgauss.certify import Certified, gradient_sensitivity
from relgauss.errors import NoGuaranteeError, UnreachableTargetError
from relgauss.mechanisms import Mechanism, RelativeGaussian
from relgauss.mechanisms.registry import exactly_gaussian
from relgauss.mechanisms.sensitivity import RelativeSensitivity
from relgauss.nodes.node import Node
from relgauss.nodes.plan import NodePlan
from relgauss.nodes.whitened_gradients import AtCertifiedBound, AtPublicPoint, WhitenedGradient
from relgauss.paper.constants_not_private import relative_exactly
from relgauss.paper.dataset import Dataset
from relgauss.paper.experiment import DELTA, Curve, PanelResult, Progress, Trace
from relgauss.paper.methods_not_private import NOISELESS, OURS, gaussian_mu
from relgauss.paper.node_objective import REGULARISER, NodeObjective
from relgauss.paper.panels import ALPHA, STEPS, Panel, split_over_nodes
from relgauss.paper.strict_node import Setup, set_up

_SETUP = 0.25  # of the mu² of all steps
_FAILURE = 0.1 * DELTA
_DESIGN = 10.0  # RGM's guarantee is fixed for eta <= 10 d/n before anything is released

METHODS = ("rgm-exact", OURS, "public-iterate")


def strict_guarantee(method: str, epsilon: float, rows: int, dim: int) -> Guarantee:
    """What each step costs: a function of public numbers, fixed before the first release."""
    if method == "rgm-exact":
        return _design(1.0, rows, dim, epsilon).guarantee
    return GaussianDP(1 / (1 / gaussian_mu(epsilon)))


def strict_node(method: str, setup: Setup, epsilon: float, rng: np.random.Generator | None) -> Node:
    """A node for this method; raises NoGuaranteeError where the certificate does not carry it."""
    bounds = setup.problem.bounds
    guarantee = strict_guarantee(method, epsilon, bounds.count, bounds.dim)
    multiplier = 1 / gaussian_mu(epsilon)
    if method == "public-iterate":
        return Node(AtPublicPoint(setup.coordinates, setup.problem, multiplier), guarantee, rng)
    if not isinstance(setup.certificate, Certified):
        raise NoGuaranteeError(setup.certificate.reason, setup.certificate.fix)
    bound = gradient_sensitivity(setup.certificate.rho, bounds)
    if method == OURS:
        mechanism: Mechanism = exactly_gaussian(bound, bounds.dim, multiplier)
        return Node(AtCertifiedBound(setup.coordinates, setup.problem, mechanism), guarantee, rng)
    design = _design(bound.r, bounds.count, bounds.dim, epsilon)
    if bound.eta > design.sensitivity.eta:
        raise NoGuaranteeError(
            f"it was fixed for η up to {design.sensitivity.eta:.2g}; the certificate gives {bound.eta:.2g}.",
            "Use a mechanism whose guarantee needs no such plan.",
        )
    mechanism = replace(design, sensitivity=replace(design.sensitivity, provenance="certified"))
    return Node(AtCertifiedBound(setup.coordinates, setup.problem, mechanism), guarantee, rng)


def _design(r: float, rows: int, dim: int, epsilon: float) -> RelativeGaussian:
    """RGM for the planned eta; its guarantee does not depend on r."""
    return relative_exactly(RelativeSensitivity(_DESIGN * dim / rows, r, "linear"), dim, ALPHA, epsilon)


def strict_plan(epsilon: float, steps: int = STEPS) -> NodePlan:
    """What a node spends on its setup and on each step, as a plan."""
    mu = gaussian_mu(epsilon)
    return NodePlan(mu * math.sqrt(_SETUP * steps), mu, steps, DELTA, _FAILURE)


def run_panel_strict(
    panel: Panel,
    data: Dataset,
    runs: int,
    splits: np.random.Generator,
    noise: np.random.Generator | None,
    progress: Progress | None = None,
) -> PanelResult:
    """Every method with its own setup, each time; ``noise`` None is secure noise.

    ``splits`` only says which records the two nodes hold.
    """
    errors: dict[str, list[FloatArray]] = {NOISELESS: [], **{method: [] for method in METHODS}}
    epsilons: dict[str, float | None] = {NOISELESS: None}
    missing: dict[str, str] = {}
    for _ in range(runs):
        objectives = split_over_nodes(data, panel.split, splits)
        trace = Trace(objectives)
        errors[NOISELESS].append(trace.noiseless())
        for method in METHODS:
            try:
                nodes, statements = _set_up_all(method, objectives, panel.epsilon, noise)
            except (NoGuaranteeError, UnreachableTargetError) as refusal:
                missing[method] = refusal.cause
            else:
                errors[method].append(trace.of(nodes, _released_step_size(nodes)))
                if method not in epsilons:
                    epsilons[method] = max(statement.epsilon() for statement in statements)
            if progress is not None:
                progress(1, f"{panel.name}, {method}")
    curves = [
        Curve(name, np.array(each), epsilons[name]) for name, each in errors.items() if len(each) == runs
    ]
    return PanelResult(panel, data.source, tuple(curves), missing, strict=True, simulated=noise is not None)


def _set_up_all(
    method: str, objectives: list[NodeObjective], epsilon: float, rng: np.random.Generator | None
) -> tuple[list[Node], list[PrivacyStatement]]:
    """The nodes and what each has promised to its records."""
    mu = strict_plan(epsilon).mu_setup
    nodes, statements = [], []
    for objective in objectives:
        strict_guarantee(method, epsilon, objective.rows, objective.dim)  # out of reach: before any release
        setup = set_up(objective, mu, _FAILURE, rng)
        node = strict_node(method, setup, epsilon, rng)
        descent = node.charge("proofs/nodes.md", (setup.problem.bounds.condition,), STEPS)
        nodes.append(node)
        statements.append(PrivacyStatement((*setup.charges, descent), DELTA, simulated=rng is not None))
    return nodes, statements


def _released_step_size(nodes: list[Node]) -> float:
    """The paper's rule, on the released covariances."""
    queries = [node.query for node in nodes if isinstance(node.query, WhitenedGradient)]
    return 0.5 / (max(query.coordinates.largest_eigenvalue for query in queries) + REGULARISER)
