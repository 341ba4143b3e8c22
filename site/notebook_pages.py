"""Notebooks as pages of the site: their text, their code, and what they showed when they were last run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def write_pages(folder: Path) -> list[Path]:
    """Write a page beside each notebook of a folder, and lead the pages above to it; return the new pages."""
    written = []
    for file in sorted(folder.glob("*.ipynb")):
        page = file.with_suffix(".md")
        page.write_text(as_page(json.loads(file.read_text(encoding="utf-8")), file.name), encoding="utf-8")
        written.append(page)
    for page in folder.parent.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        for each in written:
            text = text.replace(f"({folder.name}/{each.stem}.ipynb)", f"({folder.name}/{each.name})")
        page.write_text(text, encoding="utf-8")
    return written


def as_page(notebook: dict[str, Any], name: str) -> str:
    """All cells, one below the other; a view in HTML stands as it is."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        parts += [_shown(output) for output in cell.get("outputs", [])]
    return "\n\n".join([*parts, f"To run it yourself: [{name}]({name}).\n"])


def _shown(output: dict[str, Any]) -> str:
    data = output.get("data", {})
    if "text/html" in data:
        return f'<div class="view">\n{"".join(data["text/html"])}\n</div>'
    return f"```\n{''.join(output.get('text') or data['text/plain']).rstrip()}\n```"
