"""The paper's claims and our verdicts as a page of the documentation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from relgauss.errors import RelgaussError
from relgauss.paper.claims import Claim

_HEAD = """# The paper's claims, checked

Hendrikx, Mangold and Bellet, *The Relative Gaussian Mechanism and its Application to Private Gradient
Descent* (AISTATS 2024). Each verdict follows from the numbers beside it, which
`relgauss reproduce --claims --out docs` computes again; this page is its output. The proofs of what holds,
and of what replaces the rest, are in [proofs/](../proofs/README.md).

| claim | where | what was computed | verdict |
|---|---|---|---|
"""


def write_claims(claims: Sequence[Claim], folder: Path) -> Path:
    """Write claims.md into the folder."""
    file = folder / "claims.md"
    rows = [f"| **{c.name}**: {c.claim} | {c.place} | {c.computed} | **{c.verdict}** |\n" for c in claims]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(_HEAD + "".join(rows), encoding="utf-8")
    except OSError as error:
        raise RelgaussError(
            f"The page cannot be written to {file}: {error.strerror}.",
            "Choose a folder you can write to with --out.",
        ) from None
    return file
