"""``relgauss reproduce --claims``: each claim of the paper, what was computed, and the verdict."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from relgauss.cli import output
from relgauss.cli.files import check_new_files
from relgauss.paper.claims import CHECKS
from relgauss.paper.claims_page import write_claims
from relgauss.paper.plot_files import make_folder


def check_claims(out: Path, force: bool, json: bool) -> None:
    """Check them all; print a table or JSON, and write the page."""
    page = out / "claims.md"
    make_folder(out)
    check_new_files([page], [], force)
    with output.working("Checking the paper's claims"):
        claims = [check() for check in CHECKS]
    write_claims(claims, page, replace=force)
    if json:
        output.print_json({"claims": [asdict(claim) for claim in claims], "page": str(page)})
        return
    table = output.new_table("claim", "computed", "verdict")
    table.columns[0].ratio, table.columns[1].ratio = 2, 3
    table.show_lines = True
    for claim in claims:
        table.add_row(f"{claim.name}: {claim.claim} ({claim.place})", claim.computed, claim.verdict)
    output.console.print(table)
    output.print_line(f"Page: {page}")
