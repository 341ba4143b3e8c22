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

SPLIT_SEED = 0
RUNS = 3  # as many as the paper's figures show
CLIPPED = ("clip", "clip-high", "clip-low")
EPSILON = next(each.epsilon for each in PANELS if each.name == "bias")


def run(rounds: int = STEPS, runs: int = RUNS) -> None:
    """Final error of each method over the noiseless run's, both over Flower; clipping in process."""
    data = ijcnn1()
    objectives = split_over_nodes(data, "bias", np.random.default_rng(SPLIT_SEED))
    trace = Trace(objectives)
    title = f"bias split over Flower, {rounds} rounds, α = 2, ε = {EPSILON:g} a release: {data.source}"
    table = Table(title=title)
    for column in ("method", "final error", "over noiseless", "ε of each node's whole run"):
        table.add_column(column, justify="left" if column == "method" else "right")

    base, _ = _over_flower("noiseless", objectives, trace, Terms(NOISELESS, False, EPSILON, rounds, None))
    table.add_row("noiseless", f"{base:.4g}", "1", "none")
    for name, terms, promise in (
        ("RGM, the paper's constants", Terms("rgm", False, EPSILON, rounds, None), "if the constants held"),
        ("RGM, strict", Terms("rgm-exact", True, EPSILON, rounds, None), "proven"),
    ):
        done = [_over_flower(name, objectives, trace, terms) for _ in range(runs)]
        _add(table, f"{name}, secure noise", [error for error, _ in done], base, f"{done[0][1]}, {promise}")
    noise = np.random.default_rng(SPLIT_SEED)
    constants = [constants_not_private(each) for each in objectives]
    for method in CLIPPED:
        errors = []
        for _ in range(runs):
            both = zip(objectives, constants, strict=True)
            errors.append(float(trace.of([METHODS[method](*each, EPSILON, noise) for each in both])[rounds]))
        _add(table, f"{method}, in process, simulated", errors, base, "")
    console.print(table)


def _over_flower(name: str, objectives, trace: Trace, terms: Terms) -> tuple[float, str]:
    """The final error, and what each node has promised."""
    from relgauss.paper.on_flower import run_on_flower

    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        report = run_on_flower(objectives, terms, Path(folder))
    full = tuple(range(1, terms.rounds + 1))
    if report.participation() != {"node-1": full, "node-2": full}:
        console.print(f"{name}: not everybody took part in every round: {report.rounds}")
    error = trace.error(np.array(report.thetas[-1]))
    console.print(f"{name}: final error {error:.4g} after {time.perf_counter() - start:.0f} s")
    facts = [report.nodes[node] for node in sorted(report.nodes)]
    return error, ", ".join(f"{round_up(each.epsilon, 4)} at δ = {each.delta:g}" for each in facts)


def _add(table: Table, name: str, errors: list[float], base: float, promise: str) -> None:
    ratios = np.array(errors) / base
    span = f"{np.median(ratios):.4g} ({ratios.min():.4g} to {ratios.max():.4g})"
    table.add_row(name, f"{np.median(errors):.4g}", span, promise)
