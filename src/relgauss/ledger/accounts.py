"""The accounts of nodes, as the entries of a record tell of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from relgauss.errors import RecordError
from relgauss.ledger.chained_log import Entry


@dataclass
class Charge:
    """A request that was charged, and what became of it."""

    request: str
    question: str
    state: Literal["reserved", "released", "abandoned"] = "reserved"
    release: str = ""


@dataclass
class Account:
    """What was agreed on, and what was charged."""

    terms: str
    allowed: int
    charges: dict[str, Charge] = field(default_factory=dict)


def accounts_of(entries: Iterable[Entry], prefix: str) -> dict[str, Account]:
    """What entries whose kinds have this prefix say of each account, in the order of its charges."""
    accounts: dict[str, Account] = {}
    for entry in entries:
        if not entry.kind.startswith(prefix):
            continue
        said = entry.content
        name, request = str(said.get("account")), str(said.get("request"))
        match entry.kind.removeprefix(prefix):
            case "agree":
                accounts[name] = Account(str(said["terms"]), int(str(said["allowed"])))
            case "reserve":
                accounts[name].charges[request] = Charge(request, str(said["question"]))
            case "commit":
                charge = accounts[name].charges[request]
                charge.state, charge.release = "released", str(said["release"])
            case "abandon":
                accounts[name].charges[request].state = "abandoned"
            case _:
                raise RecordError(
                    f"The record holds an entry of kind {entry.kind!r}.",
                    "A ledger is opened by Ledger.open; for any other kind use a newer relgauss.",
                )
    return accounts
