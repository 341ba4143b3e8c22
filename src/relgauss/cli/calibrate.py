"""``relgauss calibrate``: from a bound and a privacy target to a mechanism."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from relgauss.cli import options, output
from relgauss.cli.describe import python_code
from relgauss.mechanisms import Mechanism
from relgauss.mechanisms import calibrate as find_mechanism
from relgauss.report.expected_error import expected_error
from relgauss.report.question import Question
from relgauss.rounding import round_up


def calibrate(
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
    mechanism: options.MechanismOption = "auto",
    json: options.AsJson = False,
) -> None:
    """Find the mechanism that meets a privacy target with the least error."""
    bound = options.one_bound(options.stated_bounds(eta, r, form, nonnegative, absolute), mechanism)
    question = Question(dim, epsilon, delta, steps, norm)
    with output.collect_notes() as notes:
        found = find_mechanism(
            bound, dim=dim, epsilon=epsilon, delta=delta, steps=steps, mechanism=mechanism, norm=norm
        )
    if not found.releasable:
        notes.append(f"Simulation only: secure noise needs {found.needed_for_secure_noise}.")
    if json:
        output.print_json(_as_dict(found, question, notes))
    else:
        _print_text(found, question, notes)


def _all_parameters(mechanism: Mechanism, question: Question) -> dict[str, float]:
    """The parameters, with what the accounting shows beside them."""
    return mechanism.accounted_at(question.delta, question.steps) | mechanism.parameters


def _as_dict(mechanism: Mechanism, question: Question, notes: list[str]) -> dict[str, Any]:
    return {
        "mechanism": mechanism.name,
        "parameters": _all_parameters(mechanism, question),
        "bound": asdict(mechanism.sensitivity),
        "target": asdict(question),
        "epsilon": mechanism.epsilon(question.delta, question.steps),
        "error": asdict(expected_error(mechanism, question.norm)),
        "notes": notes,
        "privacy": mechanism.statement(question.delta, question.steps).to_dict(),
        "python": python_code(mechanism),
    }


def _print_text(mechanism: Mechanism, question: Question, notes: list[str]) -> None:
    error = expected_error(mechanism, question.norm)
    output.console.print(f"[bold]{type(mechanism).__name__}[/bold]")
    output.print_pairs(
        {name: f"{value:.6g}" for name, value in _all_parameters(mechanism, question).items()}
        | {
            "epsilon": round_up(mechanism.epsilon(question.delta, question.steps)),
            "rms error": f"{error.text()} {error.where()}",
        }
    )
    for note in notes:
        output.console.print(f"[bold]Note:[/bold] {note}")
    output.console.print()
    output.print_statement(mechanism.statement(question.delta, question.steps))
    output.console.print("\n[bold]In Python[/bold]")
    output.print_line(python_code(mechanism))
