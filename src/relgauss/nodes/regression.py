"""Nodes for ridge and logistic regression: from a table and a budget to a participant, nothing to guess.

    ridge     f = (1/n) Σ ½ (x_iᵀθ - y_i)² + (reg/2) ||θ||²
    logistic  f = (1/n) Σ log(1 + exp(-y_i x_iᵀθ)) + (reg/2) ||θ||²,   y_i = ±1

Each node finds its own norms and whitening privately, clips its own records and noises its own gradients; no
threshold is agreed on between nodes. An intercept is a column of ones. No record makes a node refuse: what
counts for a missing or absurd value is said in ``table``. Proofs: proofs/nodes.md, proofs/node-points.md,
proofs/durable-record.md.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from relgauss import validate
from relgauss.budget import Budget
from relgauss.certify import Certified, gradient_sensitivity
from relgauss.descent.quadratic import clipped_quadratic
from relgauss.errors import NoGuaranteeError, RefusedReleaseError
from relgauss.ledger.spend_record import SpendRecord
from relgauss.mechanisms import IsometricGaussian
from relgauss.nodes.node import GradientQuery, Node
from relgauss.nodes.participant import Participant
from relgauss.nodes.plan import NodePlan
from relgauss.nodes.set_up import LocalSetup
from relgauss.nodes.table import class_labels, read_table, rows_of, whitened_rows
from relgauss.nodes.whitened_gradients import AtCertifiedBound, AtPublicPoint, Coordinates, LogisticGradient
from relgauss.records.blocks import ArrayRows

RidgeMechanism = Literal["public-iterate", "isometric"]
_LEAST_SIGNAL = 0.85  # of the clearest direction; noise alone shows 0.77, as its floor is 0.3 of its norm
RIDGE_MECHANISMS: tuple[RidgeMechanism, ...] = ("public-iterate", "isometric")


def ridge_participant(
    name: str,
    X: ArrayLike,
    y: ArrayLike,
    *,
    budget: Budget,
    rounds: int,
    record: SpendRecord,
    regulariser: float = 0.0,
    mechanism: RidgeMechanism = "public-iterate",
    seed: int | None = None,
) -> Participant:
    """A node's ridge regression; the default needs no certificate, and its bound is never the larger one."""
    validate.choice("mechanism", mechanism, RIDGE_MECHANISMS)
    rows = read_table(X, y)
    certified = mechanism == "isometric"
    plan = NodePlan.of(budget, rounds, certified=certified).after_lost_setups(name, record)
    plan.check_size(rows.count, rows.columns)
    setup = clear_setup(plan.set_up(name, rows, record, seed))
    problem = clipped_quadratic(whitened_rows(rows, setup.whitening), setup.radius, setup.label_bound)
    coordinates = _coordinates(setup, regulariser)
    query: GradientQuery = AtPublicPoint(coordinates, problem, plan.noise_multiplier)
    if certified:
        if not isinstance(setup.certificate, Certified):
            raise NoGuaranteeError(setup.certificate.reason, setup.certificate.fix)
        bound = gradient_sensitivity(setup.certificate.rho, problem.bounds)
        relative = IsometricGaussian(bound, rows.columns, plan.noise_multiplier)
        query = AtCertifiedBound(coordinates, problem, relative)
    smoothness = coordinates.largest_eigenvalue + coordinates.regulariser
    return _participant(name, rows, query, plan, budget, record, seed, smoothness)


def logistic_participant(
    name: str,
    X: ArrayLike,
    y: ArrayLike,
    *,
    budget: Budget,
    rounds: int,
    record: SpendRecord,
    regulariser: float = 0.0,
    seed: int | None = None,
) -> Participant:
    """A node's logistic regression. A label above 0 is of the one class, every other of the other."""
    table = read_table(X, y)
    rows = rows_of(table.features, class_labels(table.labels))
    plan = NodePlan.of(budget, rounds, certified=False).after_lost_setups(name, record)
    plan.check_size(rows.count, rows.columns)
    setup = clear_setup(plan.set_up(name, rows, record, seed, label_bound=1.0))
    coordinates = _coordinates(setup, regulariser)
    moved = whitened_rows(rows, setup.whitening)
    query = LogisticGradient(coordinates, moved, setup.radius, plan.noise_multiplier)
    smoothness = coordinates.largest_eigenvalue / 4 + coordinates.regulariser
    return _participant(name, rows, query, plan, budget, record, seed, smoothness)


def clear_setup(setup: LocalSetup) -> LocalSetup:
    """Refuse to take part where the setup is all noise: such a node would only disturb the others."""
    if setup.signal < _LEAST_SIGNAL:
        raise RefusedReleaseError(
            "Nothing in this node's features stands out of the noise of its setup.",
            "Join it with another node, or spend more.",
        )
    return setup


def _coordinates(setup: LocalSetup, regulariser: float) -> Coordinates:
    weight = validate.nonnegative("regulariser", regulariser, "Pass the weight of the penalty, or 0.")
    return Coordinates(setup.whitening, np.zeros(len(setup.whitening)), weight)


def _participant(
    name: str,
    rows: ArrayRows,
    query: GradientQuery,
    plan: NodePlan,
    budget: Budget,
    record: SpendRecord,
    seed: int | None,
    smoothness: float,
) -> Participant:
    agreement = plan.agreement(plan.per_round)
    agreement.check(budget)
    facts = {"records": float(rows.count), "smoothness": smoothness}
    return Participant(
        name, rows.columns, Node(query, plan.per_round), agreement, record, seed=seed, facts=facts
    )
