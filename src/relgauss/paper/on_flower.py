"""The experiment on Flower: apps that its processes import, and a run with two SuperNodes on this machine."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from flwr.app import ArrayRecord, ConfigRecord, Context, Message, RecordDict
from flwr.clientapp import ClientApp

from relgauss.errors import RelgaussError
from relgauss.federated import NodeFacts, RunReport, ServerPlan, private_client, private_server
from relgauss.federated.local_flower import App, LocalFlower, Values
from relgauss.federated.messages import ARRAYS, GRADIENT, NODE, flat
from relgauss.nodes.participant import Participant
from relgauss.nodes.spend_record import SpendRecord
from relgauss.paper.methods_not_private import NOISELESS
from relgauss.paper.participants import Terms, participant, read_node, record_file, write_node
from relgauss.paper.quadratic import Quadratic

REPORT = "report.json"
_SECONDS_A_ROUND = 60.0  # process starts are slow on a busy machine
_SECONDS_AROUND = 240.0


def _participant_of(context: Context) -> Participant:
    folder, name = Path(str(context.node_config["folder"])), str(context.node_config["name"])
    objective, terms = read_node(folder, name)
    return participant(name, objective, terms, SpendRecord.open(record_file(folder, name)))


def _plan_of(context: Context) -> ServerPlan:
    config = context.run_config
    return ServerPlan(
        str(config["job"]),
        int(config["dim"]),
        int(config["rounds"]),
        int(config["nodes"]),
        Path(str(config["file"])),
        timeout=_SECONDS_A_ROUND,
    )


def _gradient_not_private(msg: Message, context: Context) -> Message:
    """Plain gradient descent, for comparison."""
    name = str(context.node_config["name"])
    objective, terms = read_node(Path(str(context.node_config["folder"])), name)
    numbers = {"smoothness": float(np.linalg.eigvalsh(objective.matrix)[-1])}
    facts = NodeFacts(name, objective.dim, terms.rounds, math.inf, 0.0, False, numbers)
    content = RecordDict({NODE: ConfigRecord({"facts": facts.to_json()})})
    if ARRAYS in msg.content:
        content[GRADIENT] = ArrayRecord([objective.gradient(flat(msg.content[ARRAYS]))])
    return Message(content, reply_to=msg)


client = private_client(_participant_of)
server = private_server(_plan_of)
client_not_private = ClientApp()
client_not_private.train()(_gradient_not_private)
client_not_private.query()(_gradient_not_private)


def prepare(objectives: Sequence[Quadratic], terms: Terms, folder: Path) -> tuple[App, dict[str, Values]]:
    """Write what each node's process needs; return the app and the configuration of every SuperNode."""
    names = [f"node-{number}" for number in range(1, len(objectives) + 1)]
    for name, objective in zip(names, objectives, strict=True):
        write_node(folder, name, objective, terms)
    config = {"job": "paper", "dim": objectives[0].dim, "rounds": terms.rounds, "nodes": len(names)}
    which = "client_not_private" if terms.method == NOISELESS else "client"
    app = App(f"{__name__}:{which}", f"{__name__}:server", config | {"file": str(folder / REPORT)})
    return app, {name: {"name": name, "folder": str(folder)} for name in names}


def run_on_flower(objectives: Sequence[Quadratic], terms: Terms, folder: Path) -> RunReport:
    """All rounds over a SuperLink and a SuperNode for each objective; nothing is left running."""
    app, nodes = prepare(objectives, terms, folder)
    with LocalFlower(folder) as flower:
        for name, config in nodes.items():
            flower.start_node(name, config)
        flower.run(app, _SECONDS_AROUND + terms.rounds * _SECONDS_A_ROUND)
    if not (folder / REPORT).exists():
        raise RelgaussError("The run on Flower left no report.", f"See the logs in {folder}.")
    report = RunReport.read(folder / REPORT)
    if not report.rounds:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in report.refused.items())
        raise RelgaussError(
            f"No round was run over Flower. {reasons}", "Check the data and the number of rounds."
        )
    return report
