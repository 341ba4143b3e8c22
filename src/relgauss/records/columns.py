"""Which columns of a table become numbers, and by which rules for missing values, categories, classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from relgauss import validate
from relgauss.errors import InvalidParameterError
from relgauss.records.column_kinds import Category, ClassNumber, Column, Number
from relgauss.records.tables import Table

# What a missing number counts as, in all features or in each column; there, a missing category as one of its
# values.
Missing = float | Mapping[str, float | str] | None

_SHOWN = 10  # features in a message


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
) -> tuple[list[Column], list[Column]]:
    """The features (all other columns, if none are named), and the target, if there is one."""
    targets: list[Column] = []
    if target is not None:
        may_be_missing = missing_label(missing, target) is not None
        targets = [Number(target, may_be_missing) if classes is None else ClassNumber(target, tuple(classes))]
    names = check_features(list(table.types), target, features)
    for name in categories:
        if name not in names:
            raise InvalidParameterError("categories", name, "a feature", _features_are(names))
    if isinstance(missing, Mapping):
        for name in missing:
            if name not in (*names, target):
                raise InvalidParameterError("missing", name, "a feature or the target", _features_are(names))
    columns = [_column(name, categories.get(name), missing) for name in names]
    for column in [*columns, *targets]:
        table.column(column.name)
    return columns, targets


def _features_are(names: Sequence[str]) -> str:
    return f"The features are {', '.join(map(repr, names[:_SHOWN]))}{', ...' if len(names) > _SHOWN else ''}."


def checked_missing(missing: object) -> Missing:
    """What missing values count as: a number, one for each of some columns, or None if there may be none.

    Of a column of categories it is one of its values.
    """
    fix = "Pass the number that a missing value counts as, or one for each column: {'age': 40.0}."
    if missing is None:
        return None
    if isinstance(missing, Mapping):
        return {
            str(name): each if isinstance(each, str) else validate.number(f"missing[{name!r}]", each, fix)
            for name, each in missing.items()
        }
    return validate.number("missing", missing, fix)


def missing_number(missing: Missing, name: str) -> float | None:
    """What a missing number of this column counts as; None if there may be none."""
    number = missing.get(name) if isinstance(missing, Mapping) else missing
    return None if isinstance(number, str) else number


def missing_label(missing: Missing, target: str) -> float | None:
    """What a missing number of the target counts as: a number for all features is none for labels."""
    return missing_number(missing, target) if isinstance(missing, Mapping) else None


def check_features(held: Sequence[str], target: str | None, features: Sequence[str] | None) -> list[str]:
    """The names of the features; all that a table holds but the target, if none are given."""
    names = [name for name in held if name != target] if features is None else list(features)
    if isinstance(features, str) or target in names or not names or len(set(names)) < len(names):
        raise InvalidParameterError(
            "features", features, "a list of other columns than the target, each once", "Name at least one."
        )
    return names


def _column(name: str, values: Sequence[str] | None, missing: Missing) -> Column:
    own = missing.get(name) if isinstance(missing, Mapping) else None
    if values is None:
        if isinstance(own, str):
            fix = "Pass a number, or list the column's values as categories."
            raise InvalidParameterError(f"missing[{name!r}]", own, "a number", fix)
        return Number(name, missing_number(missing, name) is not None)
    listed = _values(name, values)
    if own is None:
        return Category(name, listed, missing is not None and not isinstance(missing, Mapping))
    if str(own) not in listed:
        fix = "Pass one of the values that are listed as its categories."
        raise InvalidParameterError(f"missing[{name!r}]", own, f"one of {', '.join(map(repr, listed))}", fix)
    return Category(name, listed, True, str(own))


def _values(name: str, values: Sequence[str]) -> tuple[str, ...]:
    texts = tuple(str(value) for value in values)
    if isinstance(values, str) or len(texts) < 2 or len(set(texts)) < len(texts):
        fix = "Pass all categories that there may be, at least two."
        raise InvalidParameterError(f"categories[{name!r}]", values, "a list of different values", fix)
    return texts
