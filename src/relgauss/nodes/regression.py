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
from relgauss.budget.agreement import Agreement
from relgauss.certify import Certified, gradient_sensitivity
from relgauss.descent.quadratic import clipped_quadratic
from relgauss.errors import InvalidParameterError, NoGuaranteeError, RefusedReleaseError
from relgauss.ledger import Ledger, NodeRecord, SpendRecord
from relgauss.mechanisms.registry import exactly_gaussian
from relgauss.nodes.node import GradientQuery, Node
from relgauss.nodes.participant import Participant
from relgauss.nodes.plan import NodePlan
from relgauss.nodes.set_up import LocalSetup
from relgauss.nodes.table import Table, class_labels, read_table, whitened_rows
from relgauss.nodes.whitened_gradients import AtCertifiedBound, AtPublicPoint, Coordinates, LogisticGradient

RidgeMechanism = Literal["public-iterate", "isometric"]
_LEAST_SIGNAL = 0.85  # of the clearest direction; noise alone shows 0.77, as its floor is 0.3 of its norm
RIDGE_MECHANISMS: tuple[RidgeMechanism, ...] = ("public-iterate", "isometric")


@np.errstate(all="ignore")  # whatever the process asked for: a warning would tell of a record
def ridge_participant(
    name: str,
    X: ArrayLike,
    y: ArrayLike,
    *,
    budget: Budget,
    rounds: int,
    record: SpendRecord | None = None,
    ledger: Ledger | None = None,
    regulariser: float = 0.0,
    mechanism: RidgeMechanism = "public-iterate",
    seed: int | None = None,
) -> Participant:
    """A node of a ridge regression, set up and ready to reply to requests.

        f(θ) = (1/n) Σ ½ (x_iᵀθ - y_i)² + (regulariser/2) ||θ||²

    Parameters
    ----------
    name
        The node's name: with ``record`` it stands for this one set of records, also after a restart.
    X
        The features, a row for each record. NaN counts as 0; an intercept is a column of ones.
    y
        The labels, one for each record.
    budget
        What the node may spend in all, set-up and rounds together.
    rounds
        How many requests it will answer at most.
    record
        The durable record of what was spent, if the node has one of its own.
    ledger
        In place of a record: the ledger of the records, where all that the node agrees on is reserved before
        its set-up, and which then holds the record.
    regulariser
        The weight of the penalty, at least 0; the same at all nodes.
    mechanism
        "public-iterate" is Gaussian noise at a bound that follows the public point. It needs no certificate,
        and its bound is never larger than the relative one. "isometric" certifies the least eigenvalue first
        and makes its noise relative to the gradient.
    seed
        Asks for simulated noise, which can be repeated and is not private; None, for secure noise.

    Returns
    -------
    Participant
        Its ``statement`` is the promise of the whole run, its ``reply`` answers a request.
    """
    validate.choice("mechanism", mechanism, RIDGE_MECHANISMS)
    table = read_table(X, y)
    certified = mechanism == "isometric"
    kept = _record(record, ledger)
    plan, agreement = _agree(name, table, budget, rounds, kept, seed, certified=certified)
    rows = table.rows()
    setup = clear_setup(plan.set_up(name, rows, kept, seed))
    problem = clipped_quadratic(whitened_rows(rows, setup.whitening), setup.clip_radius, setup.label_bound)
    coordinates = _coordinates(setup, regulariser)
    query: GradientQuery = AtPublicPoint(coordinates, problem, plan.noise_multiplier)
    if certified:
        if not isinstance(setup.certificate, Certified):
            raise NoGuaranteeError(setup.certificate.reason, setup.certificate.fix)
        bound = gradient_sensitivity(setup.certificate.rho, problem.bounds)
        relative = exactly_gaussian(bound, rows.columns, plan.noise_multiplier)
        query = AtCertifiedBound(coordinates, problem, relative)
    smoothness = coordinates.largest_eigenvalue + coordinates.regulariser
    return _participant(name, table, Node(query, plan.per_round), agreement, kept, seed, smoothness)


@np.errstate(all="ignore")  # as above
def logistic_participant(
    name: str,
    X: ArrayLike,
    y: ArrayLike,
    *,
    budget: Budget,
    rounds: int,
    record: SpendRecord | None = None,
    ledger: Ledger | None = None,
    regulariser: float = 0.0,
    seed: int | None = None,
) -> Participant:
    """A node of a logistic regression, set up and ready to reply to requests.

        f(θ) = (1/n) Σ log(1 + exp(-y_i x_iᵀθ)) + (regulariser/2) ||θ||²,   y_i = ±1

    Parameters
    ----------
    name
        The node's name: with ``record`` it stands for this one set of records, also after a restart.
    X
        The features, a row for each record. NaN counts as 0; an intercept is a column of ones.
    y
        The labels, one for each record: above 0 is one class, everything else the other.
    budget
        What the node may spend in all, set-up and rounds together.
    rounds
        How many requests it will answer at most.
    record
        The durable record of what was spent, if the node has one of its own.
    ledger
        In place of a record: the ledger of the records, where all that the node agrees on is reserved before
        its set-up, and which then holds the record.
    regulariser
        The weight of the penalty, at least 0; the same at all nodes.
    seed
        Asks for simulated noise, which can be repeated and is not private; None, for secure noise.

    Returns
    -------
    Participant
        Its ``statement`` is the promise of the whole run, its ``reply`` answers a request.
    """
    table = read_table(X, y)
    table = table._replace(labels=class_labels(table.labels))
    kept = _record(record, ledger)
    plan, agreement = _agree(name, table, budget, rounds, kept, seed, certified=False)
    rows = table.rows()
    setup = clear_setup(plan.set_up(name, rows, kept, seed, label_bound=1.0))
    coordinates = _coordinates(setup, regulariser)
    moved = whitened_rows(rows, setup.whitening)
    query = LogisticGradient(coordinates, moved, setup.clip_radius, plan.noise_multiplier)
    smoothness = coordinates.largest_eigenvalue / 4 + coordinates.regulariser
    return _participant(name, table, Node(query, plan.per_round), agreement, kept, seed, smoothness)


def _record(record: SpendRecord | None, ledger: Ledger | None) -> SpendRecord:
    """The record of its own that a node has, or the one that its ledger holds."""
    if ledger is not None and record is None:
        return NodeRecord(ledger)
    if ledger is None and isinstance(record, SpendRecord):
        return record
    fix = "Pass record=SpendRecord.open(file), or ledger=Ledger.open(file)."
    raise InvalidParameterError("record", record, "given, or ledger in its place", fix)


def _agree(
    name: str,
    table: Table,
    budget: Budget,
    rounds: int,
    record: SpendRecord,
    seed: int | None,
    *,
    certified: bool,
) -> tuple[NodePlan, Agreement]:
    """Fix what the node promises, check it and reserve it: all before anything is drawn."""
    plan = NodePlan.of(budget, rounds, certified=certified).after_lost_setups(name, record)
    plan.check_cost(budget)
    agreement = plan.agreement(plan.per_round)
    plan.check_size(*table.shape)
    record.fund(name, plan.whole(budget, is_simulated=seed is not None))
    return plan, agreement


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
    table: Table,
    node: Node,
    agreement: Agreement,
    record: SpendRecord,
    seed: int | None,
    smoothness: float,
) -> Participant:
    count, dim = table.shape
    facts = {"records": float(count), "smoothness": smoothness}
    return Participant(name, dim, node, agreement, record, seed=seed, facts=facts)
