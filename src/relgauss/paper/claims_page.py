"""The paper's claims and our verdicts as a page of the documentation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from relgauss.paper.claims import Claim
from relgauss.writing import write_together

_HEAD = """# The paper's claims, checked

Hendrikx, Mangold and Bellet, *The Relative Gaussian Mechanism and its Application to Private Gradient
Descent* (AISTATS 2024). Each verdict follows from the numbers beside it, which
`relgauss reproduce --claims --out docs --force` computes again; this page is its output. The proofs of what
holds, and of what replaces the rest, are in [proofs/](../proofs/README.md).

| claim | where | what was computed | verdict |
|---|---|---|---|
"""


def write_claims(claims: Sequence[Claim], file: Path, *, replace: bool = True) -> None:
    """Write the page of claims and verdicts."""
    rows = [f"| **{c.name}**: {c.claim} | {c.place} | {c.computed} | **{c.verdict}** |\n" for c in claims]
    text = _HEAD + "".join(rows)
    write_together([(file, lambda path: path.write_text(text, encoding="utf-8"))], replace=replace)
