"""Released numbers as HTML: every name and key is escaped, and the statement is never left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from relgauss.budget import PrivacyStatement

STYLE = (
    "<style>.relgauss{border-collapse:collapse;font:14px sans-serif}.relgauss td,.relgauss th"
    "{padding:2px 10px;text-align:right;border-bottom:1px solid #ddd}.relgauss .key{text-align:left}"
    ".relgauss .low{color:#767676}.relgauss .total td{border-top:2px solid #444;font-weight:bold}</style>"
)


def page(title: str, body: str, privacy: PrivacyStatement) -> str:
    """A whole document; the statement stands below the body, as it is written."""
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(title)}</title></head>\n"
        f"<body>{body}\n<pre>{escape(privacy.text())}</pre></body></html>\n"
    )


def plain_page(
    title: str, columns: Mapping[str, Sequence[Any]], privacy: PrivacyStatement, about: Sequence[str]
) -> str:
    """Columns as they are, the first one of keys, and below them what a reader should know."""
    told = "".join(f"<li>{escape(each)}</li>" for each in about)
    return page(title, f"{plain_table(columns)}<ul>{told}</ul>", privacy)


def plain_table(columns: Mapping[str, Sequence[Any]], most_rows: int | None = None) -> str:
    """The same without a document around it: all rows, or the first of them and how many more there are."""
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    lines = [f"<tr>{head}</tr>"]
    rows = list(zip(*columns.values(), strict=True))
    for key, *cells in rows[:most_rows]:
        shown = "".join(f"<td>{escape(cell_text(cell))}</td>" for cell in cells)
        lines.append(f'<tr><td class="key">{escape(str(key))}</td>{shown}</tr>')
    more = len(rows) - len(lines) + 1
    rest = f"<p>and {more:,} more groups</p>" if more else ""
    return f'{STYLE}<table class="relgauss">{"".join(lines)}</table>{rest}'


def cell_text(value: object) -> str:
    """A number with four digits, or all before the point; nothing for no number."""
    if value is None:
        return ""
    if isinstance(value, bool | str):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return str(value)
