"""Statements to spend in a ledger."""

from dataclasses import replace

import relgauss as rg
from relgauss.budget.grouping_words import within_groups
from relgauss.ledger import Ledger

SAME_GROUP = within_groups(["job"])


def statement(mu: float, **changes: object) -> rg.PrivacyStatement:
    charge = rg.Charge("a mean", rg.GaussianDP(mu), "proofs/conversions.md")
    return replace(rg.PrivacyStatement((charge,), 1e-6), **changes)


def spend(ledger: Ledger, mu: float) -> None:
    ledger.record(ledger.reserve(statement(mu)), statement(mu))
