"""What the entries of a ledger say: its budget, and every spend in order.

    ledger    dataset, unit, neighbours, epsilon, delta, ...    the first entry, and the only one of its kind
    reserve   id, what, unit, neighbours, charges, sums         before noise is drawn
    release   id, statement                                     when the result is there
    outside   id, what, unit, neighbours, charges, sums         spent elsewhere
    node ...  what a node of a federation does with what was reserved for it

What was reserved counts for ever, whether its release was recorded or not. Proof: proofs/durable-record.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any

from relgauss.accounting.filter import PrivacyFilter
from relgauss.budget.parts import part
from relgauss.budget.statement import REPLACE_ONE, PrivacyStatement
from relgauss.errors import RecordError
from relgauss.ledger.chained_log import Entry
from relgauss.ledger.ledger_spend import MORE_THAN_RESERVED, SPEND_KINDS, LedgerSpend, read_spend
from relgauss.ledger.promise import Promise, decided_neighbours

FORMAT = 1
"""Of a ledger's entries."""

_OTHER_KINDS = ("release", *(f"node {kind}" for kind in ("agree", "reserve", "commit", "abandon")))


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
            "within_budget": budget.is_within,
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
    return Entry.of("ledger", said)


def read_state(entries: Iterable[Entry], name: str) -> LedgerState:
    """The state that the entries of a checked log add up to; ``name`` is the file's, for messages."""
    entries = tuple(entries)
    opened, spends = read_opening(entries, name), dict[str, LedgerSpend]()
    for entry in entries[1:]:
        if entry.kind in SPEND_KINDS:
            spend = read_spend(entry)
            spends[spend.id] = spend
        elif entry.kind == "release":
            released = part(entry.content, "id", str)
            spends[released] = spends[released].with_release(part(entry.content, "statement", dict))
    stated = (spend.promise.neighbours for spend in spends.values())
    return replace(
        opened,
        neighbours=decided_neighbours(opened.neighbours, stated),
        budget=opened.budget.with_spends(spend.uses for spend in spends.values()),
        spends=tuple(spends.values()),
    )


def read_opening(entries: tuple[Entry, ...], name: str) -> LedgerState:
    """What a ledger said when it was made, without its spends; one that says what is not known is refused."""
    first = entries[0] if entries else Entry("", "{}")
    if first.kind != "ledger":
        raise RecordError(
            f"The file {name} is no ledger, but the record of a federation's node.",
            "Name a ledger, or make one, once, with Ledger.create.",
        )
    if first.content.get("format") != FORMAT:
        raise RecordError(
            f"The ledger {name} is of format {first.content.get('format')!r}, not {FORMAT}.",
            "Open it with the version of relgauss that wrote it.",
        )
    unknown = {entry.kind for entry in entries} - {"ledger", *SPEND_KINDS, *_OTHER_KINDS}
    if unknown:
        raise RecordError(f"The ledger holds an entry {min(unknown)!r}.", "Use a newer relgauss.")
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
