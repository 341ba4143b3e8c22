"""One spend of a ledger, and the entry that tells of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal

from relgauss.accounting.guarantees import Guarantee
from relgauss.budget.charge import Charge, conditions_of
from relgauss.budget.guarantee_text import guarantee_to_dict
from relgauss.budget.parts import part
from relgauss.ledger.chained_log import Entry
from relgauss.ledger.promise import Promise

MORE_THAN_RESERVED = "more than was reserved"
SPEND_KINDS = ("reserve", "outside")

Status = Literal["reserved", "released", "outside"]


@dataclass(frozen=True)
class LedgerSpend:
    """One spend of a ledger.

    Attributes
    ----------
    id
        Its own name.
    what
        What was released, in a few words.
    at
        When it was reserved or entered, by the clock of that machine.
    status
        "reserved" while no release is recorded for it, "released", or "outside".
    promise
        Whom it protects, and between which tables.
    charges
        What counts as spent; beside the conditions that were known when it was reserved, the last names those
        that were found on the way.
    """

    id: str
    what: str
    at: str
    status: Status
    promise: Promise
    charges: tuple[Charge, ...]

    @property
    def uses(self) -> tuple[tuple[Guarantee, int], ...]:
        """Each guarantee and how often it was used: what ``compose`` reads."""
        return tuple((charge.guarantee, charge.times) for charge in self.charges)

    def with_release(self, statement: dict[str, object]) -> LedgerSpend:
        """The same when its release is recorded, with the conditions that only the release could state."""
        known = {condition for charge in self.charges for condition in charge.conditions}
        stated = (each for charge in part(statement, "charges", list) for each in conditions_of(charge))
        found = tuple(dict.fromkeys(each for each in stated if each not in known))
        *others, last = self.charges
        charges = (*others, replace(last, conditions=(*last.conditions, *found)))
        return replace(self, status="released", charges=charges)

    def to_dict(self) -> dict[str, Any]:
        """The spend as plain values."""
        return {
            "id": self.id,
            "what": self.what,
            "at": self.at,
            "status": self.status,
            "unit": self.promise.unit,
            "neighbours": self.promise.neighbours,
            "charges": [charge.to_dict() for charge in self.charges],
        }


def spend_content(name: str, what: str, promise: Promise, charges: tuple[Charge, ...]) -> dict[str, Any]:
    """What an entry says of a spend; a guarantee that no record can hold is refused."""
    for charge in charges:
        guarantee_to_dict(charge.guarantee)
    return {
        "id": name,
        "what": what,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "unit": promise.unit,
        "neighbours": promise.neighbours,
        "charges": [charge.to_dict() for charge in charges],
    }


def read_spend(entry: Entry) -> LedgerSpend:
    """The spend of an entry of ``SPEND_KINDS``, before any release is recorded for it."""
    said = entry.content
    return LedgerSpend(
        part(said, "id", str),
        part(said, "what", str),
        part(said, "at", str),
        "reserved" if entry.kind == "reserve" else "outside",
        Promise(part(said, "unit", str), part(said, "neighbours", str)),
        tuple(Charge.from_dict(each) for each in part(said, "charges", list)),
    )


def find_spend(entries: tuple[Entry, ...], name: str) -> LedgerSpend | None:
    """The spend of this name, with its status now; None if there is none. The last entries are read first."""
    released: dict[str, object] | None = None
    for entry in reversed(entries):
        if f'"{name}"' in entry.text and entry.content.get("id") == name:
            if entry.kind in SPEND_KINDS:
                found = read_spend(entry)
                return found if released is None else found.with_release(released)
            if entry.kind == "release":
                released = part(entry.content, "statement", dict)
    return None
