"""What a model is given: arrays, data frames, or records that were read from a table.

A frame with categories or missing values is read as a file is, by the same public rules, so that a model is
the same whichever way its records come; what a fit took, a prediction takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from relgauss.arrays import FloatArray
from relgauss.errors import InvalidParameterError, InvalidValueError, TableError
from relgauss.linear_model.checked import checked_data, checked_features, is_frame, refuse_features
from relgauss.linear_model.public_knowledge import PublicKnowledge
from relgauss.records.blocks import Rows
from relgauss.records.columns import Missing, checked_missing, missing_number
from relgauss.records.frames import check_names
from relgauss.records.read import Records
from relgauss.records.table_records import TableRecords
from relgauss.records.tables import FIRST_ROWS

_SHOWN = 10  # columns in a message
_REFUSED = {
    "sample_weight": "every record counts once, or the bound on what it moves would not hold",
    "groups": "one row is one person",
    "person": "one row is one person",
}
_REFUSED_FIX = {
    "sample_weight": "Leave it out.",
    "groups": "Make one row of each person's rows by a public rule first, such as their mean.",
    "person": "Make one row of each person's rows by a public rule first, such as their mean.",
}


def refuse_others(given: Mapping[str, object]) -> None:
    """Refuse what scikit-learn's estimators may take for a fit, and these do not, by name."""
    for name, value in given.items():
        if name not in _REFUSED:
            raise TypeError(f"fit() got an unexpected keyword argument {name!r}")
        if value is not None:
            raise InvalidValueError(f"fit takes no {name}: {_REFUSED[name]}.", _REFUSED_FIX[name])


def named_rows(model: BaseEstimator, records: Records, y: ArrayLike | None) -> Rows:
    """The rows of records that name their features; the model remembers the names and how they were read."""
    if y is not None:
        raise InvalidParameterError("y", type(y).__name__, "left out", "The records have their target.")
    if records.target is None:
        raise InvalidParameterError("target", None, "a column", "Name it: read_records(..., target='pay').")
    for name in ("categories", "missing"):
        if getattr(model, name) is not None:
            fix = f"Pass {name} to read_records."
            raise InvalidParameterError(name, getattr(model, name), "left out for records", fix)
    model.n_features_in_ = records.columns
    model.feature_names_in_ = np.array(records.names, dtype=object)
    model._booleans = records.booleans if isinstance(records, TableRecords) else ()
    model.reading_ = _reading(records, model._booleans)
    return records.rows(model.n_jobs)


def features_and_labels(
    model: BaseEstimator, X: ArrayLike, y: ArrayLike | None, *, y_numeric: bool
) -> tuple[FloatArray, NDArray[Any]]:
    """What arrays or a frame hold, to fit to; the model remembers the names and how they were read."""
    missing = None if model.missing is None else checked_missing(model.missing)
    model._booleans = ()
    if isinstance(missing, Mapping) and not is_frame(X):
        fix = "Pass one number, or a data frame, whose columns have names."
        raise InvalidParameterError("missing", missing, f"a number for a {type(X).__name__}", fix)
    if not isinstance(missing, Mapping) and model.categories is None and (missing is None or not is_frame(X)):
        found = checked_data(model, X, y, missing, y_numeric=y_numeric)
        if missing is not None:
            model.reading_ = {"missing": missing, "categories": {}, "booleans": []}
        return found
    if not is_frame(X):
        fix = "Pass a data frame, whose columns have names."
        raise InvalidParameterError("categories", model.categories, f"left out for a {type(X).__name__}", fix)
    categories = model.categories or {}
    if not isinstance(categories, Mapping):
        fix = "Pass the values of each column: categories={'city': ['Bern', 'Rome']}."
        raise InvalidParameterError("categories", categories, "a mapping of columns to lists", fix)
    features, records = _read_frame(X, None, categories, missing)
    features, labels = checked_data(model, features, y, y_numeric=y_numeric)
    model.feature_names_in_ = np.array(records.names, dtype=object)
    model._booleans = records.booleans
    model.reading_ = _reading(records, records.booleans)
    return features, labels


def zero_or_one(model: BaseEstimator, X: ArrayLike | Records) -> set[str]:
    """The features that are 0 or 1 by public rules: those of categories, and columns of booleans."""
    import narwhals as nw

    reading = getattr(model, "reading_", None) or {"categories": {}}
    names = {f"{name}={value}" for name, values in reading["categories"].items() for value in values[1:]}
    frame = nw.from_native(X, pass_through=True)
    booleans: Iterable[str] = model._booleans  # as the table was read
    if isinstance(frame, nw.DataFrame | nw.LazyFrame):
        kinds = frame.collect_schema().items()
        booleans = {*booleans, *(name for name, kind in kinds if kind == nw.Boolean)}
    elif isinstance(X, np.ndarray) and X.dtype == bool:
        booleans = [f"x{j}" for j in range(X.shape[-1])]
    return names | set(booleans)


