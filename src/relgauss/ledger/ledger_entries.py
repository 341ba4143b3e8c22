"""What the entries of a ledger say: its budget, and every spend in order.

    ledger    dataset, unit, neighbours, epsilon, delta, ...    the first entry, and the only one of its kind
    reserve   id, what, unit, neighbours, charges               before noise is drawn
    release   id, statement                                     when the result is there
    outside   id, what, unit, neighbours, charges               spent elsewhere

What was reserved counts for ever, whether its release was recorded or not. Proof: proofs/durable-record.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any, Literal

from relgauss.accounting.filter import PrivacyFilter
from relgauss.accounting.guarantees import Guarantee
from relgauss.budget.charge import Charge, conditions_of
from relgauss.budget.guarantee_text import guarantee_to_dict
from relgauss.budget.parts import part
from relgauss.budget.statement import REPLACE_ONE, PrivacyStatement
from relgauss.errors import RecordError
from relgauss.ledger.chained_log import Entry
from relgauss.ledger.promise import Promise, decided_neighbours

FORMAT = 1
MORE_THAN_RESERVED = "more than was reserved"
"""Of a ledger's entries."""

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


@dataclass(frozen=True)
class LedgerState:
    """All that a ledger says.

    Attributes
    ----------
    dataset, unit, neighbours
        What it is for; neighbours are None until the first spend decides on them.
    budget
        What may be spent, and what is left of it.
    spends
        Every spend, in order.
    """

    dataset: str
    unit: str
    neighbours: str | None
    budget: PrivacyFilter
    spends: tuple[LedgerSpend, ...] = ()

    @property
    def promise(self) -> Promise:
        """What the ledger is for; neighbours are empty as long as nothing decided on them."""
        return Promise(self.unit, self.neighbours or "")

    @property
    def first_unit(self) -> str | None:
        """The unit as the first release states it."""
        return next((spend.promise.unit for spend in self.spends if spend.promise.unit != self.unit), None)

    def first_release_beyond(self) -> LedgerSpend | None:
        """The first release that the budget did not hold when it was reserved, if there is one."""
        opened = self.budget
        budget = replace(opened, spent=(), pure=Fraction(0), failures=Fraction(0), neighbours=None)
        for spend in self.spends:
            budget = budget.with_spends([spend.uses])
            drawn_here = spend.status != "outside" or spend.what == MORE_THAN_RESERVED
            if drawn_here and not budget.is_within:
                return spend
        return None

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values, with what is left."""
        budget, left = self.budget, self.budget.left
        return {
            "dataset": self.dataset,
            "unit": self.unit,
            "neighbours": self.neighbours,
            "epsilon": budget.epsilon,
            "delta": budget.delta,
            "for_failures": budget.for_failures,
            "for_pure": budget.for_pure,
            "orders": list(budget.orders),
            "left": {"epsilon": left.epsilon(budget.delta), **asdict(left)},
            "spends": [spend.to_dict() for spend in self.spends],
            "statement": self.statement().to_dict(),
        }

    def statement(self) -> PrivacyStatement:
        """All spends as one statement: its epsilon is tight for spends that were fixed in advance."""
        charges = tuple(charge for spend in self.spends for charge in spend.charges)
        neighbours = self.neighbours or REPLACE_ONE
        return PrivacyStatement(charges, self.budget.delta, unit=self.unit, neighbours=neighbours)


def opening_entry(dataset: str, unit: str, neighbours: str | None, budget: PrivacyFilter) -> Entry:
    """The first entry of a ledger."""
    said = {
        "format": FORMAT,
        "dataset": dataset,
        "unit": unit,
        "neighbours": neighbours,
        "epsilon": budget.epsilon,
        "delta": budget.delta,
        "for_failures": budget.for_failures,
        "for_pure": budget.for_pure,
        "orders": list(budget.orders),
    }
    return Entry("ledger", said)


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


def read_state(entries: Iterable[Entry], name: str) -> LedgerState:
    """The state that the entries of a checked log add up to; ``name`` is the file's, for messages."""
    entries = tuple(entries)
    opened, spends = read_opening(entries, name), dict[str, LedgerSpend]()
    for entry in entries[1:]:
        match entry.kind:
            case "reserve" | "outside":
                spend = _spend(entry.content, "reserved" if entry.kind == "reserve" else "outside")
                spends[spend.id] = spend
            case "release":
                released = part(entry.content, "id", str)
                spends[released] = _released(spends[released], part(entry.content, "statement", dict))
            case _:
                raise RecordError(f"The ledger holds an entry {entry.kind!r}.", "Use a newer relgauss.")
    stated = (spend.promise.neighbours for spend in spends.values())
    return replace(
        opened,
        neighbours=decided_neighbours(opened.neighbours, stated),
        budget=opened.budget.with_spends(spend.uses for spend in spends.values()),
        spends=tuple(spends.values()),
    )


def read_opening(entries: tuple[Entry, ...], name: str) -> LedgerState:
    """What a ledger said when it was made, without its spends."""
    first = entries[0] if entries else Entry("", {})
    if first.kind != "ledger":
        raise RecordError(
            f"The record {name} is no ledger.", "Open it as what it is, or make a ledger with Ledger.create."
        )
    if first.content.get("format") != FORMAT:
        raise RecordError(
            f"The ledger {name} is of format {first.content.get('format')!r}, not {FORMAT}.",
            "Open it with the version of relgauss that wrote it.",
        )
    return _opened(first.content)


def _opened(said: dict[str, object]) -> LedgerState:
    neighbours = said["neighbours"]
    budget = PrivacyFilter(
        part(said, "epsilon", float),
        part(said, "delta", float),
        part(said, "for_failures", float),
        part(said, "for_pure", float),
        tuple(part(said, "orders", list)),
    )
    return LedgerState(
        part(said, "dataset", str),
        part(said, "unit", str),
        None if neighbours is None else part(said, "neighbours", str),
        budget,
    )


def _spend(said: dict[str, object], status: Status) -> LedgerSpend:
    return LedgerSpend(
        part(said, "id", str),
        part(said, "what", str),
        part(said, "at", str),
        status,
        Promise(part(said, "unit", str), part(said, "neighbours", str)),
        tuple(Charge.from_dict(each) for each in part(said, "charges", list)),
    )


def _released(spend: LedgerSpend, statement: dict[str, object]) -> LedgerSpend:
    """A spend whose release is recorded, with the conditions that only the release could state."""
    known = {condition for charge in spend.charges for condition in charge.conditions}
    stated = (each for charge in part(statement, "charges", list) for each in conditions_of(charge))
    found = tuple(dict.fromkeys(each for each in stated if each not in known))
    *others, last = spend.charges
    charges = (*others, replace(last, conditions=(*last.conditions, *found)))
    return replace(spend, status="released", charges=charges)
