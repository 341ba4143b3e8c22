"""Released numbers as plain text: what ``print`` shows of a release, and what stands beside it in files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from relgauss.budget import PrivacyStatement


class Released(Protocol):
    """What was released, as files have it: its statement, and what a reader should know."""

    @property
    def privacy(self) -> PrivacyStatement:
        """What it cost."""

    def about(self) -> dict[str, Any]:
        """Confidence, notes and cautions."""


def statement_with_notes(release: Released) -> str:
    """The statement as JSON, and below it, as "about", what a reader of the numbers should know."""
    return json.dumps(release.privacy.to_dict() | {"about": release.about()}, indent=2, allow_nan=False)


def metadata(release: Released) -> dict[str, str]:
    """What an Arrow table, or a Parquet file, holds beside its columns."""
    about = json.dumps(release.about(), indent=2, allow_nan=False)
    return {"relgauss.privacy": release.privacy.to_json(), "relgauss.about": about}


def lines_about(release: Released) -> list[str]:
    """The same as lines: cautions first."""
    about = release.about()
    cautions = [f"Caution: {each}" for each in about["cautions"]]
    return [*cautions, *about["notes"], *([about["summary"]] if "summary" in about else [])]


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
