"""Released numbers as plain text: what ``print`` shows of a release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from relgauss.budget import PrivacyStatement

_MOST_ROWS, _MOST_COLUMNS = 20, 10


def plain_text(columns: Mapping[str, Sequence[Any]], privacy: PrivacyStatement) -> str:
    """The first rows and columns, aligned, how many more there are, and what it cost."""
    names = list(columns)[:_MOST_COLUMNS]
    rows = len(columns[names[0]])
    cells = [[name, *map(_cell, columns[name][:_MOST_ROWS])] for name in names]
    widths = [max(map(len, column)) for column in cells]
    lines = [
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in zip(*cells, strict=True)
    ]
    more = [
        f"{number} more {what}"
        for number, what in ((rows - _MOST_ROWS, "rows"), (len(columns) - len(names), "columns"))
        if number > 0
    ]
    if more:
        lines.append(f"... {' and '.join(more)}: to_pandas() has them all.")
    return "\n".join([*lines, "", privacy.text()])


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:,.6g}" if isinstance(value, float) else str(value)
