"""``relgauss compare``: all mechanisms at one target, as a table and as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from relgauss.cli import options, output
from relgauss.cli.files import check_new_files, write_new
from relgauss.mechanisms.compare import FALSE_ALARMS, Row
from relgauss.mechanisms.self_description import Sensitivity
from relgauss.report.comparison import compare_accountings
from relgauss.report.curves import epsilon_error_curves
from relgauss.report.epsilon_error import plot_epsilon_error
from relgauss.report.expected_error import ExpectedError, expected_error
from relgauss.report.question import Question
from relgauss.report.style import check_plot_file
from relgauss.report.trade_off import plot_trade_off
from relgauss.rounding import round_up


def compare(
    *,
    eta: options.Eta = None,
    r: options.R = 0.0,
    form: options.FormOption = "quadratic",
    nonnegative: options.Nonnegative = False,
    absolute: options.Absolute = None,
    dim: options.Dim,
    epsilon: options.Epsilon,
    delta: options.Delta,
    steps: options.Steps = 1,
    norm: options.Norm = None,
    plot: options.PlotFile = None,
    plot_guesses: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Draw what guesses about a record can achieve.", show_default=False
        ),
    ] = None,
    force: options.Force = False,
    json: options.AsJson = False,
) -> None:
    """Compare the errors of all mechanisms at one privacy target.

    One row is the paper's own accounting of its mechanism. With --norm, a relative and an absolute bound
    can be compared with each other.
    """
    bounds = options.stated_bounds(eta, r, form, nonnegative, absolute)
    question = Question(dim, epsilon, delta, steps, norm)
    check_new_files([plot, plot_guesses], [], force)
    for file in (plot, plot_guesses):
        if file is not None:
            check_plot_file(file)
    rows = compare_accountings(bounds, question)
    with output.working("Drawing") if plot or plot_guesses else nullcontext():
        if plot is not None:
            write_new(plot, partial(_draw, bounds, question), force)
        if plot_guesses is not None:
            write_new(plot_guesses, partial(_draw_guesses, rows, question), force)
    if json:
        output.print_json(_as_dict(rows, bounds, question, plot, plot_guesses))
    else:
        _print_text(rows, bounds, question)
        for file in filter(None, (plot, plot_guesses)):
            output.print_line(f"Picture: {file}")


def _draw(bounds: Sequence[Sensitivity], question: Question, file: Path) -> None:
    curves = [curve for bound in bounds for curve in epsilon_error_curves(bound, question)]
    caption = "\n".join(f"{bound.describe()}; dimension {question.dim}" for bound in bounds)
    plot_epsilon_error(curves, question, caption, file)


def _draw_guesses(rows: Sequence[Row], question: Question, file: Path) -> None:
    found = {row.name: row.mechanism for row in rows if row.mechanism is not None and "," not in row.name}
    plot_trade_off({name: m.composed(question.steps) for name, m in found.items()}, question, file)


def _error(row: Row, question: Question) -> ExpectedError | None:
    return expected_error(row.mechanism, question.norm) if row.mechanism else None


def _as_dict(
    rows: Sequence[Row],
    bounds: Sequence[Sensitivity],
    question: Question,
    plot: Path | None,
    plot_guesses: Path | None,
) -> dict[str, Any]:
    return {
        "bounds": [asdict(bound) for bound in bounds],
        "target": asdict(question),
        "rows": [
            {
                "name": row.name,
                "parameters": row.mechanism.parameters if row.mechanism else None,
                "epsilon": row.epsilon,
                "error": asdict(error) if (error := _error(row, question)) else None,
                "true_positive_rate": row.found,
                "note": row.note,
                "best": row is rows[0],
            }
            for row in rows
        ],
        "false_positive_rate": FALSE_ALARMS,
        "plot": str(plot) if plot else None,
        "plot_guesses": str(plot_guesses) if plot_guesses else None,
    }


def _print_text(rows: Sequence[Row], bounds: Sequence[Sensitivity], question: Question) -> None:
    errors = [_error(row, question) for row in rows]
    where = next(error.where() for error in errors if error)
    for bound in bounds:
        output.print_hanging(f"Bound   {bound.describe()}", indent=8)
    output.print_line(f"Target  {question.text()}")
    output.print_line(f"Errors  root mean square, {where}")
    output.print_hanging("Found   records that the best test finds at 1 % false alarms, at most", indent=8)
    table = output.new_table("Mechanism", "Parameters", "Epsilon,\nfound", "Error", "Note")
    for column in table.columns[:-1]:
        column.no_wrap = True
    for row, error in zip(rows, errors, strict=True):
        table.add_row(
            row.name.replace(", ", ",\n"),
            _written_parameters(row),
            _epsilon_and_found(row),
            error.text() if error else "-",
            ", ".join(note for note in ("best" if row is rows[0] else "", row.note) if note),
            style="bold" if row is rows[0] else None,
        )
    output.console.print(table)


def _epsilon_and_found(row: Row) -> str:
    found = "" if row.found is None else f"\n{round_up(100 * row.found, 3)} %"
    return f"{round_up(row.epsilon)}{found}"


def _written_parameters(row: Row) -> str:
    found = row.mechanism.parameters if row.mechanism else {}
    return "\n".join(f"{name} {value:.4g}" for name, value in found.items()) or "-"
