"""``--ledger`` on commands that release: opened before a record is read; what is left is shown at the end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from relgauss.budget import PrivacyStatement
from relgauss.budget.statement import ONE_ROW
from relgauss.cli import output
from relgauss.ledger import Ledger

_ROWS_FOR_PERSONS = (
    "Caution: the ledger is for persons, and this release takes one row for one person. If somebody may have "
    "several rows, it protects each of their rows and not all of them together: the ledger now counts rows, "
    "and will refuse --person."
)


def open_ledger(file: Path | None) -> Ledger | None:
    """The ledger of a file that was named; a missing or damaged one is refused."""
    return None if file is None else Ledger.open(file)


def left_in(ledger: Ledger | None) -> dict[str, Any]:
    """For JSON: which ledger was used, and what is left in it."""
    return {} if ledger is None else {"ledger": {"file": str(ledger.file), "left": ledger.left()}}


def print_left(ledger: Ledger | None, privacy: PrivacyStatement | None = None) -> None:
    """Print what is left in the ledger that was used, if one was, and whom a release in it protects."""
    if ledger is not None:
        state = ledger.state()
        if privacy is not None and state.unit == "person" and privacy.unit == ONE_ROW:
            output.print_hanging(_ROWS_FOR_PERSONS, 0)
        budget = state.budget
        left = budget.left.text(budget.delta)
        output.print_line(f"Ledger: {ledger.file}, epsilon {left} left at delta {budget.delta!r}")