def check_missing_within(model: BaseEstimator, known: PublicKnowledge) -> None:
    """Refuse a number for missing values that stated bounds would clip: it would count as another."""
    reading = getattr(model, "reading_", None)
    if known.features is None or reading is None:
        return
    missing = reading["missing"]
    dummies = {f"{name}={value}" for name, values in reading["categories"].items() for value in values}
    names = [str(name) for name in getattr(model, "feature_names_in_", range(known.columns))]
    for name, low, high, is_free in zip(names, *known.features, known.zero_or_one, strict=True):
        number = missing_number(missing, name)
        if name not in dummies and not is_free and number is not None and not low <= number <= high:
            raise InvalidParameterError(
                f"missing of {name!r}",
                number,
                f"within its bounds, {low:g} to {high:g}",
                "Pass wider bounds, or another number: missing may name each column and its number.",
            )


def features_to_predict(model: BaseEstimator, X: ArrayLike | Records) -> FloatArray:
    """The features of arrays, frames or records, in the order of the model's."""
    reading = getattr(model, "reading_", None)
    if isinstance(X, Records):
        if list(X.names) != list(getattr(model, "feature_names_in_", [])):
            raise InvalidValueError(
                "The records have other features than the model was fitted to.",
                "Read them by the same names, categories and order.",
            )
        return np.concatenate([features for features, _ in X.chunks()])
    if reading is not None and hasattr(model, "feature_names_in_") and is_frame(X):
        columns = columns_read(model.feature_names_in_, reading["categories"])
        _check_columns(X, columns)
        known = reading.get("booleans")  # models of earlier versions do not know
        with told_of_predictions():
            return _read_frame(X, columns, reading["categories"], reading["missing"], known)[0]
    return checked_features(model, X, None if reading is None else reading["missing"])


@contextmanager
def told_of_predictions() -> Iterator[None]:
    """What can be done about a value that no rule covers, where the rules are a model's."""
    try:
        yield
    except TableError as error:
        if "holds values" not in error.cause:
            raise
        fix = "The model knows no others: leave such records out, or give them values it was fitted to."
        raise TableError(error.cause, fix) from None


def _check_columns(frame: ArrayLike, columns: Sequence[str]) -> None:
    """Refuse a frame that lacks columns which the model was fitted to."""
    import narwhals as nw

    held = set(nw.from_native(frame).collect_schema().names())  # type: ignore[call-overload]
    lacking = [name for name in columns if name not in held]
    if lacking:
        raise TableError(
            f"The data frame has no column {_listed(lacking)}.",
            f"Pass all columns that the model was fitted to: {_listed(columns)}.",
        )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:_SHOWN])) + (", ..." if len(names) > _SHOWN else "")


def labels_of(X: ArrayLike | Records, y: ArrayLike | None) -> ArrayLike | None:
    """Labels to compare predictions with; records have their own."""
    if not isinstance(X, Records):
        return y
    if y is not None or X.target is None:
        raise InvalidParameterError("y", type(y).__name__, "left out", "Records have a target of their own.")
    return np.concatenate([labels for _, labels in X.chunks()])


def target_of(X: ArrayLike | Records, y: ArrayLike | None) -> str | None:
    """What the label is called, where it has a name."""
    name = X.target if isinstance(X, Records) else getattr(y, "name", None)
    return name if isinstance(name, str) else None


def columns_read(names: Sequence[str], categories: Mapping[str, Sequence[str]]) -> list[str]:
    """The columns of a table that features of these names come from, in order."""
    column_of = {f"{column}={value}": column for column, values in categories.items() for value in values}
    return list(dict.fromkeys(column_of.get(str(name), str(name)) for name in names))


def _read_frame(
    frame: ArrayLike,
    columns: Sequence[str] | None,
    categories: Mapping[str, Sequence[str]],
    missing: Missing,
    booleans: Sequence[str] | None = None,
) -> tuple[FloatArray, TableRecords]:
    """All numbers of a frame, and the closed records that they were; a model knows its ``booleans``."""
    if isinstance(frame, Sized) and len(frame) == 0:
        raise InvalidValueError("The data frame has no rows.", "Pass at least one record.")
    check_names(frame)
    left_out = [*categories, *_texts_of_truths(frame)] if booleans is None else list(categories)
    refuse_features(frame, left_out, columns, is_known=booleans is not None)
    with TableRecords(
        frame, target=None, features=columns, categories=categories, missing=missing, booleans=booleans
    ) as records:
        return np.concatenate([features for features, _ in records.chunks()]), records


def _texts_of_truths(frame: ArrayLike) -> list[str]:
    """The columns of text that are read as booleans, as those of a file are: by their first rows."""
    import narwhals as nw

    table = nw.from_native(frame, eager_only=True, pass_through=True)
    if not isinstance(table, nw.DataFrame):
        return []
    names = [name for name, kind in table.schema.items() if kind == nw.String]
    first = {name: table[name].head(FIRST_ROWS).drop_nulls().to_list() for name in names}
    held = {name: {str(each).strip().lower() for each in first[name]} - {""} for name in names}
    return [name for name in names if held[name] and held[name] <= {"true", "false"}]


def _reading(records: Records, booleans: Iterable[str]) -> dict[str, Any]:
    """How records were read, for predictions."""
    categories = {name: [str(value) for value in values] for name, values in records.categories.items()}
    return {"missing": records.missing, "categories": categories, "booleans": list(booleans)}
