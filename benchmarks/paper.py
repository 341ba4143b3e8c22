"""The paper's panels over 21 seeds on the real data: final error over the noiseless one."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from relgauss.paper.dataset import IJCNN1
from relgauss.paper.experiment import run_panel_not_private
from relgauss.paper.files import read_files
from relgauss.paper.methods_not_private import METHODS
from relgauss.paper.panels import PANELS

DATA = Path(__file__).parents[2] / "shared" / "data" / "ijcnn1.npz"
SEEDS = 21
SHOWN = ("random", "label", "bias", "random-small", "label-small")

console = Console(width=130)


def run() -> None:
    """Print the table, where the data are at hand."""
    if not DATA.exists():
        console.print("The paper's panels are left out: they need ../shared/data/ijcnn1.npz.")
        return
    data = read_files([DATA], IJCNN1)
    table = Table(
        title=f"ijcnn1: final error over the noiseless one, median of {SEEDS} seeds (least to most)"
    )
    table.add_column("method")
    columns, times = {}, {}
    for panel in (each for each in PANELS if each.name in SHOWN):
        start = time.perf_counter()
        columns[panel.name] = run_panel_not_private(panel, data, SEEDS, np.random.default_rng(0))
        times[panel.name] = time.perf_counter() - start
        table.add_column(f"{panel.name}, {panel.epsilon:g}", justify="right")
    for method in METHODS:
        cells = [_cell(result, method) for result in columns.values()]
        table.add_row(method, *cells)
    console.print(table)
    console.print("Seconds: " + ", ".join(f"{name} {seconds:.1f}" for name, seconds in times.items()))


def _cell(result, method: str) -> str:
    if method in result.missing:
        return "out of reach"
    ratios = result.over_noiseless(method)
    return f"{np.median(ratios):.3g} ({ratios.min():.3g} to {ratios.max():.3g})"
