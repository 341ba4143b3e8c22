"""The comparison as tables: who is best, and where a peer beats us."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from benchmarks.regression.methods import NOTHING, OURS, TUNED
from benchmarks.regression.protocol import CONSTANT, EPSILONS
from benchmarks.regression.results import Results

_ENOUGH = {OURS: 1000, NOTHING: 5000}  # n epsilon from which no cell may be worse than a constant
console = Console(width=130)


def show(results: Results) -> None:
    """Print everything."""
    _show_typical(results)
    for method in results.methods:
        _show_cells(results, method)
    if OURS in results.methods:
        _show_gap(results)
        _show_where_peers_win(results)
        _show_worse_than_constant(results)


def _number(value: float) -> str:
    return f"{value:.4f}" if value < 100 else f"{value:.0e}"


def _columns(table: Table, *names: str) -> None:
    for name in names:
        table.add_column(name, justify="left" if name in ("method", "data set") else "right")


def _show_typical(results: Results) -> None:
    table = Table(title=f"Normalised excess, mean of medians over {', '.join(results.datasets)}")
    _columns(table, "method", *(f"epsilon {epsilon:g}" for epsilon in EPSILONS))
    for method in results.methods:
        values = [results.typical(method, epsilon) for epsilon in EPSILONS]
        table.add_row(method, *("" if value is None else _number(value) for value in values))
    console.print(table)


def _show_cells(results: Results, method: str) -> None:
    table = Table(title=f"{method}: median (least to most), † constant predictions, time of a fit")
    _columns(table, "data set", *(f"epsilon {epsilon:g}" for epsilon in EPSILONS))
    for dataset in results.datasets:
        cells = [results.cells.get((method, dataset, epsilon)) for epsilon in EPSILONS]
        table.add_row(
            dataset,
            *(
                ""
                if cell is None
                else f"{_number(cell.median)} ({_number(cell.least)} to {_number(cell.most)})"
                + (f" †{cell.degraded}" if cell.degraded else "")
                + f" {1e3 * cell.seconds:.0f} ms"
                for cell in cells
            ),
        )
    console.print(table)


def _show_gap(results: Results) -> None:
    """What bounds are worth, where there are records enough."""
    gaps = [
        cell.median - results.cells[OURS, dataset, epsilon].median
        for (method, dataset, epsilon), cell in results.cells.items()
        if method == NOTHING
        and cell.count * epsilon >= _ENOUGH[NOTHING]
        and (OURS, dataset, epsilon) in results.cells
    ]
    if gaps:
        console.print(
            f"Nothing given less bounds given, {len(gaps)} cells with n epsilon ≥ {_ENOUGH[NOTHING]}: "
            f"{min(gaps):.4f} to {max(gaps):.4f}"
        )


def _show_where_peers_win(results: Results) -> None:
    lines = []
    for dataset in results.datasets:
        for epsilon in EPSILONS:
            ours = results.cells.get((OURS, dataset, epsilon))
            if ours is None:
                continue
            better = {
                method: results.cells[method, dataset, epsilon].median
                for method in results.methods
                if method != OURS
                and (method, dataset, epsilon) in results.cells
                and results.cells[method, dataset, epsilon].median < ours.median
            }
            lines += [
                f"  {dataset}, epsilon {epsilon:g}: {method} {_number(value)}, {OURS} {_number(ours.median)}"
                for method, value in sorted(better.items(), key=lambda item: item[1])
            ]
    console.print(f"Where another method beats {OURS} with bounds (“{TUNED}” is not private):")
    console.print("\n".join(lines) or "  nowhere")


def _show_worse_than_constant(results: Results) -> None:
    lines = [
        f"  {method}: {dataset}, epsilon {epsilon:g}: {_number(cell.median)}"
        for (method, dataset, epsilon), cell in results.cells.items()
        if method in _ENOUGH and cell.median > CONSTANT and cell.count * epsilon >= _ENOUGH[method]
    ]
    console.print(f"Cells of ours above {CONSTANT}, at n epsilon ≥ 1000 with bounds, 5000 without:")
    console.print("\n".join(lines) or "  none")
