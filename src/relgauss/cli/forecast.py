"""``relgauss forecast``: what a release would be like, before anything is spent."""

from __future__ import annotations

import typer

from relgauss.cli.forecast_fit import fit
from relgauss.cli.forecast_means import means
from relgauss.cli.forecast_table import table
from relgauss.cli.strict_command import StrictCommand

forecast = typer.Typer(
    help="Say what a release would be like, before anything is spent.", add_completion=False
)
for each in (means, table, fit):
    forecast.command(cls=StrictCommand)(each)
