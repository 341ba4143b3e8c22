"""``relgauss predict``: what a saved model predicts for the rows of a table."""

from __future__ import annotations

import csv
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from relgauss.cli import options, output
from relgauss.cli.table_options import Categories, Missing, read_categories
from relgauss.errors import InvalidValueError
from relgauss.records.table_records import TableRecords


def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="File that `relgauss fit --save` wrote.")],
    data: Annotated[Path, typer.Argument(metavar="FILE", help="CSV, Parquet, a folder, or a database.")],
    *,
    table: Annotated[
        str | None, typer.Option("--table", help="Table of a database.", show_default=False)
    ] = None,
    query: Annotated[
        str | None,
        typer.Option(help="SQL that makes the table; the file is called data.", show_default=False),
    ] = None,
    categories: Categories = None,
    missing: Missing = 0.0,
    output_file: Annotated[
        Path | None,
        typer.Option("--output", metavar="FILE", help="Write a .csv. Default: stdout.", show_default=False),
    ] = None,
    json: options.AsJson = False,
) -> None:
    """Predict with a saved model: a number for each row, in the order of the table.

    Predictions for people who were not in the training data cost no privacy beyond the model's.
    """
    from relgauss.linear_model import load_model

    loaded = load_model(model)
    names = getattr(loaded, "feature_names_in_", None)
    if names is None:
        raise InvalidValueError(f"{model} does not name its features.", "Fit it with `relgauss fit --save`.")
    listed = read_categories(categories or [])
    features = list(dict.fromkeys(_column(str(name), listed) for name in names))
    with TableRecords(
        data, target=None, features=features, categories=listed, missing=missing, table=table, query=query
    ) as records:
        if list(records.names) != [str(name) for name in names]:
            raise InvalidValueError(
                "The categories are not those that the model was fitted with.", f"It has {', '.join(names)}."
            )
        predictions = (value for chunk, _ in records.chunks() for value in _predict(loaded, chunk))
        if json:
            output.print_json({"predictions": list(predictions), "privacy": loaded.privacy_.to_dict()})
            return
        target = nullcontext(sys.stdout) if output_file is None else output_file.open("w", newline="")
        with target as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["prediction"])
            writer.writerows([value] for value in predictions)


def _predict(model: object, chunk: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> list[float]:
    coefficients, intercept = np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])  # type: ignore[attr-defined]
    values: list[float] = (chunk @ coefficients + intercept).tolist()
    return values


def _column(name: str, categories: dict[str, list[str]]) -> str:
    """The table's column of a feature: colour for colour=red."""
    column, sign, _ = name.rpartition("=")
    return column if sign and column in categories else name
