"""``relgauss predict``: what a saved model predicts for the rows of a table."""

from __future__ import annotations

import csv
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer
from scipy.special import expit

from relgauss.arrays import FloatArray
from relgauss.cli import options, output
from relgauss.errors import InvalidValueError, RelgaussError
from relgauss.records.table_records import TableRecords

if TYPE_CHECKING:
    from relgauss.linear_model.saved import Model


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
    output_file: Annotated[
        Path | None,
        typer.Option("--output", metavar="FILE", help="Write a .csv. Default: stdout.", show_default=False),
    ] = None,
    json: options.AsJson = False,
) -> None:
    """Predict with a saved model: a number for each row, or the probability of the second class.

    Categories and missing values are read as they were for the fit.
    Predictions for people who were not in the training data cost no privacy beyond the model's.
    """
    from relgauss.linear_model import load_model

    loaded = load_model(model)
    names = getattr(loaded, "feature_names_in_", None)
    if names is None:
        raise InvalidValueError(f"{model} does not name its features.", "Fit it with `relgauss fit --save`.")
    reading = getattr(loaded, "reading_", {"missing": 0.0, "categories": {}})
    listed = reading["categories"]
    column_of = {f"{column}={value}": column for column, values in listed.items() for value in values}
    features = list(dict.fromkeys(column_of.get(str(name), str(name)) for name in names))
    with TableRecords(
        data,
        target=None,
        features=features,
        categories=listed,
        missing=reading["missing"],
        table=table,
        query=query,
    ) as records:
        predictions = (value for chunk, _ in records.chunks() for value in _predict(loaded, chunk))
        if json:
            output.print_json({"predictions": list(predictions), "privacy": loaded.privacy_.to_dict()})
            return
        try:
            target = nullcontext(sys.stdout) if output_file is None else output_file.open("w", newline="")
        except OSError as error:
            raise RelgaussError(
                f"{output_file} cannot be written: {error.strerror}.",
                "Choose a file in a folder you can write to.",
            ) from None
        with target as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["prediction"])
            writer.writerows([value] for value in predictions)
    if loaded.privacy_.simulated:  # beside the numbers, whose table has no room for it
        typer.echo("SIMULATED, not private: fitted with a seed.", err=True)


def _predict(model: Model, chunk: FloatArray) -> list[float]:
    """The number itself or, of two classes, the probability of the second."""
    scores: FloatArray = chunk @ np.ravel(model.coef_) + np.ravel(model.intercept_)
    if hasattr(model, "classes_"):
        scores = expit(scores)
    values: list[float] = scores.tolist()
    return values
