"""The paper's panels over 21 seeds on the real data: final error over the noiseless one."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from relgauss.paper.dataset import IJCNN1, Dataset
from relgauss.paper.experiment import PanelResult, run_panel_not_private
from relgauss.paper.files import read_files
from relgauss.paper.methods_not_private import METHODS
from relgauss.paper.panels import PANELS, Panel
from relgauss.paper.strict import METHODS as STRICT_METHODS
from relgauss.paper.strict import run_panel_strict
from relgauss.rounding import round_up

DATA = Path(__file__).parents[2] / "shared" / "data" / "ijcnn1.npz"
SEEDS = 21

console = Console(width=130)


def run() -> None:
    """Print both tables, where the data are at hand."""
    if not DATA.exists():
        console.print("The paper's panels are left out: they need ../shared/data/ijcnn1.npz.")
        return
    data = read_files([DATA], IJCNN1)
    _table("illustrative, constants read from the data", data, _literal, tuple(METHODS))
    _table("strict, simulated noise", data, _strict, STRICT_METHODS)


def _literal(panel: Panel, data: Dataset) -> PanelResult:
    return run_panel_not_private(panel, data, SEEDS, np.random.default_rng(0))


def _strict(panel: Panel, data: Dataset) -> PanelResult:
    rng = np.random.default_rng(0)
    return run_panel_strict(panel, data, SEEDS, rng, rng)


def _table(kind: str, data: Dataset, run_panel, methods: tuple[str, ...]) -> None:
    start = time.perf_counter()
    results = [run_panel(panel, data) for panel in PANELS if panel.data == "ijcnn1"]
    title = f"ijcnn1, final error over the noiseless one, median of {SEEDS} seeds (least to most): {kind}"
    table = Table(title=title)
    table.add_column("method")
    for result in results:
        table.add_column(f"{result.panel.name}, {result.panel.epsilon:g}", justify="right")
    for method in methods:
        table.add_row(method, *(_cell(result, method) for result in results))
    console.print(table)
    seconds = time.perf_counter() - start
    console.print(f"{seconds:.0f} s for all of it. In strict mode a cell ends with ε at δ = 1e-6.")


def _cell(result: PanelResult, method: str) -> str:
    if method in result.missing:
        return "not to be had"
    ratios = result.over_noiseless(method)
    text = f"{np.median(ratios):.3g} ({ratios.min():.2g} to {ratios.max():.2g})"
    epsilon = result.curve(method).epsilon
    return f"{text}, {round_up(epsilon, 3)}" if result.strict and epsilon is not None else text
