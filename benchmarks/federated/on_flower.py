"""The bias split over Flower, 40 rounds: noiseless, RGM with the paper's constants, and strict mode."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np
from rich.table import Table

from benchmarks.federated.data import console, ijcnn1
from relgauss.paper.constants_not_private import constants_not_private
from relgauss.paper.experiment import Trace
from relgauss.paper.methods_not_private import METHODS, NOISELESS
from relgauss.paper.panels import PANELS, STEPS, split_over_nodes
from relgauss.paper.participants import Terms
from relgauss.rounding import round_up

SEED = 0  # of the split, and of noise that is simulated
CLIPPED = ("clip", "clip-high", "clip-low")
PANEL = next(each for each in PANELS if each.name == "bias")


def run(rounds: int = STEPS) -> None:
    """Final error of each method over the noiseless run's, both over Flower; clipping in process."""
    from relgauss.paper.on_flower import run_on_flower

    data = ijcnn1()
    objectives = split_over_nodes(data, "bias", np.random.default_rng(SEED))
    trace = Trace(objectives)
    epsilon = PANEL.epsilon
    runs = {
        "noiseless": Terms(NOISELESS, False, epsilon, rounds, None),
        "RGM, the paper's constants, simulated": Terms("rgm", False, epsilon, rounds, SEED),
        "RGM, strict, secure noise": Terms("rgm-exact", True, epsilon, rounds, None),
    }
    title = f"bias split over Flower, {rounds} rounds, α = 2, ε = {epsilon:g} a release: {data.source}"
    table = Table(title=title)
    for column in ("method", "final error", "over noiseless", "seconds", "ε of a node's whole run"):
        table.add_column(column, justify="left" if column == "method" else "right")
    base = 0.0
    for name, terms in runs.items():
        start = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            report = run_on_flower(objectives, terms, Path(folder))
        full = tuple(range(1, rounds + 1))
        if report.participation() != {"node-1": full, "node-2": full}:
            console.print(f"{name}: not everybody took part in every round: {report.rounds}")
        error = trace.error(np.array(report.thetas[-1]))
        base = base or error
        promise = "proven" if terms.strict else "if the constants held"
        epsilons = [f"{round_up(each.epsilon, 4)} at δ = {each.delta:g}" for each in report.nodes.values()]
        said = "none" if terms.method == NOISELESS else f"{', '.join(epsilons)}, {promise}"
        table.add_row(name, f"{error:.5g}", f"{error / base:.4g}", f"{time.perf_counter() - start:.0f}", said)
    noise = np.random.default_rng(SEED)
    constants = [constants_not_private(each) for each in objectives]
    for method in CLIPPED:
        nodes = [METHODS[method](*each, epsilon, noise) for each in zip(objectives, constants, strict=True)]
        error = trace.of(nodes)[rounds]
        table.add_row(f"{method}, in process", f"{error:.5g}", f"{error / base:.4g}", "", "")
    console.print(table)
