"""What a ledger gives back: a reservation, and the result of a check."""

from __future__ import annotations

from dataclasses import dataclass

from relgauss.accounting.filter import PrivacyFilter
from relgauss.budget.statement import PrivacyStatement
from relgauss.ledger.ledger_spend import LedgerSpend
from relgauss.ledger.promise import Promise


@dataclass(frozen=True)
class Verified:
    """A ledger whose every entry is as it was written, and whose own releases were all within its budget.

    Attributes
    ----------
    entries
        How many entries there are.
    head
        The hash of the last one. Kept elsewhere, it shows whether the file was put back to an older state.
    spends
        How many spends there are.
    within_budget
        Whether all of them are within the budget together: what was imported as spent outside may exceed it,
        and then nothing more is released. None for the record of a node, which holds no such budget.
    """

    entries: int
    head: str
    spends: int
    within_budget: bool | None = None


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


def covers(budget: PrivacyFilter, reserved: LedgerSpend, statement: PrivacyStatement) -> bool:
    """Whether what was reserved holds a statement: the same promise, and no more by any way of counting."""
    if Promise.of(statement) != reserved.promise:
        return False
    found, most = budget.cost_of(*statement.charges), budget.cost_of(*reserved.charges)
    return (
        found.pure <= most.pure
        and found.failures <= most.failures
        and all(
            limit is None or (cost is not None and cost <= limit)
            for cost, limit in zip(found.tracks, most.tracks, strict=True)
        )
    )
