"""Paragraphs of a list's item, as a code host reads them: two or three blanks are enough.

Python-Markdown wants four, and a blank line before the next item.
"""

from __future__ import annotations

import re
from typing import Any

_FENCE = re.compile(r"^ *```")
_ITEM = re.compile(r"(?:[-*]|\d+\.) ")
_INDENT = " " * 4


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Indent what belongs to an item; MkDocs calls this before it reads a page."""
    lines: list[str] = []
    in_fence, in_list, begins_indented, after_blank = False, False, False, True
    for line in markdown.split("\n"):
        in_fence ^= bool(_FENCE.match(line))
        if after_blank and line[:1].strip():
            in_list = bool(_ITEM.match(line))
        if in_list and not in_fence:
            line = re.sub(r"^ {2,3}(?=\S)", _INDENT, line)
        if after_blank:
            begins_indented = line.startswith(_INDENT)
        elif begins_indented and not in_fence and _ITEM.match(line):
            lines.append("")
            begins_indented = False
        after_blank = not line.strip() or line.startswith("#")
        lines.append(line)
    return "\n".join(lines)
