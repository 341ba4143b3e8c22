"""A released table as a page: keys, estimates with their intervals, flags, totals, a line on privacy."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from relgauss.budget.statement import SIMULATED
from relgauss.grouped.html import STYLE, cell_text, page
from relgauss.grouped.usefulness import INCLUDES_ZERO, includes_zero

if TYPE_CHECKING:
    from relgauss.grouped.table_result import TableRelease


def html_table(release: TableRelease, most_rows: int | None = None, *, promise: bool = True) -> str:
    """The table in HTML, at most so many groups of it; every name and key is escaped.

    Without the ``promise`` in one line, where a page has it above.
    """
    columns, total = release.data(), release.total()
    shown = len(release) if most_rows is None else min(most_rows, len(release))
    statistics = [f"{value}_{each}" for value, asked in release.values.items() for each in asked]
    head = "".join(f'<th class="key">{escape(name)}</th>' for name in release.by)
    head += f"<th>{'count' if release.bounds is None else 'rows kept'}</th>"
    head += "".join(
        f"<th>{escape(value)}<br>{escape(each)}</th>"
        for value, asked in release.values.items()
        for each in asked
    )
    lines = [f"<tr>{head}</tr>"]
    for row in range(shown):
        one = {name: column[row] for name, column in columns.items()}
        keys = "".join(f'<td class="key">{escape(str(one[name]))}</td>' for name in release.by)
        lines.append(f"<tr>{keys}{_numbers(one, statistics)}</tr>")
    if total is not None:
        keys = f'<td class="key" colspan="{len(release.by)}">Total</td>'
        lines.append(f'<tr class="total">{keys}{_numbers(total, statistics)}</tr>')
    more = f"<p>{len(release) - shown:,} more groups.</p>" if shown < len(release) else ""
    mark = f"<p><strong>{SIMULATED}</strong></p>" if release.privacy.simulated else ""
    grey = "<p>Below an estimate stands its interval. Grey numbers are of little use.</p>"
    told = [f"<strong>Caution: {escape(each)}</strong>" for each in release.cautions()]
    told += [escape(each) for each in release.notes()]
    below = f"{grey}<ul><li>{'</li><li>'.join(told)}</li></ul>"
    if promise:
        below += f"<p>{escape(release.summary())}</p>"
    return f'{STYLE}{mark}<table class="relgauss">{"".join(lines)}</table>{more}{below}'


def mark_of(row: dict[str, Any], name: str) -> str:
    """What stands below an interval: its flag, that it is wide, or that it leaves the sign open."""
    if not row[f"{name}_usable"]:
        return row[f"{name}_flag"] or "wide"
    lower, upper = row[f"{name}_lower"], row[f"{name}_upper"]
    if lower is None or upper is None:
        return ""
    statistic = name.rpartition("_")[2]
    return INCLUDES_ZERO if includes_zero(statistic, np.array([lower]), np.array([upper]))[0] else ""


def html_page(release: TableRelease) -> str:
    """A whole document: the table of all groups, and the privacy statement as it is written."""
    title = f"{', '.join(release.values)} by {', '.join(release.by)}"
    return page(title, html_table(release), release.privacy)


def _numbers(row: dict[str, Any], statistics: list[str]) -> str:
    cells = [f"<td>{row['count']:,}</td>"]
    if not row.get("count_usable", True):
        span = f"<small>{row['count_lower']:,} to {row['count_upper']:,}</small>"
        cells = [f'<td class="low">{row["count"]:,}<br>{span}<br><small>wide</small></td>']
    for name in statistics:
        ends = row[f"{name}_lower"], row[f"{name}_upper"]
        interval = "" if None in ends else f"<br><small>{cell_text(ends[0])} to {cell_text(ends[1])}</small>"
        mark = mark_of(row, name)
        warning = f"<br><small>{escape(mark)}</small>" if mark else ""
        kind = "" if row[f"{name}_usable"] else ' class="low"'
        cells.append(f"<td{kind}>{cell_text(row[name])}{interval}{warning}</td>")
    return "".join(cells)
