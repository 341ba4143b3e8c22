"""``relgauss fit``: a private linear model of one column of a table by the others."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from relgauss.arrays import FloatArray
from relgauss.cli import options, output
from relgauss.cli.files import check_new_files, write_all, write_new
from relgauss.cli.ledger_option import left_in, open_ledger, print_left
from relgauss.cli.options import RESULT
from relgauss.cli.table_options import (
    KNOWN,
    TABLE,
    Categories,
    Missing,
    Query,
    TableName,
    read_categories,
)
from relgauss.errors import InvalidParameterError, RelgaussError, TableError, UnrecordedReleaseWarning
from relgauss.records.table_records import TableRecords
from relgauss.report.coefficients import plot_coefficients
from relgauss.report.style import check_plot_file

if TYPE_CHECKING:
    from relgauss.linear_model import PrivateRidge

_DEGRADED = 3  # the exit code of a fit that ended with a constant

Data = Annotated[Path, typer.Argument(metavar="FILE", help="CSV, Parquet or DuckDB database.")]
Target = Annotated[str, typer.Option(help="Column to predict.", rich_help_panel=TABLE)]
Features = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,...", help="Columns to predict by. Default: all others.", rich_help_panel=TABLE
    ),
]
Bounds = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=LOW:HIGH",
        help="Range of a column; give it for all features, or for the target, or both.",
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
MechanismName = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="auto, clipped, public-iterate, isometric or relative.",
        rich_help_panel=RESULT,
    ),
]


def fit(
    data: Data,
    *,
    target: Target,
    epsilon: Annotated[float, typer.Option(help="Epsilon of the whole fit.")],
    delta: Annotated[float, typer.Option(help="Delta of the whole fit.")],
    features: Features = None,
    table: TableName = None,
    query: Query = None,
    bounds: Bounds = None,
    categories: Categories = None,
    missing: Missing = 0.0,
    public_data: PublicData = None,
    alpha: Annotated[float, typer.Option(help="L2 penalty, as scikit-learn's Ridge has it.")] = 0.0,
    mechanism: MechanismName = "auto",
    allow_constant: AllowConstant = False,
    ledger: options.LedgerFile = None,
    seed: options.Seed = None,
    save: SaveFile = None,
    plot: options.PlotFile = None,
    force: options.Force = False,
    json: options.AsJson = False,
) -> None:
    """Fit a private linear model, with nothing to guess.

    FILE is CSV, Parquet, a folder of either, or a DuckDB database. One row is one person.
    A large table is read anew in every pass, so memory stays flat.
    Exit codes: 0, a model. 3, only a constant could be had. 2: a mistake, or hopeless, and nothing is spent.
    """
    from relgauss.linear_model import Degraded, HopelessFitWarning, PrivateRidge, save_model

    check_new_files([save, plot], [data, public_data, ledger], force)
    book = open_ledger(ledger)
    if plot is not None:
        check_plot_file(plot)
    listed = read_categories(categories or [])
    with (
        output.reading_rows("Reading") as watch,
        TableRecords(
            data,
            target=target,
            features=None if features is None else [name.strip() for name in features.split(",")],
            categories=listed,
            missing=missing,
            table=table,
            query=query,
            watch=watch,
        ) as records,
        warnings.catch_warnings(),
    ):
        names = list(records.names)
        known = _read_bounds(bounds or [], names, target)
        model = PrivateRidge(
            epsilon,
            delta,
            alpha=alpha,
            mechanism=mechanism,
            feature_bounds=known.features,
            label_bounds=known.label,
            preconditioner=None if public_data is None else _moments(public_data, records, listed, missing),
            random_state=seed,
            ledger=book,
        )
        warnings.simplefilter("ignore")  # the outcome is printed in full
        warnings.simplefilter("default", UnrecordedReleaseWarning)
        if not allow_constant:
            warnings.simplefilter("error", HopelessFitWarning)  # it comes before anything is spent
        try:
            model.fit(records)
        except HopelessFitWarning as hopeless:
            reason, fix = hopeless.why.reason, hopeless.why.fix
            raise RelgaussError(reason, f"{fix} Or ask for a constant: --allow-constant.") from None
    rows = records.count
    writes: list[Callable[[], object]] = []
    if save is not None:
        writes.append(partial(save_model, model, save, replace=force))
    if plot is not None:
        writes.append(partial(write_new, plot, partial(plot_coefficients, model, names, target), force))
    failed = write_all(writes)
    if json:
        output.print_json(_to_dict(model, names, target, rows) | left_in(book))
    else:
        _print_text(model, names, target, rows)
        print_left(book)
    if failed is not None:
        raise failed
    if not json:
        if save is not None:
            output.print_line(f"Model: {save}")
        if plot is not None:
            output.print_line(f"Picture: {plot}")
    if isinstance(model.outcome_, Degraded):
        raise typer.Exit(_DEGRADED)


@dataclass(frozen=True)
class _KnownBounds:
    features: tuple[FloatArray, FloatArray] | None
    label: tuple[float, float] | None


def _read_bounds(bounds: list[str], names: list[str], target: str) -> _KnownBounds:
    given: dict[str, tuple[float, float]] = {}
    for bound in bounds:
        name, _, ends = bound.rpartition("=")
        low, _, high = ends.partition(":")
        if name in given:
            raise InvalidParameterError("bounds", bound, f"new: {name!r} is given twice", "Pass one range.")
        try:
            given[name] = float(low), float(high)
            if not given[name][0] <= given[name][1]:
                raise ValueError("low above high")
        except ValueError:
            raise InvalidParameterError(
                "bounds", bound, "COLUMN=LOW:HIGH with LOW <= HIGH", "Write for example --bounds age=0:120."
            ) from None
    for name in given:
        if name not in (*names, target):
            raise InvalidParameterError("bounds", name, "a feature or the target", "Check the column's name.")
    known = [name for name in names if name in given]
    if known and len(known) < len(names):
        missing = ", ".join(repr(name) for name in names if name not in given)
        raise InvalidParameterError("bounds", known, "given for all features or for none", f"Add {missing}.")
    low_high = np.array([given[name] for name in known]).T if known else None
    return _KnownBounds(None if low_high is None else (low_high[0], low_high[1]), given.get(target))


def _moments(
    file: Path, records: TableRecords, categories: dict[str, list[str]], missing: float
) -> tuple[FloatArray, FloatArray]:
    """The mean and the covariance of public records, whose columns are read as the private ones are."""
    with TableRecords(
        file, target=None, features=records.features, categories=categories, missing=missing
    ) as public:
        features = np.concatenate([chunk for chunk, _ in public.chunks()])
    if len(features) <= records.columns:
        raise TableError(
            f"{file} has {len(features)} rows, too few for a covariance of {records.columns} features.",
            "Pass more public records.",
        )
    return features.mean(axis=0), np.atleast_2d(np.cov(features.T))


def _to_dict(model: PrivateRidge, names: list[str], target: str, rows: int) -> dict[str, Any]:
    from relgauss.linear_model.summary import INTERCEPT

    outcome = model.outcome_
    return {
        "target": target,
        "rows": rows,
        "coefficients": dict(zip(names, model.coef_.tolist(), strict=True)),
        "intercept": float(model.intercept_),
        "standard_errors": dict(zip([*names, INTERCEPT], model.standard_errors_.tolist(), strict=True)),
        "intervals": dict(zip([*names, INTERCEPT], model.intervals_.T.tolist(), strict=True)),
        "feature_range": dict(zip(names, np.stack(model.feature_range_).T.tolist(), strict=True)),
        "prediction_range": list(model.prediction_range_),
        "label_range": list(model.label_range_),
        "outcome": {"kind": type(outcome).__name__.lower(), **vars(outcome)},
        "privacy": model.privacy_.to_dict(),
    }


def _print_text(model: PrivateRidge, names: list[str], target: str, rows: int) -> None:
    from relgauss.linear_model import Degraded

    simulated = model.privacy_.simulated
    if simulated:
        output.console.print("[bold]SIMULATED, not private[/bold]")
    noise = "simulated" if simulated else "secure"
    output.print_line(f"{target} by {len(names)} features: {rows:,} rows, {noise} noise.")
    outcome = model.outcome_
    if isinstance(outcome, Degraded):
        output.print_line(f"Degraded to a constant: {outcome.reason} {outcome.fix}")
        output.print_pairs({"constant": f"{model.intercept_:.6g}"})
    else:
        _, *lines = str(model.summary()).splitlines()
        for line in lines:
            output.print_line(line)
    output.console.print()
    output.print_statement(model.privacy_)
