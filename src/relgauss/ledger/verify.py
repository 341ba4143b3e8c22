"""Whether a file of spends is as it was written, a ledger or the record of a node: one store for both."""

from __future__ import annotations

from pathlib import Path

from relgauss.errors import RecordError
from relgauss.ledger.ledger import Ledger
from relgauss.ledger.reservation import Verified
from relgauss.ledger.spend_record import SpendRecord


def verify_file(file: Path | str) -> Verified:
    """Check all of a file; one that was damaged, or a ledger that was overspent, is refused.

    Parameters
    ----------
    file
        A ledger, or the record of a node.
    """
    if not Path(file).exists():
        raise RecordError(
            f"There is no file {Path(file).name}.", "Pass a ledger, or the record of a federation's node."
        )
    record = SpendRecord(file)
    entries, head = record.checked_entries()
    if entries and entries[0].kind == "ledger":
        return Ledger(file).verify()
    return Verified(len(entries), head, sum(entry.kind == "reserve" for entry in entries))
