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
from relgauss.cli.reproduce import Data
from relgauss.cli.strict_command import StrictCommand
from relgauss.paper.dataset import Dataset
from relgauss.paper.experiment import Trace
from relgauss.paper.find import DataFinder
from relgauss.paper.panels import split_over_nodes
from relgauss.paper.participants import Terms
from relgauss.report.wording import number
from relgauss.rounding import round_up

if TYPE_CHECKING:
    from relgauss.federated import RunReport

_METHOD, _EPSILON = "rgm-exact", 0.1  # the paper's mechanism and panel, with everything paid for
_SIMULATED = "SIMULATED: the noise came from a seeded generator, so nothing here is private"

federated = typer.Typer(help="Train one model over several nodes, each noising its own gradients.")
federated.command(cls=StrictCommand)(node)

Rounds = Annotated[int, typer.Option(min=1, help="Rounds.")]
Seed = Annotated[
    int | None, typer.Option(min=0, help="Simulate the noise: repeatable, not private.", show_default=False)
]


@federated.command(cls=StrictCommand)
def demo(*, rounds: Rounds = 3, data: Data = None, seed: Seed = None, json: options.AsJson = False) -> None:
    """Run the paper's bias split over two nodes, with Flower's apps and messages.

    Two nodes hold halves of the data, and one of them has an objective far off, so that no clipping threshold
    suits both. Each pays for all that it learns of its records. Each is a process of its own, reached by a
    pipe: no port is opened, and a node ends with the command, however that ends.
    """
    import relgauss.federated  # noqa: F401 - says what to install where Flower is missing
    from relgauss.paper.on_flower import run_on_flower

    dataset = DataFinder(data).get("ijcnn1")
    objectives = split_over_nodes(dataset, "bias", np.random.default_rng(seed))
    terms = Terms(_METHOD, True, _EPSILON, rounds, seed)
    end_by_exception(signal.SIGTERM, signal.SIGHUP)
    with (
        output.working(f"{rounds} rounds over Flower"),
        tempfile.TemporaryDirectory(prefix="relgauss-flower-", ignore_cleanup_errors=True) as folder,
    ):
        report = run_on_flower(objectives, terms, Path(folder))
    trace = Trace(objectives)
    errors = [trace.error(np.array(theta)) for theta in report.thetas]
    if json:
        output.print_json(_as_dict(report, dataset, errors))
    else:
        _print(report, dataset, errors)


def _as_dict(report: RunReport, dataset: Dataset, errors: list[float]) -> dict[str, Any]:
    return {
        "data": dataset.source,
        "simulated": report.simulated,
        "errors": errors,
        "participation": report.participation(),
        **report.to_dict(),
    }


def _print(report: RunReport, dataset: Dataset, errors: list[float]) -> None:
    if report.simulated:
        output.print_line(_SIMULATED)
    output.print_line("Biased objectives, two nodes over Flower")
    output.print_hanging(f"data: {dataset.source}", indent=6)
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
