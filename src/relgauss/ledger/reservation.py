"""What a ledger gives back: a reservation, and the result of a check."""

from __future__ import annotations

from dataclasses import dataclass

from relgauss.accounting.filter import PrivacyFilter
from relgauss.budget.statement import PrivacyStatement


@dataclass(frozen=True)
class Verified:
    """A ledger whose every entry is as it was written, and whose releases were all within its budget.

    Attributes
    ----------
    entries
        How many entries there are.
    head
        The hash of the last one. Kept elsewhere, it shows whether the file was put back to an older state.
    spends
        How many spends there are.
    """

    entries: int
    head: str
    spends: int


@dataclass(frozen=True)
class Reservation:
    """A release that counts as spent, and whose noise may now be drawn, once.

    Attributes
    ----------
    id
        Its name in the ledger.
    planned
        What was reserved.
    """

    id: str
    planned: PrivacyStatement


def exceeds(budget: PrivacyFilter, statement: PrivacyStatement, planned: PrivacyStatement) -> bool:
    """Whether a statement costs more than another, by any way in which the budget counts."""
    found, most = budget.cost_of(*statement.charges), budget.cost_of(*planned.charges)
    return (
        found.pure > most.pure
        or found.failures > most.failures
        or any(
            limit is not None and (cost is None or cost > limit)
            for cost, limit in zip(found.tracks, most.tracks, strict=True)
        )
    )
