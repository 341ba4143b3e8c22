"""What a reproduction leaves behind: a figure a panel, one with all, and every curve as CSV."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from relgauss.errors import RelgaussError
from relgauss.paper.experiment import DELTA, PanelResult
from relgauss.paper.panels import Panel
from relgauss.paper.plots import ILLUSTRATIVE, plot_panel, plot_together
from relgauss.writing import Write, write_together

COLUMNS = ("panel", "data", "method", "run", "step", "error", "kind", "epsilon", "delta")


def make_folder(folder: Path) -> None:
    """Make the folder where files go, if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RelgaussError(
            f"The folder {folder} cannot be written to: {error.strerror}.",
            "Choose a folder you can write to with --out.",
        ) from None


def files_of(panels: Sequence[Panel], strict: bool, folder: Path) -> list[Path]:
    """The files that results are written to: the figures, one with all if there are several, the curves."""
    prefix = "strict-" if strict else ""
    names = [f"{panel.name}.png" for panel in panels]
    names += ["panels.png"] if len(panels) > 1 else []
    return [folder / f"{prefix}{name}" for name in (*names, "curves.csv")]


def write_results(results: Sequence[PanelResult], folder: Path, *, replace: bool = True) -> list[Path]:
    """Write all files; return their paths."""
    files = files_of([result.panel for result in results], results[0].strict, folder)
    writers: list[Write] = [partial(plot_panel, result) for result in results]
    if len(results) > 1:
        writers.append(partial(plot_together, results))
    writers.append(partial(_write_curves, results))
    write_together(list(zip(files, writers, strict=True)), replace=replace)
    return files


def _write_curves(results: Sequence[PanelResult], file: Path) -> None:
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(COLUMNS)
        for result in results:
            writer.writerows(_rows(result))


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
