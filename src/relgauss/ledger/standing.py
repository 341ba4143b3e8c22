"""What decides on a ledger's next spend: the sums of its filter, and the promise that was made.

Every spend's entry holds the sums after it, so that the next spend is decided by the last entry alone; a
ledger of an older version is added up. That all sums are right is what ``verify`` checks.
Proof: proofs/durable-record.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from relgauss.accounting.adaptive_cost import Cost
from relgauss.accounting.filter import PrivacyFilter
from relgauss.budget.charge import Charge
from relgauss.budget.parts import part
from relgauss.errors import RecordError
from relgauss.ledger.chained_log import Entry
from relgauss.ledger.ledger_entries import LedgerState, read_opening
from relgauss.ledger.ledger_spend import SPEND_KINDS, read_spend
from relgauss.ledger.promise import Promise, decided_neighbours

_SUMS = "sums"  # of an entry


@dataclass(frozen=True)
class Standing:
    """Where a ledger stands after some spends.

    Attributes
    ----------
    unit, neighbours
        What it is for; neighbours are None until a spend decides on them.
    first_unit
        The unit as the first release states it, if there was one.
    budget
        What may be spent, and what is left of it.
    """

    unit: str
    neighbours: str | None
    first_unit: str | None
    budget: PrivacyFilter

    @classmethod
    def at_first(cls, opened: LedgerState) -> Standing:
        """Where a ledger begins."""
        return cls(opened.unit, opened.neighbours, None, opened.budget)

    @property
    def promise(self) -> Promise:
        """What the ledger is for; neighbours are empty as long as nothing decided on them."""
        return Promise(self.unit, self.neighbours or "")

    def after(self, promise: Promise, charges: tuple[Charge, ...]) -> Standing:
        """The same after one more spend, whether the budget holds it or not."""
        uses = tuple((charge.guarantee, charge.times) for charge in charges)
        return replace(
            self,
            neighbours=decided_neighbours(self.neighbours, [promise.neighbours]),
            first_unit=self.first_unit or (None if promise.unit == self.unit else promise.unit),
            budget=self.budget.with_spends([uses]),
        )

    def to_dict(self) -> dict[str, Any]:
        """The sums, to the last digit, as an entry holds them."""
        return {
            "spent": [_text(each) for each in self.budget.spent],
            "pure": str(self.budget.pure),
            "failures": str(self.budget.failures),
            "about": self.budget.neighbours,
            "neighbours": self.neighbours,
            "first_unit": self.first_unit,
        }

    def resumed(self, said: dict[str, Any]) -> Standing:
        """Where the same ledger stands by the sums of an entry."""
        about = said["about"]
        budget = replace(
            self.budget,
            spent=tuple(None if each is None else Fraction(each) for each in part(said, "spent", list)),
            pure=Fraction(part(said, "pure", str)),
            failures=Fraction(part(said, "failures", str)),
            neighbours=about,
        )
        return replace(self, neighbours=said["neighbours"], first_unit=said["first_unit"], budget=budget)


def standing_of(entries: tuple[Entry, ...], name: str) -> Standing:
    """Where the ledger of a checked log stands; ``name`` is the file's, for messages."""
    standing = Standing.at_first(read_opening(entries, name))
    last = next((entry for entry in reversed(entries) if entry.kind in SPEND_KINDS), None)
    if last is not None and _SUMS in last.content:
        return standing.resumed(part(last.content, _SUMS, dict))
    for entry in entries:
        if entry.kind in SPEND_KINDS:
            spend = read_spend(entry)
            standing = standing.after(spend.promise, spend.charges)
    return standing


def with_sums(content: dict[str, Any], standing: Standing) -> dict[str, Any]:
    """What an entry says of a spend, and the sums after it."""
    return content | {_SUMS: standing.to_dict()}


def check_sums(entries: tuple[Entry, ...], name: str) -> None:
    """Refuse a ledger whose entries hold other sums than their spends add up to."""
    standing = Standing.at_first(read_opening(entries, name))
    for entry in entries:
        if entry.kind in SPEND_KINDS:
            spend = read_spend(entry)
            standing = standing.after(spend.promise, spend.charges)
            if entry.content.get(_SUMS, standing.to_dict()) != standing.to_dict():
                raise RecordError(
                    f"The ledger {name} holds sums that its spends do not add up to.",
                    "Release nothing more from this dataset, and find out what wrote it.",
                )


def _text(cost: Cost) -> str | None:
    return None if cost is None else str(cost)
