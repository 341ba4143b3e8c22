"""One self-contained page: no outside address, good on a phone, in print, in light and in dark.

The page of a forecast brings a script with it; no other has one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from relgauss.report.wording import printable
from relgauss.writing import write_together

_STYLE = """
:root { color-scheme: light dark; --ink: #1b1b1f; --soft: #5f6368; --paper: #fff; --line: #d9dce1;
  --accent: #0b62b5; --tint: #eef4fb; --alarm: #a4262c; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7e8ea; --soft: #a5a9b0; --paper: #17181b;
  --line: #3a3d43; --accent: #6cb2f5; --tint: #1e2a38; --alarm: #ff8f8f; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 52rem; background: var(--paper);
  color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .4rem; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; padding-top: .8rem; border-top: 1px solid var(--line); }
.lead { font-size: 1.1rem; background: var(--tint); padding: .8rem 1rem; border-radius: .5rem; }
.alarm { color: var(--alarm); font-weight: 600; }
.soft, figcaption { color: var(--soft); font-size: .9rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .92rem; font-variant-numeric: tabular-nums; }
th { text-align: right; font-weight: 600; border-bottom: 2px solid var(--line); padding: .3rem .7rem; }
td { text-align: right; border-bottom: 1px solid var(--line); padding: .3rem .7rem; }
th:first-child, td:first-child { text-align: left; padding-left: 0; min-width: 6rem;
  overflow-wrap: anywhere; }
th.words, td.words { text-align: left; }
@media (max-width: 30rem) { th, td { padding-left: .3rem; padding-right: .3rem; } }
figure { margin: .8rem 0; } svg { width: 100%; max-width: 34rem; height: auto; }
svg text { fill: var(--ink); font: 12px system-ui, sans-serif; }
.bars { display: grid; grid-template-columns: auto 1fr auto; gap: .35rem .8rem; align-items: center;
  font-size: .92rem; }
.bars i { display: block; height: 1rem; min-width: 2px; border-radius: .2rem; background: var(--accent);
  print-color-adjust: exact; }
code, pre { font: .88rem ui-monospace, monospace; background: var(--tint); border-radius: .3rem; }
code { padding: .1rem .3rem; } pre { padding: .7rem 1rem; white-space: pre-wrap; overflow-wrap: anywhere; }
dt { font-weight: 600; } dd { margin: 0 0 .6rem; }
@media print { body { max-width: none; padding: 0; } h2 { break-after: avoid; }
  figure, tr { break-inside: avoid; } }
"""


@dataclass(frozen=True)
class Section:
    """A part of a page: a heading and what stands below it, which is HTML already."""

    title: str
    body: str


def text(value: object) -> str:
    """A text that may come from a table, as HTML: nothing in it can be markup or turn the writing."""
    return escape(printable(value))


def paragraph(value: object) -> str:
    """A paragraph of plain text."""
    return f"<p>{text(value)}</p>"


def table(headers: Sequence[str], rows: Sequence[Sequence[object]], *, words: Sequence[int] = ()) -> str:
    """A table; numbers stand to the right, columns of ``words`` to the left."""

    def row(cells: Sequence[object], tag: str) -> str:
        kinds = [' class="words"' if place in words else "" for place in range(len(cells))]
        each = zip(kinds, cells, strict=True)
        return "<tr>" + "".join(f"<{tag}{kind}>{text(cell)}</{tag}>" for kind, cell in each) + "</tr>"

    body = "\n".join(row(cells, "td") for cells in rows)
    return (
        f'<div class="wide"><table><thead>{row(headers, "th")}</thead><tbody>\n{body}\n</tbody></table></div>'
    )


def page(title: str, lead: str, sections: Sequence[Section], script: str = "") -> str:
    """A whole page: what it is, in one sentence for everybody, and its parts; a ``script`` is its end."""
    parts = "\n".join(f"<section><h2>{text(each.title)}</h2>\n{each.body}\n</section>" for each in sections)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{text(title)}</title><style>{_STYLE}</style></head>\n<body><main>\n"
        f'<h1>{text(title)}</h1>\n<p class="lead">{text(lead)}</p>\n{parts}\n</main>{script}</body></html>\n'
    )


def write_page(file: Path, html: str, *, replace: bool) -> None:
    """Write a page as a whole, or nothing."""
    write_together([(file, lambda path: path.write_text(html, encoding="utf-8"))], replace=replace)
