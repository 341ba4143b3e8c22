"""The experiment on Flower: the app that the nodes' processes import, and a run on this machine."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from flwr.app import ArrayRecord, ConfigRecord, Context, Message, RecordDict
from flwr.clientapp import ClientApp

from relgauss.federated import NodeFacts, RunReport, ServerPlan, private_client
from relgauss.federated.answering import Values
from relgauss.federated.local_run import run_on_this_machine
from relgauss.federated.messages import ARRAYS, GRADIENT, NODE, flat
from relgauss.ledger.spend_record import SpendRecord
from relgauss.nodes.participant import Participant
from relgauss.paper.methods_not_private import NOISELESS
from relgauss.paper.node_objective import NodeObjective
from relgauss.paper.participants import Terms, participant, read_node, record_file, write_node

JOB = "paper"
REPORT = "report.json"
_SECONDS_A_ROUND = 240.0  # the first one has the start of the processes and the setup in it


def _participant_of(context: Context) -> Participant:
    folder, name = Path(str(context.node_config["folder"])), str(context.node_config["name"])
    objective, terms = read_node(folder, name)
    return participant(name, objective, terms, SpendRecord.open(record_file(folder, name)))


def _gradient_not_private(msg: Message, context: Context) -> Message:
    """Reply with the exact gradient: plain gradient descent, for comparison."""
    name = str(context.node_config["name"])
    objective, terms = read_node(Path(str(context.node_config["folder"])), name)
    numbers = {"smoothness": float(np.linalg.eigvalsh(objective.matrix)[-1])}
    facts = NodeFacts(name, objective.dim, terms.rounds, math.inf, 0.0, False, numbers)
    content = RecordDict({NODE: ConfigRecord({"facts": facts.to_json()})})
    if ARRAYS in msg.content:
        content[GRADIENT] = ArrayRecord([objective.gradient(flat(msg.content[ARRAYS]))])
    return Message(content, reply_to=msg)


client = private_client(_participant_of)
client_not_private = ClientApp()
client_not_private.train()(_gradient_not_private)
client_not_private.query()(_gradient_not_private)


def prepare(objectives: Sequence[NodeObjective], terms: Terms, folder: Path) -> dict[str, Values]:
    """Write what each node's process needs; return the configuration of every node."""
    names = [f"node-{number}" for number in range(1, len(objectives) + 1)]
    for name, objective in zip(names, objectives, strict=True):
        write_node(folder, name, objective, terms)
    return {name: {"name": name, "folder": str(folder)} for name in names}


def run_on_flower(objectives: Sequence[NodeObjective], terms: Terms, folder: Path) -> RunReport:
    """All rounds over a process for each objective; nothing is left running."""
    nodes = prepare(objectives, terms, folder)
    which = "client_not_private" if terms.method == NOISELESS else "client"
    plan = ServerPlan(
        JOB, objectives[0].dim, terms.rounds, len(nodes), folder / REPORT, timeout=_SECONDS_A_ROUND
    )
    return run_on_this_machine(f"{__name__}:{which}", nodes, plan, folder)
