"""``relgauss demo``: mean pay by job, the example that opens the paper."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from relgauss.cli import options, output
from relgauss.cli.demo_data import CEILING, SPREAD, everybody_s_pay
from relgauss.cli.demo_releases import BUDGET, Demo, release_mean_pay
from relgauss.cli.files import check_new_files, write_new
from relgauss.errors import RelgaussError
from relgauss.report.released_means import ReleasedMean, plot_released_means
from relgauss.report.style import check_plot_file
from relgauss.report.wording import number, percent

_DEFAULT_PLOT = Path("relgauss-demo.png")
_PAY = Path("relgauss-demo.csv")
_SIMULATED = "SIMULATED, not private"


def demo(
    *,
    plot: options.PlotFile = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="Simulate the noise: repeatable, not private.", show_default=False),
    ] = None,
    force: options.Force = False,
    json: options.AsJson = False,
) -> None:
    """Release the mean pay of nine jobs: one absolute bound against relative bounds.

    The pay is synthetic, the noise secure. Without --json the pay goes to relgauss-demo.csv, for relgauss
    means, and without --plot the picture to relgauss-demo.png, unless such files exist.
    """
    if plot is not None:
        check_new_files([plot], [], force)
        check_plot_file(plot)
    result = release_mean_pay(seed)
    if plot is not None:
        write_new(plot, partial(_draw, result), force)
    if json:
        output.print_json(_as_dict(result, plot))
        return
    pay = _write_if_possible(force)
    picture = f"Picture: {plot}" if plot else _draw_if_possible(result, force)
    _print_text(result)
    output.print_line(pay)
    output.print_line(picture)


def _draw(result: Demo, file: Path) -> None:
    title = f"mean pay by job, noise for ε = {number(BUDGET.epsilon)} and δ = {number(BUDGET.delta)}"
    title = f"{_SIMULATED}: {title}" if result.simulated else title.capitalize()
    plot_released_means(result.groups, title, file)


def _draw_if_possible(result: Demo, force: bool) -> str:
    """Draw the picture that nobody asked for; return where it is, or why there is none."""
    try:
        check_new_files([_DEFAULT_PLOT], [], force)
        check_plot_file(_DEFAULT_PLOT)
        write_new(_DEFAULT_PLOT, partial(_draw, result), force)
    except RelgaussError as error:
        return f"No picture: {error}"
    return f"Picture: {_DEFAULT_PLOT}"


def _write_if_possible(force: bool) -> str:
    """Write the synthetic pay; return where it is and what can be done with it, or why there is none."""
    pay = everybody_s_pay().encode()
    try:
        if not (_PAY.is_file() and _PAY.read_bytes() == pay):
            check_new_files([_PAY], [], force)
            write_new(_PAY, lambda path: path.write_bytes(pay), force)
    except RelgaussError as error:
        return f"No file of everybody's pay: {error}"
    except OSError as error:  # what is there cannot be read
        return f"No file of everybody's pay: {_PAY}: {error.strerror}"
    budget = f"--epsilon {BUDGET.epsilon:g} --delta {BUDGET.delta:g}"
    return f"Without assumptions: relgauss means {_PAY} --by job --value pay {budget}"


def _print_text(result: Demo) -> None:
    if result.simulated:
        output.console.print(f"[bold]{_SIMULATED}[/bold]")
    people = sum(group.people for group in result.groups)
    noise = "simulated" if result.simulated else "secure"
    output.print_line(f"Mean pay by job: {people:,} people, synthetic pay, {noise} noise.")
    table = output.new_table(
        "Job", "People", "True mean", "Absolute\nbound", "Off by", "Relative\nbounds", "Off by"
    )
    for column in table.columns[1:]:
        column.justify = "right"
    for group in result.groups:
        table.add_row(
            group.name,
            f"{group.people}",
            f"{group.mean:,.0f}",
            *_cells(group.absolute, group.mean),
            *_cells(group.relative, group.mean),
        )
    output.console.print(table)
    output.console.print(_conclusion(result))
    output.console.print()
    output.print_statement(result.relative)
    output.console.print()


def _cells(released: ReleasedMean, mean: float) -> tuple[str, str]:
    return f"{released.value:,.0f}", percent(abs(released.value / mean - 1))


def _conclusion(result: Demo) -> str:
    absolute, relative = (
        f"{percent(min(errors))} to {percent(max(errors))}"
        for errors in (
            [group.absolute.rms_error / group.mean for group in result.groups],
            [group.relative.rms_error / group.mean for group in result.groups],
        )
    )
    return (
        f"With one absolute bound (nobody is paid more than {CEILING:,.0f}), a mean is typically off by "
        f"{absolute}. With relative bounds (pay within a job differs by at most {percent(SPREAD)}), it is "
        f"typically off by {relative}, at the same privacy."
    )


def _as_dict(result: Demo, plot: Path | None) -> dict[str, Any]:
    return {
        "simulated": result.simulated,
        "ceiling": CEILING,
        "spread": SPREAD,
        "jobs": [asdict(group) for group in result.groups],
        "conclusion": _conclusion(result),
        "privacy": {"absolute": result.absolute.to_dict(), "relative": result.relative.to_dict()},
        "plot": str(plot) if plot else None,
    }
