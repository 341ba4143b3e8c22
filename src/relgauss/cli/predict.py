"""``relgauss predict``: what a saved model predicts for the rows of a table."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable
from copy import copy
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

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

    Of more than two classes, the likeliest and the probability of each.
    Categories and missing values are read as they were for the fit.
    Predictions for people who were not in the training data cost no privacy beyond the model's.
    """
    from relgauss.linear_model import load_model
    from relgauss.linear_model.inputs import columns_read, told_of_predictions

    if output_file is not None:
        if json:
            raise RelgaussError("--json prints the predictions, --output writes them.", "Pass one of them.")
        if output_file.suffix.lower() != ".csv":
            raise InvalidParameterError("output_file", str(output_file), "a .csv file", "Change its ending.")
        check_new_files([output_file], [model, data], force)
    loaded = load_model(model)
    names = getattr(loaded, "feature_names_in_", None)
    if names is None:
        raise InvalidValueError(f"{model} does not name its features.", "Fit it with `relgauss fit --save`.")
    reading = getattr(loaded, "reading_", {"missing": None, "categories": {}})
    listed = reading["categories"]
    features = columns_read(names, listed)
    with (
        told_of_predictions(),
        TableRecords(
            data,
            target=None,
            features=features,
            categories=listed,
            missing=reading["missing"],
            booleans=reading.get("booleans"),
            table=table,
            query=query,
        ) as records,
    ):
        header = _header(loaded)
        predictions = (row for chunk, _ in records.chunks() for row in _predict(loaded, chunk))
        if json:
            rows = [row[0] if len(header) == 1 else row for row in predictions]
            columns = {"columns": header} if len(header) > 1 else {}
            output.print_json({"predictions": rows, **columns, "privacy": loaded.privacy_.to_dict()})
        elif output_file is None:
            _write_rows(header, predictions, sys.stdout)
        else:
            write_new(output_file, partial(_write_file, header, predictions), force)
    if loaded.privacy_.simulated and not json:  # beside the numbers, whose table has no room for it
        typer.echo("SIMULATED, not private: fitted with a seed.", err=True)


def _write_file(header: list[str], predictions: Iterable[list[Any]], file: Path) -> None:
    with file.open("w", newline="", encoding="utf-8") as stream:
        _write_rows(header, predictions, stream)


def _write_rows(header: list[str], predictions: Iterable[list[Any]], stream: TextIO) -> None:
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(predictions)


def _header(model: Model) -> list[str]:
    classes = getattr(model, "classes_", [])
    return ["prediction", *(f"probability of {each}" for each in classes if len(classes) > 2)]


def _predict(model: Model, chunk: FloatArray) -> list[list[Any]]:
    """The number itself, the probability of the second of two classes, or the likeliest of several and the
    probability of each.
    """
    from relgauss.linear_model import PrivateRidge

    rows = _without_names(model)
    if isinstance(rows, PrivateRidge):
        return [[value] for value in rows.predict(chunk).tolist()]
    chances = rows.predict_proba(chunk)
    if len(rows.classes_) <= 2:
        return [[value] for value in chances[:, -1].tolist()]
    likeliest = rows.classes_[chances.argmax(axis=1)].tolist()
    return [[first, *others] for first, others in zip(likeliest, chances.tolist(), strict=True)]


def _without_names(model: Model) -> Model:
    """The model for rows whose columns are in its order: they come as arrays, which have no names."""
    unnamed = copy(model)
    del unnamed.feature_names_in_
    return unnamed
