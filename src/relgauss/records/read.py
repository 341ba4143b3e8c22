"""One way to name records, whatever holds them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from relgauss.errors import InvalidParameterError
from relgauss.records.columns import Missing, sorted_classes
from relgauss.records.dask_records import DaskRecords, is_dask
from relgauss.records.table_records import TableRecords

Records = TableRecords | DaskRecords


def read_records(
    data: Any,
    *,
    target: Any,
    features: Sequence[str] | None = None,
    categories: Mapping[str, Sequence[str]] | None = None,
    missing: Missing = None,
    classes: Sequence[str | float] | None = None,
    table: str | None = None,
    query: str | None = None,
    scratch: str | Path | None = None,
    watch: Callable[[int], None] | None = None,
) -> Records:
    """Features and a target, to fit a model to: ``PrivateRidge().fit(read_records("folder", target="y"))``.

    Everything that is passed is public, but for what the records hold.

    Parameters
    ----------
    data : path, data frame or Dask collection
        A CSV or Parquet file, a folder or a pattern of them, a DuckDB database (with ``table``), a data
        frame, a Dask data frame or a Dask array.
    target : str, or Dask vector for a Dask array; None for records to predict for
        The column to predict.
    features : list of str or None
        The columns to predict from; None for all others.
    categories : mapping of str to list of str, or None
        The values of each column that holds no numbers: each becomes a column of 0 and 1.
    missing : float, mapping of str to float or str, or None
        What a missing number counts as, in all features or in each column. With one number a missing category
        counts as the first, in a mapping as the value that is named there. None: a table with missing values
        is refused; so is one with such values in a column that a mapping does not name. A missing number of
        the target, or a missing label, is refused unless a mapping names the target.
    classes : list of str or float, or None
        The classes of a target that holds no number, for a classifier: all that there may be. Any other value
        has the number -1: a fit counts it as the first of them when sorted, and tells how many there are.
        ``missing={target: class}`` says what a missing label counts as.
    table : str or None
        The table of a DuckDB database.
    query : str or None
        SQL that selects the records; in it a file or a frame is called ``data``.
    scratch : path or None
        The folder for a scratch file, which has no name and is gone when the process ends, for records that
        do not fit into memory; None for the system's folder of temporary files.
    watch : callable or None
        Is told how many rows each chunk had.

    Returns
    -------
    TableRecords or DaskRecords
        To be passed to ``fit``.
    """
    if not is_dask(data):
        return TableRecords(
            data,
            target=target,
            features=features,
            categories=categories,
            missing=missing,
            classes=None if classes is None else sorted_classes(classes),
            table=table,
            query=query,
            scratch=scratch,
            watch=watch,
        )
    left_out = {
        "categories": categories,
        "classes": classes,
        "table": table,
        "query": query,
        "scratch": scratch,
        "watch": watch,
    }
    for name, given in left_out.items():
        if given is not None:
            raise InvalidParameterError(
                name, given, "left out for Dask", "Prepare the Dask collection first."
            )
    if isinstance(missing, Mapping):
        fix = "Pass what a missing one counts as, in all features."
        raise InvalidParameterError("missing", missing, "one number, or left out, for Dask", fix)
    return DaskRecords(data, target, features=features, missing=missing)
