"""The command ``relgauss``: its version, and the commands below it."""

from __future__ import annotations

from typing import Annotated

import typer

from relgauss.cli.lazy_group import LazyGroup

app = typer.Typer(cls=LazyGroup, add_completion=False, pretty_exceptions_enable=False)


def _print_version(asked: bool) -> None:
    if asked:
        import relgauss

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
