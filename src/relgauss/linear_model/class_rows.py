"""Rows whose labels are numbers of classes, from arrays, frames or records that were read from a table."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from relgauss.errors import InvalidParameterError
from relgauss.linear_model.classes import (
    check_zero_or_one,
    label_column,
    read_classes,
    refuse_missing,
    stated_classes,
)
from relgauss.linear_model.inputs import features_and_labels, named_rows
from relgauss.records.blocks import ArrayRows, CountedRows, Rows
from relgauss.records.read import Records


class ClassRows(NamedTuple):
    """The rows, the classes in order, and whether these were stated or are assumed to be public."""

    rows: Rows
    classes: NDArray[Any]
    are_stated: bool


def class_rows(model: BaseEstimator, X: ArrayLike | Records, y: ArrayLike | None) -> ClassRows:
    """What a classifier is fitted to."""
    stated = None if model.classes is None else stated_classes(model.classes)
    if isinstance(X, Records):
        return _numbered_rows(model, X, y, stated)
    if stated is not None and y is not None:
        features, coded = features_and_labels(model, X, label_column(y, stated), y_numeric=False)
        return ClassRows(ArrayRows(features, coded, model.n_jobs), stated, True)
    if y is not None:
        refuse_missing(y)
    features, labels = features_and_labels(model, X, y, y_numeric=False)
    read = read_classes(labels)
    coded = np.searchsorted(read, labels).astype(np.float64)
    return ClassRows(ArrayRows(features, coded, model.n_jobs), read, False)


def _numbered_rows(
    model: BaseEstimator, records: Records, y: ArrayLike | None, stated: NDArray[Any] | None
) -> ClassRows:
    """Records hold numbers, of classes that they list or of those that the model states."""
    rows = CountedRows(named_rows(model, records, y))
    if records.classes is not None:
        listed = np.array(records.classes)
        if stated is not None and stated.tolist() != listed.tolist():
            fix = "Pass classes to read_records, or the same here."
            raise InvalidParameterError("classes", model.classes, "those of the records", fix)
        return ClassRows(rows, listed, True)
    if stated is not None and stated.dtype.kind == "U":
        fix = "Pass them to read_records too, so that its target may be text."
        raise InvalidParameterError("classes", model.classes, "numbers", fix)
    classes = np.array([0, 1]) if stated is None else stated
    if stated is None:
        check_zero_or_one(rows)
    numbers = classes.astype(np.float64)
    labelled = rows.relabelled(lambda labels: label_column(labels, numbers))
    return ClassRows(labelled, classes, stated is not None)
