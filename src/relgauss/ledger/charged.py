"""The one way of an estimator through a ledger: reserve, draw, record. Proof: proofs/durable-record.md."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from relgauss.budget.statement import PrivacyStatement
from relgauss.errors import InvalidParameterError, RecordError, UnrecordedReleaseWarning
from relgauss.ledger.ledger import Ledger


@contextmanager
def charged(
    ledger: Ledger | None, planned: PrivacyStatement, what: str = ""
) -> Iterator[list[PrivacyStatement]]:
    """Reserve, let noise be drawn in the block, and record the release; without a ledger, only the block.

    The block may append to the list the statement of what it spent, if that is not what was planned. If it
    fails, what was reserved stays spent. If the release cannot be recorded, it is kept, with a warning.

    Parameters
    ----------
    ledger
        The ledger, or None.
    planned
        What the release will cost, at most.
    what
        What is released, in a few words by which a reader of the ledger knows it again; left out, the stages
        of the charges.
    """
    if ledger is not None and not isinstance(ledger, Ledger):
        raise InvalidParameterError("ledger", ledger, "a Ledger", "Pass Ledger.open(file).")
    final: list[PrivacyStatement] = []
    if ledger is None:
        yield final
        return
    reservation = ledger.reserve(planned, what)
    yield final
    try:
        ledger.record(reservation, final[-1] if final else planned)
    except RecordError as error:
        warnings.warn(
            f"The release counts as spent, but its statement is not in the ledger. {error}",
            UnrecordedReleaseWarning,
            stacklevel=4,
        )
