"""The options of ``relgauss fit`` that no other command has."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from relgauss.cli.options import RESULT
from relgauss.cli.table_options import KNOWN, TABLE

Data = Annotated[Path, typer.Argument(metavar="FILE", help="CSV, Parquet or DuckDB database.")]
Target = Annotated[str, typer.Option(help="Column to predict.", rich_help_panel=TABLE)]
Features = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,...", help="Columns to predict by. Default: all others.", rich_help_panel=TABLE
    ),
]
Scratch = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Where a scratch file goes, if the table does not fit into memory.",
        rich_help_panel=TABLE,
        show_default=False,
    ),
]
Bounds = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=LOW:HIGH",
        help="Range of a column: of a feature, or of the target.",
        rich_help_panel=KNOWN,
        show_default=False,
    ),
]
PublicData = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Public records with the same features, to whiten by.",
        rich_help_panel=KNOWN,
        show_default=False,
    ),
]
SaveFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Write the model as .json, for `relgauss predict`.",
        rich_help_panel=RESULT,
        show_default=False,
    ),
]
AllowConstant = Annotated[
    bool,
    typer.Option(
        "--allow-constant",
        help="Release a constant where the data are too few for a model, and do not stop.",
        rich_help_panel=RESULT,
    ),
]
Classes = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,...",
        help="Classes of the target, all that there may be: fits a classifier.",
        rich_help_panel=KNOWN,
        show_default=False,
    ),
]
MechanismName = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="auto, clipped, public-iterate, isometric or relative.",
        rich_help_panel=RESULT,
    ),
]
