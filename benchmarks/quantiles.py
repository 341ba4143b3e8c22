"""Medians and quartiles beside OpenDP, given candidates, and beside bounds that are found automatically."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from rich.console import Console
from rich.table import Table

import relgauss as rg
from benchmarks.grouped import DELTA, PUBLIC_RANGE, SALARIES, YEARS, Year
from benchmarks.quantile_peers import by_auto_bounds, by_opendp
from relgauss.grouped.contribution import ONE_ROW
from relgauss.grouped.measure_column import measure_column
from relgauss.grouped.signed_grid import LogGrid, SignedGrid
from relgauss.grouped.totals import CellTotals
from relgauss.grouped.value_rule import ValueRule

EPSILON, RUNS, LEAST = 1.0, 4, 30
LEVELS = {"q25": 0.25, "median": 0.5, "q75": 0.75}
GRID, RULE = SignedGrid(LogGrid.over(*PUBLIC_RANGE)).fine, ValueRule(*PUBLIC_RANGE)
ASKED = (["median"], ["median", "q25", "q75"], ["mean", "median", "q25", "q75"])

Groups = Sequence[np.ndarray]
console = Console(width=120)


def run() -> None:
    """Print the table for salaries, where they are at hand, and for a made-up column."""
    rng = np.random.default_rng(1)
    table = Table(title=f"Median relative error of quantiles, epsilon {EPSILON:g}, delta {DELTA:g}")
    for header in ("groups", "asked for", "statistic", "relgauss", "held", "OpenDP", "auto-bounds (failed)"):
        table.add_column(header)
    if SALARIES.exists():
        years = [Year(number).pay for number in YEARS]
        _add(table, f"salaries, jobs of {LEAST} and more", years, rng)
    else:
        console.print("Salaries are left out: they need ../shared/data/baltimore_salaries.csv.gz.")
    made_up = np.exp(rng.uniform(*np.log([1e4, 1e5]), (200, 1)) + 0.5 * rng.normal(size=(200, 300)))
    _add(table, "lognormal 0.5, n = 300", [list(made_up)], rng)
    console.print(table)
    console.print(
        "held: 95 % intervals that hold the quantile. OpenDP chooses among candidates 1 % apart, at an equal "
        "part of epsilon each. Auto-bounds: ours after Google's published methods; "
        "failed: no bounds found, which count as errors."
    )


def _add(table: Table, name: str, tables: Sequence[Groups], rng: np.random.Generator) -> None:
    for asked in ASKED:
        names = [each for each in asked if each in LEVELS]
        levels = [LEVELS[each] for each in names]
        ours, held = _ours(tables, asked, names)
        if "mean" not in asked:
            theirs = _errors(tables, lambda x, a=levels: by_opendp(x, a, EPSILON), levels)
            google = _errors(tables, lambda x, a=levels: by_auto_bounds(x, a, EPSILON, rng), levels)
            failed = f" ({100 * np.isinf(google[0]).mean():.0f} %)"
        for place, each in enumerate(names):
            peers = ["", ""]
            if "mean" not in asked:
                peers = [_percent(theirs[place]), _percent(google[place]) + failed]
            shown = (name, ", ".join(asked)) if not place else ("", "")
            table.add_row(*shown, each, _percent(ours[place]), f"{100 * held[place]:.1f} %", *peers)


def _percent(errors: np.ndarray) -> str:
    middle = float(np.median(errors))
    return f"{100 * middle:.2f} %" if math.isfinite(middle) else "more than half failed"


def _errors(
    tables: Sequence[Groups], release: Callable[[np.ndarray], np.ndarray], levels: Sequence[float]
) -> list[np.ndarray]:
    """Relative errors by level, over all groups that are large enough."""
    found = []
    for groups in tables:
        for values in groups:
            if len(values) >= LEAST:
                truth = np.quantile(values, levels)
                found.append(np.nan_to_num(np.abs(release(values) / truth - 1), nan=np.inf))
    return list(np.array(found).T)


def _ours(
    tables: Sequence[Groups], asked: list[str], names: list[str]
) -> tuple[list[np.ndarray], list[float]]:
    """Relative errors by statistic, with secure noise, and how often intervals hold."""
    errors: list[list[np.ndarray]] = [[] for _ in names]
    held: list[list[np.ndarray]] = [[] for _ in names]
    mu = rg.Budget(EPSILON, DELTA).mu
    for groups in tables:
        totals = _totals(groups)
        large = totals.sizes >= LEAST
        for _ in range(RUNS):
            found = measure_column(totals, ONE_ROW, mu, asked, 0.95, None).statistics
            for place, each in enumerate(names):
                one, level = found[each], LEVELS[each]
                truth = np.array([np.quantile(values, level) for values in groups])
                # between two records of an even number any value is a quantile
                least, most = (
                    np.array([np.quantile(values, level, method=end) for values in groups])
                    for end in ("lower", "higher")
                )
                errors[place].append(np.abs(one.estimate / truth - 1)[large])
                held[place].append(((one.lower <= most) & (least <= one.upper))[large])
    return [np.concatenate(each) for each in errors], [float(np.concatenate(each).mean()) for each in held]


def _totals(groups: Groups) -> CellTotals:
    """What the pass over the records would make of these groups."""
    counts = np.zeros((len(groups), GRID.cells), dtype=np.int64)
    sums = np.zeros(counts.shape, dtype=np.object_)
    for group, values in enumerate(groups):
        ruled = RULE.apply(values)
        for cell, value in zip(GRID.cells_of(ruled), ruled, strict=True):
            counts[group, cell] += 1
            sums[group, cell] += RULE.units(float(value))
    return CellTotals(tuple(range(len(groups))), counts, sums, GRID, RULE)
