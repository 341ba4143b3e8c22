"""The README as a wheel carries it: on a package index a link to a file of the repository leads nowhere.

Words of the glossary become plain words, other such links name their file, and pictures go with the line
below them. pyproject.toml names this file, so that every build runs it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_PICTURE = re.compile(r"^!\[[^\]]*\]\([^)]*\)\n(?:\n\*[^*]+\*\n(?!\*))?", re.MULTILINE)
_COMMENT = re.compile(r"^<!--.*-->\n", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)([^)]+)\)")
_BEFORE = "Files that are named here are those of the repository, and of the source archive.\n\n"


def for_an_index(readme: str) -> str:
    """The text without anything that only the repository can show."""

    def named(link: re.Match[str]) -> str:
        file = link[2].partition("#")[0]
        return link[1] if file.endswith("glossary.md") and "#" in link[2] else f"{link[1]} ({file})"

    plain = _LINK.sub(named, _COMMENT.sub("", _PICTURE.sub("", readme)))
    title, _, rest = plain.partition("\n\n")
    return f"{title}\n\n{_BEFORE}{rest}"


class Readme(MetadataHookInterface):
    """Sets the description of the package."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Put the README into what the wheel says of itself."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": for_an_index(text)}
