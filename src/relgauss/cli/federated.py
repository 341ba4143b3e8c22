"""``relgauss federated demo``: two nodes train one model over Flower, each noising its own gradients."""

from __future__ import annotations

import signal
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from relgauss.cli import options, output
from relgauss.cli.federated_node import end_by_exception, node
from relgauss.cli.strict_command import StrictCommand
from relgauss.report.wording import number
from relgauss.rounding import round_up

if TYPE_CHECKING:
    from relgauss.federated import RunReport

_SIMULATED = "SIMULATED: the noise came from a seeded generator, so nothing here is private"

federated = typer.Typer(
    help="Train one model over several nodes, each noising its own gradients.", add_completion=False
)
federated.command(cls=StrictCommand)(node)

Rounds = Annotated[int, typer.Option(min=1, help="Rounds.")]
Seed = Annotated[
    int | None, typer.Option(min=0, help="Simulate the noise: repeatable, not private.", show_default=False)
]


@federated.command(cls=StrictCommand)
def demo(*, rounds: Rounds = 3, seed: Seed = None, json: options.AsJson = False) -> None:
    """Run a ridge regression over two nodes, with Flower's apps and messages.

    Both tables are made up, and one node has its minimum far off, so that no clipping threshold suits both.
    Each pays for all that it learns of its records. Each is a process of its own, reached by a pipe: no port
    is opened, and a node ends with the command, however that ends.
    """
    import relgauss.federated  # noqa: F401 - says what to install where Flower is missing
    from relgauss.federated.demo import run_demo
    from relgauss.federated.demo_data import SOURCE, excess_losses

    end_by_exception(signal.SIGTERM, signal.SIGHUP)
    with (
        output.working(f"{rounds} rounds over Flower"),
        tempfile.TemporaryDirectory(prefix="relgauss-flower-", ignore_cleanup_errors=True) as folder,
    ):
        report = run_demo(rounds, seed, Path(folder))
    errors = excess_losses(np.array(report.thetas)).tolist()
    if json:
        output.print_json(_as_dict(report, SOURCE, errors))
    else:
        _print(report, SOURCE, errors)


def _as_dict(report: RunReport, source: str, errors: list[float]) -> dict[str, Any]:
    return {
        "data": source,
        "simulated": report.simulated,
        "errors": errors,
        "participation": report.participation(),
        **report.to_dict(),
    }


def _print(report: RunReport, source: str, errors: list[float]) -> None:
    if report.simulated:
        output.print_line(_SIMULATED)
    output.print_line("Biased objectives, two nodes over Flower")
    output.print_hanging(f"data: {source}", indent=6)
    nodes = output.new_table("node", "ε of its whole run", "δ", "rounds agreed", "took part in")
    participation = report.participation()
    for name, facts in sorted(report.nodes.items()):
        epsilon = round_up(facts.epsilon, 4)
        took_part = ", ".join(map(str, participation[name])) or "none"
        nodes.add_row(name, epsilon, number(facts.delta), str(facts.rounds), took_part)
    output.console.print(nodes)
    curve = output.new_table("round", "error", "absent")
    absent = [""] + [
        "; ".join(f"{name}: {why}" for name, why in each.absent.items()) for each in report.rounds
    ]
    for step, (error, missing) in enumerate(zip(errors, absent, strict=True)):
        curve.add_row(str(step), f"{error:.4g}", missing)
    output.console.print(curve)
    output.print_hanging("The error is computed from the records, for this demonstration only.", indent=0)
    output.print_line("Both processes that were started have been stopped.")
