"""``relgauss compare``: all mechanisms at one target, as a table and as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from relgauss.cli import options, output
from relgauss.cli.files import check_new_files, write_new
from relgauss.mechanisms.compare import Row
from relgauss.mechanisms.self_description import Sensitivity
from relgauss.report.comparison import compare_accountings
from relgauss.report.curves import epsilon_error_curves
from relgauss.report.epsilon_error import plot_epsilon_error
from relgauss.report.expected_error import ExpectedError, expected_error
from relgauss.report.question import Question
from relgauss.report.style import check_plot_file
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
    force: options.Force = False,
    json: options.AsJson = False,
) -> None:
    """Compare the errors of all mechanisms at one privacy target.

    One row is the paper's own accounting of its mechanism. With --norm, a relative and an absolute bound
    can be compared with each other.
    """
    bounds = options.stated_bounds(eta, r, form, nonnegative, absolute)
    question = Question(dim, epsilon, delta, steps, norm)
    if plot is not None:
        check_new_files([plot], [], force)
        check_plot_file(plot)
    rows = compare_accountings(bounds, question)
    if plot is not None:
        with output.working("Drawing"):
            write_new(plot, partial(_draw, bounds, question), force)
    if json:
        output.print_json(_as_dict(rows, bounds, question, plot))
    else:
        _print_text(rows, bounds, question, plot)


def _draw(bounds: Sequence[Sensitivity], question: Question, file: Path) -> None:
    curves = [curve for bound in bounds for curve in epsilon_error_curves(bound, question)]
    caption = "\n".join(f"{bound.describe()}; dimension {question.dim}" for bound in bounds)
    plot_epsilon_error(curves, question, caption, file)


def _error(row: Row, question: Question) -> ExpectedError | None:
    return expected_error(row.mechanism, question.norm) if row.mechanism else None


def _as_dict(
    rows: Sequence[Row], bounds: Sequence[Sensitivity], question: Question, plot: Path | None
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
                "note": row.note,
                "best": row is rows[0],
            }
            for row in rows
        ],
        "plot": str(plot) if plot else None,
    }


def _print_text(
    rows: Sequence[Row], bounds: Sequence[Sensitivity], question: Question, plot: Path | None
) -> None:
    errors = [_error(row, question) for row in rows]
    where = next(error.where() for error in errors if error)
    for bound in bounds:
        output.print_hanging(f"Bound   {bound.describe()}", indent=8)
    output.print_line(f"Target  {question.text()}")
    output.print_line(f"Errors  root mean square, {where}")
    table = output.new_table("Mechanism", "Parameters", "Epsilon", "Error", "Note")
    for column in table.columns[:-1]:
        column.no_wrap = True
    for row, error in zip(rows, errors, strict=True):
        table.add_row(
            row.name.replace(", ", ",\n"),
            _written_parameters(row),
            round_up(row.epsilon),
            error.text() if error else "-",
            ", ".join(note for note in ("best" if row is rows[0] else "", row.note) if note),
            style="bold" if row is rows[0] else None,
        )
    output.console.print(table)
    if plot:
        output.print_line(f"Picture: {plot}")


def _written_parameters(row: Row) -> str:
    found = row.mechanism.parameters if row.mechanism else {}
    return "\n".join(f"{name} {value:.4g}" for name, value in found.items()) or "-"
