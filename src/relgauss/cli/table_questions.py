"""What ``relgauss table`` is asked, as text: statistics of columns, and a list of groups."""

from __future__ import annotations

import csv
import shlex
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from relgauss.errors import InvalidParameterError, TableError
from relgauss.grouped.statistic_names import is_statistic
from relgauss.records.csv_files import delimiter_of


def read_values(values: Sequence[str]) -> dict[str, list[str]]:
    """COLUMN:A,B,... as lists of statistics; a column alone asks for its mean."""
    asked: dict[str, list[str]] = {}
    for each in values:
        column, sign, statistics = each.rpartition(":")
        if not sign:
            column, statistics = each, "mean"
        before, _, last = column.rpartition(":")
        if not column or column in asked or (before and is_statistic(last)):
            raise InvalidParameterError(
                "values",
                each,
                "COLUMN:STATISTICS, each column once, with commas between statistics",
                "Write for example --value pay:mean,median.",
            )
        asked[column] = [statistic.strip() for statistic in statistics.split(",")]
    return asked


def read_groups(groups: str, by: Sequence[str]) -> str | list[tuple[str, ...]]:
    """public, private, or the groups of a CSV file that has the columns of groups."""
    if groups in ("public", "private"):
        return groups
    file = Path(groups)
    if not file.is_file():
        fix = f"Pass public, private or a CSV file with a line for each group, the first line {','.join(by)}."
        raise TableError(f"There is no file {file} with groups.", fix)
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            first = lines.readline()
            reader = csv.DictReader(chain([first], lines), delimiter=delimiter_of(first))
            rows, columns = list(reader), list(reader.fieldnames or ())
        if any(None in row for row in rows):
            raise TableError(
                f"A line of {file} has more fields than its first.",
                "Write fields that hold commas within quotes.",
            )
        listed = [tuple(row[name] for name in by) for row in rows]
    except (OSError, UnicodeDecodeError, csv.Error):
        raise TableError(f"{file} cannot be read.", "Save it as a CSV file in UTF-8.") from None
    except KeyError as missing:
        raise TableError(
            f"The list of groups {file} has no column {missing}, which --by names; it has "
            f"{', '.join(map(repr, columns)) or 'none'}.",
            "Correct --by, or the first line of the list.",
        ) from None
    _check_listed(listed, by, [name for name in columns if name not in by])
    return listed


def _check_listed(listed: Sequence[tuple[str, ...]], by: Sequence[str], others: Sequence[str]) -> None:
    """Refuse a list without a group, with half of one, or with one twice, in words of the file."""
    fix = f"List each group on a line of its own, below the line {','.join(by)}."
    if not listed:
        raise InvalidParameterError("groups", [], "a list of at least one group", fix)
    if others:
        added = " ".join(f"--by {shlex.quote(name)}" for name in others)
        fix = f"The list also has the column {', '.join(map(repr, others))}: add {added}, or leave it out."
    seen: set[tuple[str, ...]] = set()
    for keys in listed:
        group = ", ".join(map(str, keys))
        if None in keys:
            raise InvalidParameterError("groups", group, f"{len(by)} fields, as --by names columns", fix)
        if keys in seen:
            raise InvalidParameterError("groups", group, "in the list only once", fix)
        seen.add(keys)
