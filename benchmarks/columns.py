"""Columns as they are: whether intervals of means hold, form by form, and how far estimates are off.

Every cell is one table of 400 groups of one form, at scales that nobody knows, with seeded noise. Cells are
kept in ``build/columns.json``, with a hash of what computed them: a run that was cut off goes on.
"""

from __future__ import annotations

import hashlib
import json
import math
import multiprocessing
import re
import sys
from itertools import product
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from tests.statistical.column_forms import FORMS, GROUPS, simulate

EPSILONS, SIZES = (0.5, 1.0, 3.0), (100, 300, 1_000, 5_000)
ROOT = Path(__file__).parents[1]
KEPT = ROOT / "build" / "columns.json"
LEAST = 0.95

console = Console(width=130)


def run() -> None:
    """Print a row for each form: coverage, flags and widths by epsilon and size; then errors."""
    cells = _all_cells()
    missed = []
    for epsilon in EPSILONS:
        table = Table(
            title=f"{GROUPS} groups a cell, epsilon {epsilon:g}, delta 1e-6: clipped mean held / mean held, "
            "of unflagged rows (flagged), width over noise"
        )
        for header in ("form", *(f"n = {size:,}" for size in SIZES)):
            table.add_column(header, justify="left" if header == "form" else "right")
        for name in FORMS:
            found = [cells[_key(name, size, epsilon)] for size in SIZES]
            table.add_row(name, *map(_text, found))
            missed += [each for size, cell in zip(SIZES, found, strict=True) for each in _missed(cell)]
        console.print(table)
    console.print("*: records far out are fewer than six noise levels of a count: none of these can be seen.")
    console.print("-: every row is flagged. >: wider than 99 times.")
    console.print(f"Below 95 % less two standard errors ({len(missed)}):", *(missed or ["none"]), sep="\n  ")
    table = Table(
        title="Median error of the mean at n = 1,000, epsilon 1 (of the deviation, for either sign)"
    )
    for header in ("form", "error"):
        table.add_column(header)
    for name in FORMS:
        table.add_row(name, f"{100 * cells[_key(name, 1_000, 1.0)]['error']:.1f} %")
    console.print(table)


def _all_cells() -> dict[str, dict[str, Any]]:
    """The outcomes of all cells: those that are kept, and the others in two processes."""
    version = _version()
    kept: dict[str, Any] = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    if kept.get("version") != version:
        kept = {"version": version, "cells": {}}
    cells = kept["cells"]
    left = [each for each in product(FORMS, SIZES, EPSILONS) if _key(*each) not in cells]
    KEPT.parent.mkdir(exist_ok=True)
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        for cell in pool.imap_unordered(_simulated, left):
            cells[_key(cell["form"], cell["size"], cell["epsilon"])] = cell
            KEPT.write_text(json.dumps(kept))
            print(f"{len(cells)} of {len(FORMS) * len(SIZES) * len(EPSILONS)}", end="\r", file=sys.stderr)
    return cells


def _simulated(asked: tuple[str, int, float]) -> dict[str, Any]:
    name, size, epsilon = asked
    form, cell = FORMS[name], simulate(name, size, epsilon)
    unflagged = cell.unflagged
    return {
        "form": name,
        "size": size,
        "epsilon": epsilon,
        "clipped": float(cell.clipped_held().mean()),
        "held": float(cell.held()[unflagged].mean()) if unflagged.any() else None,
        "unflagged": int(unflagged.sum()),
        "width": cell.width,
        "error": cell.error(form.signs),
        "counts": not form.far or cell.far_records > 6 * cell.count_std,
    }


def _text(cell: dict[str, Any]) -> str:
    held = "-" if cell["held"] is None else f"{100 * cell['held']:.0f}{'' if cell['counts'] else '*'}"
    width = f"{cell['width']:.1f}" if cell["width"] <= 99 else ">"
    return f"{100 * cell['clipped']:.0f} / {held} ({100 * (1 - cell['unflagged'] / GROUPS):.0f} %) {width}"


def _missed(cell: dict[str, Any]) -> list[str]:
    where = f"{cell['form']}, n = {cell['size']}, epsilon {cell['epsilon']:g}"
    found = []
    if cell["clipped"] < _least(GROUPS):
        found.append(f"clipped mean, {where}: {cell['clipped']:.3f}")
    if cell["counts"] and cell["held"] is not None and cell["held"] < _least(cell["unflagged"]):
        found.append(f"mean, {where}: {cell['held']:.3f}")
    return found


def _least(intervals: int) -> float:
    """The stated confidence less two standard errors."""
    return LEAST - 2 * math.sqrt(LEAST * (1 - LEAST) / intervals)


def _key(form: str, size: int, epsilon: float) -> str:
    return f"{form}, {size}, {epsilon:g}"


def _version() -> str:
    """A hash of all that a cell depends on: the forms, and the modules that measure a column."""
    folder, read = ROOT / "src" / "relgauss" / "grouped", {}
    waiting = ["measure_column"]
    while waiting:
        name = waiting.pop()
        if name not in read:
            read[name] = (folder / f"{name}.py").read_text(encoding="utf-8")
            waiting += re.findall(r"^from relgauss\.grouped\.(\w+) import", read[name], re.MULTILINE)
    forms = (ROOT / "tests" / "statistical" / "column_forms.py").read_text(encoding="utf-8")
    return hashlib.sha256("".join([forms, *(read[name] for name in sorted(read))]).encode()).hexdigest()
