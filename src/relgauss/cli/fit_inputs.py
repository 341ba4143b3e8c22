"""What ``relgauss fit`` is told about a table: bounds, classes, public records."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.errors import InvalidParameterError, TableError
from relgauss.records.columns import Missing, missing_number, sorted_classes
from relgauss.records.table_records import TableRecords


@dataclass(frozen=True)
class KnownBounds:
    """Of some features, by name, and of the target."""

    features: dict[str, tuple[float, float]] | None
    label: tuple[float, float] | None


def read_bounds(bounds: list[str], names: list[str], target: str) -> KnownBounds:
    """COLUMN=LOW:HIGH as ranges; an end of a feature may be inf or -inf, but not both."""
    from relgauss.linear_model.public_knowledge import LARGEST_BOUND

    given: dict[str, tuple[float, float]] = {}
    for bound in bounds:
        name, _, ends = bound.rpartition("=")
        low, _, high = ends.partition(":")
        if name in given:
            raise InvalidParameterError("bounds", bound, f"new: {name!r} is given twice", "Pass one range.")
        try:
            given[name] = float(low), float(high)
            if not given[name][0] <= given[name][1] or not any(map(math.isfinite, given[name])):
                raise ValueError("no range")
        except ValueError:
            raise InvalidParameterError(
                "bounds", bound, "COLUMN=LOW:HIGH with LOW <= HIGH", "Write for example --bounds age=0:120."
            ) from None
    for name, pair in given.items():
        if name not in (*names, target):
            raise InvalidParameterError("bounds", name, "a feature or the target", "Check the column's name.")
        requirement = ""
        if any(math.isfinite(end) and abs(end) > LARGEST_BOUND for end in pair):
            requirement = f"within ±{LARGEST_BOUND:g}"
        elif name == target and not (all(map(math.isfinite, pair)) and pair[0] < pair[1]):
            requirement = "two different numbers for the target"
        if requirement:
            fix = "Write others, or leave them out: the range is then found."
            raise InvalidParameterError("bounds", f"{name}={pair[0]:g}:{pair[1]:g}", requirement, fix)
    return KnownBounds({name: given[name] for name in names if name in given} or None, given.get(target))


def check_within(missing: Missing, known: KnownBounds, columns: Sequence[str]) -> None:
    """Refuse a number for missing values that stated bounds of a column would clip to another."""
    for name, (low, high) in (known.features or {}).items():
        number = missing_number(missing, name)
        if name in columns and number is not None and not low <= number <= high:
            within = low if math.isfinite(low) else high
            raise InvalidParameterError(
                "missing",
                number,
                f"within the bounds of {name!r}, {low:g} to {high:g}",
                f"Pass one for each column that has gaps, such as --missing {name}={within:g}.",
            )


def read_classes(classes: str) -> tuple[str | float, ...]:
    """A,B,... as numbers, if all of them are, or as text; in order."""
    listed: list[str | float] = [each.strip() for each in classes.split(",")]
    try:
        numbers = [float(each) for each in listed]
    except ValueError:
        return sorted_classes(listed)
    return sorted_classes([int(each) if each.is_integer() else each for each in numbers])


def public_moments(
    file: Path, records: TableRecords, categories: dict[str, list[str]], missing: Missing
) -> tuple[FloatArray, FloatArray]:
    """The mean and the covariance of public records, whose columns are read as the private ones are."""
    from relgauss.linear_model.public_knowledge import read_public_knowledge

    if isinstance(missing, Mapping):  # that of the target has no say here
        missing = {name: each for name, each in missing.items() if name in records.features}
    with TableRecords(
        file, target=None, features=records.features, categories=categories, missing=missing
    ) as public:
        features = np.concatenate([chunk for chunk, _ in public.chunks()])
    if len(features) <= records.columns:
        raise TableError(
            f"{file} has {len(features)} rows, too few for a covariance of {records.columns} features.",
            "Pass more public records.",
        )
    moments = features.mean(axis=0), np.atleast_2d(np.cov(features.T))
    try:
        read_public_knowledge(records.names, None, None, moments, None, None)
    except InvalidParameterError:
        raise TableError(
            f"Some columns of {file} do not vary, or follow from others.",
            "Pass public records in which all features vary, or leave columns out: --features.",
        ) from None
    return moments
