"""``relgauss predict``: what a saved model predicts for the rows of a table."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable
from copy import copy
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from relgauss.arrays import FloatArray
from relgauss.cli import options, output
from relgauss.cli.files import check_new_files, write_new
from relgauss.errors import InvalidParameterError, InvalidValueError, RelgaussError
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
    force: options.Force = False,
    json: options.AsJson = False,
) -> None:
    """Predict with a saved model: a number for each row, or the probability of the second class.

    Categories and missing values are read as they were for the fit.
    Predictions for people who were not in the training data cost no privacy beyond the model's.
    """
    from relgauss.linear_model import load_model

    if output_file is not None:
        if json:
            raise RelgaussError("--json prints the predictions, --output writes them.", "Pass one of them.")
        if output_file.suffix.lower() != ".csv":
            raise InvalidParameterError("output", str(output_file), "a .csv file", "Change its ending.")
        check_new_files([output_file], [model, data], force)
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
        elif output_file is None:
            _write_rows(predictions, sys.stdout)
        else:
            write_new(output_file, partial(_write_file, predictions), force)
    if loaded.privacy_.simulated and not json:  # beside the numbers, whose table has no room for it
        typer.echo("SIMULATED, not private: fitted with a seed.", err=True)


def _write_file(predictions: Iterable[float], file: Path) -> None:
    with file.open("w", newline="", encoding="utf-8") as stream:
        _write_rows(predictions, stream)


def _write_rows(predictions: Iterable[float], stream: TextIO) -> None:
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["prediction"])
    writer.writerows([value] for value in predictions)


def _predict(model: Model, chunk: FloatArray) -> list[float]:
    """The number itself or, of two classes, the probability of the second."""
    from relgauss.linear_model import PrivateRidge

    rows = _without_names(model)
    values: list[float]
    if isinstance(rows, PrivateRidge):
        values = rows.predict(chunk).tolist()
    else:
        values = rows.predict_proba(chunk)[:, -1].tolist()
    return values


def _without_names(model: Model) -> Model:
    """The model for rows whose columns are in its order: they come as arrays, which have no names."""
    unnamed = copy(model)
    del unnamed.feature_names_in_
    return unnamed
