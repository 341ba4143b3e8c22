"""``relgauss calibrate``: from a bound and a privacy target to a mechanism."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from relgauss.cli import options, output
from relgauss.cli.describe import parameters, python_code
from relgauss.mechanisms import Mechanism, RelativeGaussian
from relgauss.mechanisms import calibrate as find_mechanism
from relgauss.report.expected_error import expected_error
from relgauss.report.target import Target
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
    target = Target(dim, epsilon, delta, steps, norm)
    with output.collect_notes() as notes:
        found = find_mechanism(
            bound, dim=dim, epsilon=epsilon, delta=delta, steps=steps, mechanism=mechanism, norm=norm
        )
    if found.name != "isometric":
        notes.clear()  # they were about the candidate that lost
    if json:
        output.print_json(_as_dict(found, target, notes))
    else:
        _print_text(found, target, notes)


def _all_parameters(mechanism: Mechanism, target: Target) -> dict[str, float]:
    """The parameters, with the Rényi order at which the paper's mechanism is best accounted."""
    found = parameters(mechanism)
    if isinstance(mechanism, RelativeGaussian):
        return {"alpha": mechanism.best_order(target.delta, target.steps), **found}
    return found


def _as_dict(mechanism: Mechanism, target: Target, notes: list[str]) -> dict[str, Any]:
    return {
        "mechanism": mechanism.name,
        "parameters": _all_parameters(mechanism, target),
        "bound": asdict(mechanism.sensitivity),
        "target": asdict(target),
        "epsilon": mechanism.epsilon(target.delta, target.steps),
        "error": asdict(expected_error(mechanism, target.norm)),
        "notes": notes,
        "privacy": mechanism.statement(target.delta, target.steps).to_dict(),
        "python": python_code(mechanism),
    }


def _print_text(mechanism: Mechanism, target: Target, notes: list[str]) -> None:
    error = expected_error(mechanism, target.norm)
    output.console.print(f"[bold]{type(mechanism).__name__}[/bold]")
    output.print_pairs(
        {name: f"{value:.6g}" for name, value in _all_parameters(mechanism, target).items()}
        | {
            "epsilon": round_up(mechanism.epsilon(target.delta, target.steps)),
            "rms error": f"{error.text()} {error.where()}",
        }
    )
    for note in notes:
        output.console.print(f"[bold]Note:[/bold] {note}")
    output.console.print()
    output.print_statement(mechanism.statement(target.delta, target.steps))
    output.console.print("\n[bold]In Python[/bold]")
    output.print_line(python_code(mechanism))
