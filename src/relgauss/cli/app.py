"""The commands of ``relgauss``."""

from __future__ import annotations

from typing import Annotated

import typer

import relgauss
from relgauss.cli.audit import audit
from relgauss.cli.calibrate import calibrate
from relgauss.cli.compare import compare
from relgauss.cli.demo import demo
from relgauss.cli.doctor import doctor
from relgauss.cli.federated import federated
from relgauss.cli.fit import fit
from relgauss.cli.ledger import ledger
from relgauss.cli.means import means
from relgauss.cli.predict import predict
from relgauss.cli.reproduce import reproduce
from relgauss.cli.strict_command import StrictCommand

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
app.command(cls=StrictCommand)(audit)
app.command(cls=StrictCommand)(calibrate)
app.command(cls=StrictCommand)(compare)
app.command(cls=StrictCommand)(demo)
app.command(cls=StrictCommand)(doctor)
app.command(cls=StrictCommand)(fit)
app.command(cls=StrictCommand)(means)
app.command(cls=StrictCommand)(predict)
app.command(cls=StrictCommand)(reproduce)
app.add_typer(federated, name="federated")
app.add_typer(ledger, name="ledger")


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"relgauss {relgauss.__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def relgauss_command(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Differential privacy when bounds are known only relative to the answer."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
