"""A ServerApp for gradient descent over private nodes: the same for ridge, logistic regression and others."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from flwr.app import Context
from flwr.serverapp import Grid, ServerApp

from relgauss import validate
from relgauss.errors import InvalidParameterError, RelgaussError
from relgauss.federated.run_report import NodeFacts, RunReport
from relgauss.federated.strategy import PrivateDescent, start_arrays
from relgauss.nodes.rounds import Weights


@dataclass(frozen=True)
class ServerPlan:
    """What the server decides: everything public.

    Attributes
    ----------
    job
        The job's name, by which its requests are named.
    dim
        The number of weights of the model.
    rounds
        How many rounds to make.
    nodes
        How many nodes to wait for before the first round.
    file
        Where the report is written after each round. A job that is started again with it goes on from there.
    weights
        How much each node's release counts, by its name; others are left out. None: all count the same.
    step_size
        None: ``step_fraction`` over the largest smoothness that the nodes have released.
    step_fraction
        Used where no step size is stated.
    patience
        How many seconds to wait for nodes to connect.
    timeout
        How many seconds to wait for the replies of a round.
    """

    job: str
    dim: int
    rounds: int
    nodes: int
    file: Path
    weights: Mapping[str, float] | None = None
    step_size: float | None = None
    step_fraction: float = 0.5
    patience: float = 120.0
    timeout: float = 120.0

    def __post_init__(self) -> None:
        for name in ("dim", "rounds", "nodes"):
            validate.count(name, getattr(self, name))
        for name in ("step_fraction", "patience", "timeout"):
            validate.positive(name, getattr(self, name), "Pass a positive number.")

    def choose_step_size(self, nodes: Mapping[str, NodeFacts]) -> float:
        """The stated step size, or the one by the nodes' released smoothness; odd nodes are left out."""
        if self.step_size is not None:
            return validate.positive("step_size", self.step_size, "Pass a public step size.")
        sizes = [
            facts.numbers.get("smoothness", math.nan) for facts in nodes.values() if facts.dim == self.dim
        ]
        usable = [size for size in sizes if math.isfinite(size) and size > 0]
        if not usable:
            raise RelgaussError(
                "No node has said how smooth its objective is.",
                "State a step size, or check the nodes' logs.",
            )
        return self.step_fraction / max(usable)


def run_server(grid: Grid, plan: ServerPlan) -> RunReport:
    """Run all rounds that are left.

    Parameters
    ----------
    grid
        Flower's way to the nodes, or ``LocalNodes``.
    plan
        What the server decides.

    Returns
    -------
    RunReport
        All rounds so far; it is also in the plan's file.
    """
    report = (
        RunReport.read(plan.file) if plan.file.exists() else RunReport(plan.job, 0.0, ((0.0,) * plan.dim,))
    )
    if report.job != plan.job or len(report.thetas[0]) != plan.dim:
        raise InvalidParameterError(
            "job",
            plan.job,
            f"{report.job!r}, which {plan.file.name} is of",
            "Give each job a file of its own.",
        )
    strategy = PrivateDescent(report, Weights(plan.weights), plan.file, plan.patience)
    strategy.introduce(grid, plan.nodes, plan.timeout)
    strategy.report.write(plan.file)
    if not strategy.report.rounds:  # else the step size was chosen before
        size = plan.choose_step_size(strategy.report.nodes)
        strategy.report = replace(strategy.report, step_size=size)
    left = plan.rounds - strategy.state.step
    if left > 0:
        strategy.start(grid, start_arrays(strategy), num_rounds=left, timeout=plan.timeout)
    return strategy.report


def private_server(plan_of: Callable[[Context], ServerPlan]) -> ServerApp:
    """A ServerApp that runs a plan.

    Parameters
    ----------
    plan_of
        Makes the plan from Flower's context.

    Returns
    -------
    ServerApp
        Its report is in the plan's file.
    """

    def main(grid: Grid, context: Context) -> None:
        run_server(grid, plan_of(context))

    app = ServerApp()
    app.main()(main)
    return app
