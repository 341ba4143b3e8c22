"""What ``relgauss forecast`` is told: numbers of records and features, sizes of groups, a target."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from relgauss.cli import output
from relgauss.cli.fit_inputs import read_bounds, read_classes
from relgauss.cli.table_options import read_categories
from relgauss.errors import InvalidParameterError, RelgaussError


def numbers_of(
    data: Path | None,
    target: str | None,
    features: str | None,
    records: int | None,
    table: str | None,
    query: str | None,
    categories: list[str] | None,
    bounds: list[str] | None,
    classes: str | None,
) -> tuple[int, int, dict[str, Any]]:
    """The numbers of records and of features, what bounds are known, and how many classes."""
    number = 0 if classes is None else len(read_classes(classes))
    if data is None:
        if records is None or features is None or not features.isdecimal():
            raise RelgaussError(
                "The numbers of records and features are not stated.",
                "Pass --records 20000 --features 10, or FILE and --target.",
            )
        if bounds or categories:
            raise RelgaussError(
                "--bounds and --categories name columns of FILE.", "Pass FILE, or leave them out."
            )
        return records, int(features), {"classes": number}
    if records is not None or target is None:
        raise RelgaussError("FILE needs --target and no --records.", "Name the column to predict.")
    rows, names = _public_numbers_of(data, target, features, table, query, categories)
    return rows, len(names), _known_bounds(bounds, names, target) | {"classes": number}


def _public_numbers_of(
    data: Path,
    target: str,
    features: str | None,
    table: str | None,
    query: str | None,
    categories: list[str] | None,
) -> tuple[int, tuple[str, ...]]:
    """The number of rows of a file, and the names of the features."""
    from relgauss.forecast.public_numbers import numbers_for_fit

    with output.working("Counting the rows"):
        return numbers_for_fit(
            data,
            target=target,
            features=None if features is None else [name.strip() for name in features.split(",")],
            categories=read_categories(categories or []),
            table=table,
            query=query,
        )


def _known_bounds(bounds: list[str] | None, names: tuple[str, ...], target: str) -> dict[str, bool]:
    """Whether the bounds cover all features, and the target: a part of them is counted as none."""
    given = read_bounds(bounds or [], list(names), target)
    covered = given.features is not None and set(given.features) >= set(names)
    return {"feature_bounds": covered, "label_bounds": given.label is not None}


def read_sizes(sizes: str) -> dict[Any, int] | list[int]:
    """A=400,B=60 or 400,60 as sizes of groups."""
    fix = "Write for example --sizes nurse=400,pilot=60, or --sizes 400,60."
    named: dict[Any, int] = {}
    plain: list[int] = []
    for each in sizes.split(","):
        name, sign, size = each.rpartition("=")
        if not size.strip().isdecimal() or (sign and name in named):
            raise InvalidParameterError("sizes", each, "a whole number, or NAME=NUMBER, each once", fix)
        if sign:
            named[name.strip()] = int(size)
        else:
            plain.append(int(size))
    if named and plain:
        raise InvalidParameterError("sizes", sizes, "with a name for every group, or for none", fix)
    return named or plain


def read_by_column(
    option: str, given: list[str] | None, columns: Sequence[str], default: str
) -> dict[str, str]:
    """What an option says of each column: COLUMN=VALUE of one, VALUE of all that are not named."""
    fix = f"Write {option}=VALUE for all columns, or {option}=COLUMN=VALUE, each once."
    named: dict[str, str] = {}
    others: list[str] = []
    for each in given or []:
        column, sign, value = each.rpartition("=")
        if not sign:
            others.append(value)
        elif column not in columns or column in named:
            raise InvalidParameterError(option, each, f"of a column among {', '.join(columns)}, once", fix)
        else:
            named[column] = value
    if len(others) > 1:
        raise InvalidParameterError(option, ", ".join(others), "one for all columns", fix)
    return {column: named.get(column, (others or [default])[0]) for column in columns}


def read_shares(option: str, given: list[str] | None, columns: Sequence[str]) -> dict[str, float]:
    """Shares by column: 0.1 or 10%, or pay=0.1."""
    found = {}
    for column, words in read_by_column(option, given, columns, "0").items():
        share = words.strip().removesuffix("%")
        if not _is_number(share):
            raise InvalidParameterError(option, words, "a share", "Write for example 0.1, or 10%.")
        found[column] = float(share) / (100 if words.strip().endswith("%") else 1)
    return found


def read_typical(words: str) -> tuple[float, float]:
    """50000, or 30000:90000."""
    ends = words.split(":")
    if len(ends) > 2 or not all(map(_is_number, ends)):
        fix = "Write for example --typical 50000, or --typical 30000:90000."
        raise InvalidParameterError("typical", words, "a number, or LOW:HIGH", fix)
    return float(ends[0]), float(ends[-1])


def read_typical_by_column(
    given: list[str] | None, columns: Sequence[str]
) -> dict[str, tuple[float, float] | None]:
    """The same, as pay=30000:90000 for a column."""
    found = read_by_column("typical", given, columns, "").items()
    return {column: read_typical(words) if words else None for column, words in found}


def read_correlations(file: Path) -> list[list[float]]:
    """A matrix of correlations in a CSV file: numbers, with or without names above and at the left."""
    fix = "Write a number for every two features, with ones on the diagonal, as CSV."
    try:
        lines = [
            line.split(",") for line in file.read_text(encoding="utf-8-sig").splitlines() if line.strip()
        ]
    except (OSError, UnicodeDecodeError):
        raise RelgaussError(f"The correlations in {file} cannot be read.", fix) from None
    if lines and not _is_number(lines[0][-1]):
        lines = lines[1:]
    named = bool(lines) and not _is_number(lines[0][0])
    rows = [line[1:] if named else line for line in lines]
    if not rows or not all(_is_number(each) for row in rows for each in row):
        raise RelgaussError(f"The correlations in {file} are not all numbers.", fix)
    return [[float(each) for each in row] for row in rows]


def _is_number(words: str) -> bool:
    try:
        float(words)
    except ValueError:
        return False
    return True


def read_target(target: str) -> float:
    """5% or 0.05 as a share."""
    words = target.strip()
    try:
        found = float(words.removesuffix("%")) / (100 if words.endswith("%") else 1)
    except ValueError:
        found = -1.0
    if not 0 < found < 1:
        raise InvalidParameterError("target_error", target, "between 0 and 100 %", "Pass for example 5%.")
    return found
