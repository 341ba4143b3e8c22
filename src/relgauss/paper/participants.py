"""The experiment's nodes as participants, with agreements and records: illustrative or strict."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from relgauss.budget import Condition
from relgauss.budget.agreement import Agreement
from relgauss.ledger.spend_record import SpendRecord
from relgauss.nodes.participant import Participant
from relgauss.nodes.table import rows_of
from relgauss.paper.constants_not_private import constants_not_private
from relgauss.paper.experiment import DELTA
from relgauss.paper.methods_not_private import METHODS
from relgauss.paper.node_objective import REGULARISER, NodeObjective
from relgauss.paper.strict import strict_guarantee, strict_node, strict_plan
from relgauss.paper.strict_node import LABEL_BOUND, setup_of

_ASSUMED = Condition("the constants, read from the data, hold for all neighbours", "assumed")


@dataclass(frozen=True)
class Terms:
    """How a node takes part: (2, epsilon)-Rényi DP in each round; ``seed`` asks for simulation.

    ``strict`` pays for all that is read from the data; else the constants are the paper's, read for nothing.
    """

    method: str
    strict: bool
    epsilon: float
    rounds: int
    seed: int | None


def participant(name: str, objective: NodeObjective, terms: Terms, record: SpendRecord) -> Participant:
    """A participant for the paper's objective."""
    if terms.strict:
        return _strict(name, objective, terms, record)
    node = METHODS[terms.method](objective, constants_not_private(objective), terms.epsilon, None)
    agreement = Agreement(node.guarantee, terms.rounds, DELTA, conditions=(_ASSUMED,))
    facts = {"smoothness": float(np.linalg.eigvalsh(objective.matrix)[-1])}
    return Participant(name, objective.dim, node, agreement, record, terms.seed, facts)


def _strict(name: str, objective: NodeObjective, terms: Terms, record: SpendRecord) -> Participant:
    strict_guarantee(
        terms.method, terms.epsilon, objective.rows, objective.dim
    )  # out of reach: nothing spent
    plan = strict_plan(terms.epsilon, terms.rounds).after_lost_setups(name, record)
    rows = rows_of(objective.features, objective.labels)
    setup = setup_of(objective, plan.set_up(name, rows, record, terms.seed, LABEL_BOUND))
    node = strict_node(terms.method, setup, terms.epsilon, None)
    agreement = plan.agreement(node.guarantee, setup.problem.bounds.condition)
    facts = {"smoothness": setup.coordinates.largest_eigenvalue + REGULARISER}
    return Participant(name, objective.dim, node, agreement, record, terms.seed, facts)


def write_node(folder: Path, name: str, objective: NodeObjective, terms: Terms) -> None:
    """What a node's process needs: its records, for it alone to read, its terms and its record of spends."""
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(
        folder / f"{name}.npz", features=objective.features, labels=objective.labels, shift=objective.shift
    )
    (folder / f"{name}.json").write_text(json.dumps(asdict(terms)), encoding="utf-8")
    SpendRecord.create(record_file(folder, name))


def record_file(folder: Path, name: str) -> Path:
    """Where a node's record is."""
    return folder / f"{name}.db"


def read_node(folder: Path, name: str) -> tuple[NodeObjective, Terms]:
    """Read back what ``write_node`` wrote."""
    with np.load(folder / f"{name}.npz", allow_pickle=False) as arrays:
        objective = NodeObjective(arrays["features"], arrays["labels"].astype(np.float64), arrays["shift"])
    return objective, Terms(**json.loads((folder / f"{name}.json").read_text(encoding="utf-8")))
