"""Commands whose modules are imported when one is run: help lists them without."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from relgauss.cli.strict_command import StrictCommand

# The first line of each command's help, in the order of the list.
SUMMARIES = {
    "audit": "Try to convict a mechanism: bound its epsilon from below by its own outputs.",
    "calibrate": "Find the mechanism that meets a privacy target with the least error.",
    "compare": "Compare the errors of all mechanisms at one privacy target.",
    "demo": "Release the mean pay of nine jobs: one absolute bound against relative bounds.",
    "doctor": "Check that secure noise works here, and show versions and what missing extras would bring.",
    "fit": "Fit a private linear model, or with --classes a classifier, with nothing to guess.",
    "forecast": "Say what a release would be like, before anything is spent.",
    "means": "Release the mean of every group of a table, without a bound on the values.",
    "predict": "Predict with a saved model: a number for each row, or the probability of the second class.",
    "reproduce": "Draw the paper's figures again, with exact accounting and other mechanisms beside.",
    "table": "Release statistics of every group of a table, without a bound on the values.",
    "federated": "Train one model over several nodes, each noising its own gradients.",
    "ledger": "Budgets that last: what may be spent on a dataset, and what was.",
}


def load(name: str) -> Any:
    """The command of this name, or the group of commands: ``relgauss.cli.NAME`` has a NAME that makes it."""
    made = getattr(import_module(f"relgauss.cli.{name}"), name)
    if isinstance(made, typer.Typer):
        group = typer.main.get_command(made)
        group.name = name
        return group
    alone = typer.Typer(add_completion=False)
    alone.command(name, cls=StrictCommand)(made)
    return typer.main.get_command(alone)


class LazyGroup(TyperGroup):
    """The commands of ``SUMMARIES``."""

    @property
    def commands(self) -> Any:
        """All commands, imported."""
        return {name: load(name) for name in SUMMARIES}

    @commands.setter
    def commands(self, given: Any) -> None:
        """Typer passes those that it knows: none."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names, in the order of the list."""
        return list(SUMMARIES)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """What a list shows of a command."""
        summary = SUMMARIES.get(cmd_name)
        return None if summary is None else TyperCommand(cmd_name, help=summary)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command itself, to be run."""
        name, *rest = args
        return (name, load(name), rest) if name in SUMMARIES else super().resolve_command(ctx, args)
