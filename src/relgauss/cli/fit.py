"""``relgauss fit``: a private linear model of one column of a table by the others."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from relgauss.cli import options, output
from relgauss.cli.files import check_new_files, write_all, write_new
from relgauss.cli.fit_inputs import check_within, public_moments, read_bounds, read_classes
from relgauss.cli.fit_options import (
    AllowConstant,
    Bounds,
    Classes,
    Data,
    Features,
    MechanismName,
    PublicData,
    SaveFile,
    Scratch,
    Target,
)
from relgauss.cli.fit_output import features_in_words, fit_to_dict, fit_to_html, print_fit
from relgauss.cli.forecast_fit import fit as forecast_fit
from relgauss.cli.ledger_option import left_in, open_ledger, print_left
from relgauss.cli.option_words import in_options
from relgauss.cli.pages import Pages, RegistryFile, ReportFile
from relgauss.cli.table_options import (
    Categories,
    Missing,
    Query,
    TableName,
    read_categories,
    read_missing,
)
from relgauss.errors import RelgaussError, UnrecordedReleaseWarning
from relgauss.records.table_records import TableRecords
from relgauss.report.coefficients import plot_coefficients
from relgauss.report.page import Section
from relgauss.report.style import check_plot_file

if TYPE_CHECKING:
    from relgauss.linear_model.saved import Model

_DEGRADED = 3  # the exit code of a fit that ended with a constant


def fit(
    data: Data,
    *,
    target: Target,
    epsilon: Annotated[float, typer.Option(help="Epsilon of the whole fit.")],
    delta: Annotated[float, typer.Option(help="Delta of the whole fit.")],
    features: Features = None,
    table: TableName = None,
    query: Query = None,
    scratch: Scratch = None,
    bounds: Bounds = None,
    classes: Classes = None,
    categories: Categories = None,
    missing: Missing = None,
    public_data: PublicData = None,
    alpha: Annotated[float, typer.Option(help="L2 penalty, as scikit-learn's Ridge has it.")] = 0.0,
    mechanism: MechanismName = "auto",
    allow_constant: AllowConstant = False,
    ledger: options.LedgerFile = None,
    seed: options.Seed = None,
    save: SaveFile = None,
    plot: options.PlotFile = None,
    report: ReportFile = None,
    registry: RegistryFile = None,
    dry_run: options.DryRun = False,
    force: options.Force = False,
    json: options.AsJson = False,
) -> None:
    """Fit a private linear model, or with --classes a classifier, with nothing to guess.

    FILE is CSV, Parquet, a folder of either, Excel, or a DuckDB or SQLite database. One row is one person. It
    is decoded once; what does not fit into memory goes to a scratch file without a name.
    Exit codes: 0, a model. 3, only a constant could be had. 2: a mistake, or hopeless, and nothing is spent.
    """
    from relgauss.linear_model import Degraded, HopelessFitWarning, save_model
    from relgauss.linear_model.saved import check_model_file

    if dry_run:
        if mechanism != "auto" or public_data is not None or alpha != 0:
            raise RelgaussError(
                "A forecast knows no --mechanism, --public-data or --alpha.", "Leave them out, or --dry-run."
            )
        forecast_fit(
            data,
            target=target,
            features=features,
            epsilon=epsilon,
            delta=delta,
            table=table,
            query=query,
            categories=categories,
            bounds=bounds,
            classes=classes,
            json=json,
        )
        return
    pages = Pages(report, registry)
    pages.check(simulated=seed is not None)
    check_new_files([save, plot, *pages.files], [data, public_data, ledger], force)
    if save is not None:
        check_model_file(save, "save")
    book = open_ledger(ledger)
    if plot is not None:
        check_plot_file(plot)
    listed = read_categories(categories or [])
    stated = None if classes is None else read_classes(classes)
    filled = read_missing(missing)
    with ExitStack() as stack:
        with output.working("Reading the table"):
            records = stack.enter_context(
                TableRecords(
                    data,
                    target=target,
                    features=None if features is None else [name.strip() for name in features.split(",")],
                    categories=listed,
                    missing=filled,
                    classes=stated,
                    table=table,
                    query=query,
                    scratch=scratch,
                )
            )
        names = list(records.names)
        known = read_bounds(bounds or [], names, target)
        check_within(filled, known, records.features)
        shared = {
            "alpha": alpha,
            "feature_bounds": known.features,
            "preconditioner": None
            if public_data is None
            else public_moments(public_data, records, listed, filled),
            "verbose": True,
            "random_state": seed,
            "ledger": book,
        }
        model = _model(epsilon, delta, mechanism, known.label, classes is not None, shared)
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")  # the outcome is printed in full
        warnings.simplefilter("default", UnrecordedReleaseWarning)
        if not allow_constant:
            warnings.simplefilter("error", HopelessFitWarning)  # it comes before anything is spent
        try:
            model.fit(records)
        except HopelessFitWarning as hopeless:
            reason, fix = (in_options(each, {}) for each in (hopeless.why.reason, hopeless.why.fix))
            raise RelgaussError(reason, f"{fix} Or ask for a constant: --allow-constant.") from None
    rows = records.count
    writes: list[Callable[[], object]] = []
    if save is not None:
        # Paid for: should a file of this name have come since, the model is kept beside it.
        writes.append(partial(write_new, save, partial(save_model, model, replace=True), force))
    if plot is not None:
        writes.append(partial(write_new, plot, partial(plot_coefficients, model, names, target), force))
    result = [Section("The model", fit_to_html(model))]
    title = f"{target} by {features_in_words(len(names))}, {rows:,} rows"
    writes += pages.writes(title, result, model.privacy_, force, "Machine learning model")
    failed = write_all(writes)
    if json:
        output.print_json(fit_to_dict(model, names, target, rows) | left_in(book))
    else:
        print_fit(model, names, target, rows)
        print_left(book)
    if failed is not None:
        raise failed
    if not json:
        if save is not None:
            output.print_line(f"Model: {save}")
        if plot is not None:
            output.print_line(f"Picture: {plot}")
        pages.print()
    if isinstance(model.outcome_, Degraded):
        raise typer.Exit(_DEGRADED)


def _model(
    epsilon: float,
    delta: float,
    mechanism: str,
    label_bounds: tuple[float, float] | None,
    is_classifier: bool,
    shared: dict[str, Any],
) -> Model:
    """The model to fit; what makes sense for a number only is refused for classes."""
    from relgauss.linear_model import PrivateLogisticRegression, PrivateRidge

    if not is_classifier:
        return PrivateRidge(epsilon, delta, mechanism=mechanism, label_bounds=label_bounds, **shared)
    if label_bounds is not None:
        raise RelgaussError("--bounds gives a range to a target with --classes.", "Leave one of them out.")
    if mechanism not in ("auto", "clipped"):
        raise RelgaussError(f"--mechanism {mechanism} fits no classes.", "Leave --mechanism out.")
    return PrivateLogisticRegression(epsilon, delta, **shared)
