"""Which columns of a table become numbers, and by which rules for missing values, categories, classes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from relgauss import validate
from relgauss.errors import InvalidParameterError
from relgauss.records.class_column import ClassNumber
from relgauss.records.column_kinds import Category, Column, Number, is_boolean
from relgauss.records.tables import Table

# What a missing number counts as, in all features or in each column; there, a missing category as one of its
# values.
Missing = float | Mapping[str, float | str] | None

_SHOWN = 10  # features in a message
_TRUTHS = ("false", "true")


def sorted_classes(classes: Sequence[str | float]) -> tuple[str | float, ...]:
    """Classes that are stated, two or more of one kind, in order."""
    listed = [] if isinstance(classes, str | bytes) else list(classes)
    kinds = {isinstance(each, str) for each in listed}
    if len(listed) < 2 or len(set(listed)) < len(listed) or len(kinds) > 1:
        fix = "Pass all that there may be, such as ['no', 'yes']."
        raise InvalidParameterError("classes", classes, "a list of different texts, or of numbers", fix)
    return tuple(sorted(listed))


def read_columns(
    table: Table,
    target: str | None,
    features: Sequence[str] | None,
    categories: Mapping[str, Sequence[str]],
    classes: Sequence[str | float] | None = None,
    *,
    missing: Missing = None,
    booleans: Collection[str] | None = None,
) -> tuple[list[Column], list[Column]]:
    """The features (all other columns, if none are named), and the target, if there is one.

    If it is known which columns are ``booleans``, all other features without categories hold numbers.
    """
    targets: list[Column] = []
    if target is not None:
        # One number for all features is none for labels.
        own = missing if isinstance(missing, Mapping) else None
        targets = [
            _number(table, target, own, booleans) if classes is None else _class(target, tuple(classes), own)
        ]
    names = check_features(list(table.types), target, features)
    for name in categories:
        if name not in names:
            raise InvalidParameterError("categories", name, "a feature", _features_are(names))
    if isinstance(missing, Mapping):
        for name in missing:
            if name not in (*names, target):
                raise InvalidParameterError("missing", name, "a feature or the target", _features_are(names))
    columns: list[Column] = [
        _number(table, name, missing, booleans)
        if name not in categories
        else _category(name, categories[name], missing)
        for name in names
    ]
    for column in [*columns, *targets]:
        table.column(column.name)
    return columns, targets


def _features_are(names: Sequence[str]) -> str:
    return f"The features are {', '.join(map(repr, names[:_SHOWN]))}{', ...' if len(names) > _SHOWN else ''}."


def checked_missing(missing: object) -> Missing:
    """What missing values count as: a number, one for each of some columns, or None if there may be none.

    Of a column of categories it is one of its values, of one of booleans true or false.
    """
    fix = "Pass the number that a missing value counts as, or one for each column: {'age': 40.0}."
    if missing is None:
        return None
    if isinstance(missing, Mapping):
        return {str(name): _stated(f"missing[{name!r}]", each, fix) for name, each in missing.items()}
    return validate.number("missing", missing, fix)


def _stated(name: str, value: object, fix: str) -> float | str:
    """A text, a truth or a number."""
    if isinstance(value, np.bool_):
        return bool(value)
    return value if isinstance(value, str | bool) else validate.number(name, value, fix)


def zero_or_one_by_rules(reading: Mapping[str, Any] | None) -> set[str]:
    """The features that are 0 or 1 by the rules of reading: those of categories, and columns of booleans."""
    if reading is None:
        return set()
    dummies = {f"{name}={value}" for name, values in reading["categories"].items() for value in values[1:]}
    return dummies | set(reading.get("booleans") or ())


def missing_number(missing: Missing, name: str) -> float | None:
    """What a missing number of this column counts as; None if there may be none."""
    number = missing.get(name) if isinstance(missing, Mapping) else missing
    return None if isinstance(number, str) else number


def check_features(held: Sequence[str], target: str | None, features: Sequence[str] | None) -> list[str]:
    """The names of the features; all that a table holds but the target, if none are given."""
    names = [name for name in held if name != target] if features is None else list(features)
    if isinstance(features, str) or target in names or not names or len(set(names)) < len(names):
        raise InvalidParameterError(
            "features", features, "a list of other columns than the target, each once", "Name at least one."
        )
    return names


def _number(table: Table, name: str, missing: Missing, booleans: Collection[str] | None) -> Number:
    """A column of numbers or of booleans; of the latter, what is missing is true or false, or refused."""
    is_truth = is_boolean(table, name) if booleans is None else name in booleans
    own = missing.get(name) if isinstance(missing, Mapping) else missing
    if is_truth and isinstance(own, str) and own.lower() in _TRUTHS:
        own = bool(_TRUTHS.index(own.lower()))
    if is_truth and isinstance(missing, Mapping) and own not in (None, 0, 1):
        fix = "Pass one of them: the column holds booleans."
        raise InvalidParameterError(f"missing[{name!r}]", own, "true or false", fix)
    if isinstance(own, str) or (isinstance(own, bool) and not is_truth):
        fix = "Pass a number, or list the column's values as categories."
        raise InvalidParameterError(f"missing[{name!r}]", own, "a number", fix)
    is_none = own is None or (is_truth and own not in (0, 1))
    return Number(name, None if is_none else float(own or 0), is_truth, booleans is not None)


def _category(name: str, values: Sequence[str], missing: Missing) -> Category:
    own = missing.get(name) if isinstance(missing, Mapping) else None
    listed = _values(name, values)
    if own is None:
        return Category(name, listed, missing is not None and not isinstance(missing, Mapping))
    column = Category(name, listed)
    found = [each for each in listed if column.compared(each) == column.compared(str(own))]
    if not found:
        fix = "Pass one of the values that are listed as its categories."
        raise InvalidParameterError(f"missing[{name!r}]", own, f"one of {', '.join(map(repr, listed))}", fix)
    return Category(name, listed, True, found[0])


def _class(
    name: str, classes: tuple[str | float, ...], missing: Mapping[str, float | str] | None
) -> ClassNumber:
    """A target of classes, one of which a missing label may count as."""
    own = None if missing is None else missing.get(name)
    if own is None:
        return ClassNumber(name, classes)
    if own not in classes:
        fix = "Pass one of the classes."
        raise InvalidParameterError(f"missing[{name!r}]", own, f"one of {', '.join(map(repr, classes))}", fix)
    return ClassNumber(name, classes, float(classes.index(own)))


def _values(name: str, values: Sequence[str]) -> tuple[str, ...]:
    texts = tuple(str(value) for value in values)
    different = set(map(Category(name, texts).compared, texts))
    if isinstance(values, str) or len(texts) < 2 or len(different) < len(texts):
        fix = "Pass all categories that there may be, at least two."
        raise InvalidParameterError(f"categories[{name!r}]", values, "a list of different values", fix)
    return texts
