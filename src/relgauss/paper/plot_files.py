"""What a reproduction leaves behind: a figure a panel, one with all, and every curve as CSV."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from relgauss.errors import RelgaussError
from relgauss.paper.experiment import DELTA, PanelResult
from relgauss.paper.plots import ILLUSTRATIVE, plot_panel, plot_together
from relgauss.report.style import check_plot_file

COLUMNS = ("panel", "data", "method", "run", "step", "error", "kind", "epsilon", "delta")


def make_folder(folder: Path) -> None:
    """Refuse, before any work, a folder that nothing could be written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        check_plot_file(folder / "panel.png")
        probe = folder / ".relgauss-probe"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise RelgaussError(
            f"The folder {folder} cannot be written to: {error.strerror}.",
            "Choose a folder you can write to with --out.",
        ) from None


def write_results(results: Sequence[PanelResult], folder: Path) -> list[Path]:
    """Write all files; return their paths."""
    prefix = "strict-" if results[0].strict else ""
    written = []
    for result in results:
        file = folder / f"{prefix}{result.panel.name}.png"
        plot_panel(result, file)
        written.append(file)
    if len(results) > 1:
        together = folder / f"{prefix}panels.png"
        plot_together(results, together)
        written.append(together)
    table = folder / f"{prefix}curves.csv"
    with table.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(COLUMNS)
        for result in results:
            writer.writerows(_rows(result))
    return [*written, table]


def _rows(result: PanelResult) -> list[tuple[object, ...]]:
    """One row a run and step; the epsilon of an illustrative curve is what it would be if constants held."""
    rows: list[tuple[object, ...]] = []
    for curve in result.curves:
        kind = "not private" if curve.epsilon is None else "strict" if result.strict else ILLUSTRATIVE
        fixed = (result.panel.name, result.source, curve.method)
        privacy = (kind, curve.epsilon, None if curve.epsilon is None else DELTA)
        for (run, step), error in np.ndenumerate(curve.errors):
            rows.append((*fixed, run, step, float(error), *privacy))
    return rows
