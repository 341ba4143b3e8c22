"""Columns as they are: whether intervals of means hold, form by form, and how far estimates are off.

Every cell is one table of 400 groups of one form, at scales that nobody knows, with seeded noise.
"""

from __future__ import annotations

import math

from rich.console import Console
from rich.table import Table

from tests.statistical.column_forms import FORMS, GROUPS, simulate

EPSILONS, SIZES = (0.5, 1.0, 3.0), (100, 300, 1_000, 5_000)

console = Console(width=130)


def run() -> None:
    """Print a row for each form: coverage, flags and widths by epsilon and size; then errors."""
    least = 0.95 - 2 * math.sqrt(0.95 * 0.05 / GROUPS)
    missed = []
    for epsilon in EPSILONS:
        table = Table(
            title=f"{GROUPS} groups a cell, epsilon {epsilon:g}, delta 1e-6: clipped mean held / mean held, "
            "of unflagged rows (flagged), width over noise"
        )
        for header in ("form", *(f"n = {size:,}" for size in SIZES)):
            table.add_column(header, justify="left" if header == "form" else "right")
        for name, form in FORMS.items():
            texts = []
            for size in SIZES:
                cell = simulate(name, size, epsilon)
                clipped, unflagged = cell.clipped_held().mean(), cell.unflagged
                held = cell.held()[unflagged].mean() if unflagged.any() else math.nan
                counts = not form.far or cell.far_records > 6 * cell.count_std
                texts.append(
                    f"{100 * clipped:.0f} / {100 * held:.0f}{'' if counts else '*'} "
                    f"({100 * (1 - unflagged.mean()):.0f} %) {cell.width:.1f}"
                )
                if clipped < least:
                    missed.append(f"clipped mean, {name}, n = {size}, epsilon {epsilon:g}: {clipped:.3f}")
                if counts and held < 0.95 - 2 * math.sqrt(0.95 * 0.05 / max(unflagged.sum(), 1)):
                    missed.append(f"mean, {name}, n = {size}, epsilon {epsilon:g}: {held:.3f}")
            table.add_row(name, *texts)
        console.print(table)
    console.print("*: records far out are fewer than six noise levels of a count: none of these can be seen.")
    console.print(f"Below 95 % less two standard errors ({len(missed)}):", *(missed or ["none"]), sep="\n  ")
    table = Table(
        title="Median error of the mean at n = 1,000, epsilon 1 (of the deviation, for either sign)"
    )
    for header in ("form", "error"):
        table.add_column(header)
    for name, form in FORMS.items():
        table.add_row(name, f"{100 * simulate(name, 1_000, 1.0).error(form.signs):.1f} %")
    console.print(table)
