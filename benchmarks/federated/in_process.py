"""2, 10 and 100 nodes in process: error against the total epsilon of a node, on the three splits."""

from __future__ import annotations

import time
from contextlib import suppress
from importlib.util import find_spec

import numpy as np
from rich.table import Table

import relgauss as rg
from benchmarks.federated import local_dp_mod
from benchmarks.federated.data import console, ijcnn1
from benchmarks.federated.methods import METHODS, STRICT
from benchmarks.federated.splits import split_over
from relgauss.errors import (
    InvalidParameterError,
    NoGuaranteeError,
    RefusedReleaseError,
    UnreachableTargetError,
)
from relgauss.nodes.node import Node
from relgauss.nodes.whitened_gradients import WhitenedGradient
from relgauss.paper.constants_not_private import constants_not_private
from relgauss.paper.experiment import Trace
from relgauss.paper.node_objective import REGULARISER
from relgauss.paper.panels import STEPS
from relgauss.rounding import round_up

COUNTS = (2, 10, 100)
EPSILONS = (0.5, 2.0, 8.0)
DELTA = 1e-6
SEEDS = 3
FACTORS = (0.1, 1.0, 10.0)
NOT_TO_BE_HAD = (UnreachableTargetError, NoGuaranteeError, InvalidParameterError, RefusedReleaseError)
MOD = "Flower's LocalDpMod, best C of three"


def run(seeds: int = SEEDS) -> None:
    """A table for each split."""
    data = ijcnn1()
    true = [
        f"{epsilon:g} → {round_up(local_dp_mod.true_epsilon(epsilon, DELTA, STEPS), 3)}"
        for epsilon in EPSILONS
    ]
    for split in ("random", "label", "bias"):
        start = time.perf_counter()
        table = Table(
            title=f"{split} split, {STEPS} rounds, δ = {DELTA:g}, {data.source}: final error over the "
            f"noiseless one, median of {seeds} seeds, simulated"
        )
        table.add_column("nodes · total ε of a node")
        cells: dict[str, list[str]] = {}
        for count in COUNTS:
            for epsilon in EPSILONS:
                table.add_column(f"{count} · {epsilon:g}", justify="right")
            for method, row in _errors(data, split, count, seeds).items():
                cells.setdefault(method, []).extend(row)
        for method, row in cells.items():
            table.add_row(method, *row)
        console.print(table)
        console.print(f"{time.perf_counter() - start:.0f} s")
    console.print(f"LocalDpMod is given ε for each round; its true ε of a whole run: {', '.join(true)}.")
    console.print(
        "'-': no node can take part at this size and budget. Not strict: constants are read from the data."
    )


def _errors(data, split: str, count: int, seeds: int) -> dict[str, list[str]]:
    ratios: dict[str, list[list[float]]] = {}
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        objectives = split_over(data, split, count, rng)
        trace = Trace(objectives)
        base = float(trace.noiseless()[-1])
        constants = [constants_not_private(each) for each in objectives]
        for method, build in (METHODS | STRICT).items():
            row = []
            for epsilon in EPSILONS:
                nodes = []
                for objective, of in zip(objectives, constants, strict=True):
                    with suppress(*NOT_TO_BE_HAD):  # the others go on without it
                        nodes.append(build(objective, of, rg.Budget(epsilon, DELTA), STEPS, rng))
                row.append(float(trace.of(nodes, _step_size(nodes))[-1]) / base if nodes else np.nan)
            ratios.setdefault(method, []).append(row)
        if find_spec("flwr") is not None:
            ratios.setdefault(MOD, []).append([_mod(trace, epsilon) / base for epsilon in EPSILONS])
    return {method: [_cell(each) for each in np.median(rows, axis=0)] for method, rows in ratios.items()}


def _mod(trace: Trace, epsilon: float) -> float:
    return min(local_dp_mod.final_error(trace, epsilon, DELTA, factor, STEPS) for factor in FACTORS)


def _step_size(nodes: list[Node]) -> float | None:
    """Strict nodes have released what it takes; for the others it is read from the data."""
    released = [
        each.query.coordinates.largest_eigenvalue
        for each in nodes
        if isinstance(each.query, WhitenedGradient)
    ]
    return 0.5 / (max(released) + REGULARISER) if released else None


def _cell(ratio: float) -> str:
    return "-" if np.isnan(ratio) else f"{ratio:.3g}"
