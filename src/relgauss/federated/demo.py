"""The demonstration: the app that the processes of both nodes import, and its run on this machine."""

from __future__ import annotations

from pathlib import Path

from flwr.app import Context

from relgauss.budget import Budget
from relgauss.federated.answering import Values
from relgauss.federated.client import private_client
from relgauss.federated.demo_data import DIM, NODES, table
from relgauss.federated.local_run import run_on_this_machine
from relgauss.federated.run_report import RunReport
from relgauss.federated.server import ServerPlan
from relgauss.ledger.spend_record import SpendRecord
from relgauss.nodes.participant import Participant
from relgauss.nodes.regression import ridge_participant

BUDGET = Budget(1.0, 1e-6)  # of each node, for its set-up and all its rounds


def _participant_of(context: Context) -> Participant:
    config = context.node_config
    name = str(config["name"])
    records = table(name)
    return ridge_participant(
        name,
        records.features,
        records.labels,
        budget=BUDGET,
        rounds=int(config["rounds"]),
        record=SpendRecord.open(str(config["spends"])),
        seed=int(config["seed"]) if "seed" in config else None,
    )


client = private_client(_participant_of)


def run_demo(rounds: int, seed: int | None, folder: Path) -> RunReport:
    """Both nodes for so many rounds.

    Parameters
    ----------
    rounds
        How many rounds are agreed on, and made.
    seed
        Asks for simulated noise, which can be repeated and is not private; None, for secure noise.
    folder
        An empty one, for the nodes' records of spends, their logs and the server's report.
    """
    simulation: Values = {} if seed is None else {"seed": seed}
    nodes: dict[str, Values] = {}
    for name in NODES:
        spends = folder / f"{name}.db"
        SpendRecord.create(spends)
        nodes[name] = {"name": name, "rounds": rounds, "spends": str(spends), **simulation}
    plan = ServerPlan("demo", DIM, rounds, len(nodes), folder / "report.json")
    return run_on_this_machine(f"{__name__}:client", nodes, plan, folder)
