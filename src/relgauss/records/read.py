"""One way to name records, whatever holds them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from relgauss.errors import InvalidParameterError
from relgauss.records.dask_records import DaskRecords, is_dask
from relgauss.records.table_records import TableRecords

Records = TableRecords | DaskRecords


def read_records(
    data: Any,
    *,
    target: Any,
    features: Sequence[str] | None = None,
    categories: Mapping[str, Sequence[str]] | None = None,
    missing: float = 0.0,
    table: str | None = None,
    query: str | None = None,
    watch: Callable[[int], None] | None = None,
) -> Records:
    """Features and a target, to fit a model to: ``PrivateRidge().fit(read_records("folder", target="y"))``.

    ``data`` is a CSV or Parquet file, a folder or a pattern of them, a DuckDB database (with ``table``), a
    data frame, any of these with an SQL ``query`` (in which a file or a frame is called ``data``), a Dask
    data frame, or a Dask array whose ``target`` is a Dask vector. ``features`` are all other columns if none
    are named; ``categories`` lists the values of columns that hold no numbers; a missing number counts as
    ``missing``. All of this is public. ``watch`` is told how many rows each chunk had.
    """
    if not is_dask(data):
        return TableRecords(
            data,
            target=target,
            features=features,
            categories=categories,
            missing=missing,
            table=table,
            query=query,
            watch=watch,
        )
    for name, given in (("categories", categories), ("table", table), ("query", query), ("watch", watch)):
        if given is not None:
            raise InvalidParameterError(
                name, given, "left out for Dask", "Prepare the Dask collection first."
            )
    return DaskRecords(data, target, features=features, missing=missing)
