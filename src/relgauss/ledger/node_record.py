"""The record of a federation's node inside a ledger: one file for what may be spent and for what a node did.

    fund ──► agree ──► reserve ──► commit

Before a node draws anything, all that it agreed on is reserved in the ledger, once; its rounds then draw on
that. So a node, a table and a fit of the same records share one budget. Proof: proofs/durable-record.md.
"""

from __future__ import annotations

from relgauss.budget.statement import PrivacyStatement
from relgauss.errors import RecordError
from relgauss.ledger.add_spend import append_reservation
from relgauss.ledger.chained_log import Entry
from relgauss.ledger.ledger import Ledger
from relgauss.ledger.ledger_entries import read_opening
from relgauss.ledger.ledger_spend import find_spend
from relgauss.ledger.reservation import covers
from relgauss.ledger.spend_record import SpendRecord

_SETUP = "/setup"  # a node's set-up has accounts of its own, which the same agreement pays for


class NodeRecord(SpendRecord):
    """The part of a ledger that belongs to nodes.

    Parameters
    ----------
    ledger
        The ledger that nodes draw on.
    """

    prefix = "node "

    def __init__(self, ledger: Ledger) -> None:
        super().__init__(ledger.file)

    def fund(self, account: str, planned: PrivacyStatement) -> None:
        """Reserve in the ledger all that a node agreed on, once; a restarted node finds it again.

        What the budget does not hold is an ``OverBudgetError``; more than was reserved at first is refused.

        Parameters
        ----------
        account
            The node's name.
        planned
            What its set-up and its rounds cost together.
        """
        with self._log() as log:
            before = self._funded(log.entries, account)
            if before is None:
                append_reservation(log, self.file.name, planned, f"federated node {account}", node=account)
                return
            reserved = find_spend(log.entries, str(before.content["id"]))
            opened = read_opening(log.entries, self.file.name).budget
            if reserved is None or not covers(opened, reserved, planned):
                raise RecordError(
                    f"The ledger {self.file.name} reserved less for the node {account!r}.",
                    "Go on with the agreement that was made first: what was spent under it stays spent.",
                )

    def open_account(self, account: str, terms: str, allowed: int, *, formerly: str = "") -> None:
        """As for any record; an account that nothing was reserved for is refused."""
        name = account.partition(_SETUP)[0]
        with self._log() as log:
            if self._funded(log.entries, name) is None or (name != account and allowed != 1):
                raise RecordError(
                    f"Nothing is reserved in the ledger {self.file.name} for {account!r}.",
                    "Reserve what the node agreed on first: fund(account, statement).",
                )
        super().open_account(account, terms, allowed, formerly=formerly)

    def _funded(self, entries: tuple[Entry, ...], account: str) -> Entry | None:
        return next(
            (each for each in entries if each.kind == "reserve" and each.content.get("node") == account), None
        )
