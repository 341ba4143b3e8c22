"""Statements to spend in a ledger."""

from dataclasses import replace

import relgauss as rg
from relgauss.ledger import Ledger

SAME_GROUP = "one record replaced by another of the same group; groups and their sizes are public"


def statement(mu: float, **changes: object) -> rg.PrivacyStatement:
    charge = rg.Charge("a mean", rg.GaussianDP(mu), "proofs/conversions.md")
    return replace(rg.PrivacyStatement((charge,), 1e-6), **changes)


def spend(ledger: Ledger, mu: float) -> None:
    ledger.record(ledger.reserve(statement(mu)), statement(mu))
