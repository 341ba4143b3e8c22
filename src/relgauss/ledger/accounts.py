"""What a record of spends knows: accounts of nodes, their charges, and what a request is answered with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


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


@dataclass(frozen=True)
class Reserved:
    """A charge that is to be committed with its release; ``position`` counts the account's charges from 0."""

    position: int


@dataclass(frozen=True)
class Stored:
    """The release that this request was answered with before."""

    release: str


@dataclass(frozen=True)
class Spend:
    """One line of the record; ``released`` is false for a charge whose release was never recorded."""

    position: int
    request: str
    released: bool
