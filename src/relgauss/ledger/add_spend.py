"""How spends are added to the log of a ledger, in a transaction. Proof: proofs/durable-record.md."""

from __future__ import annotations

import secrets
from contextlib import suppress
from typing import Any

from relgauss.accounting.approximate import Failure
from relgauss.accounting.filter import Exhausted
from relgauss.budget.charge import Charge
from relgauss.budget.statement import PrivacyStatement
from relgauss.errors import InvalidParameterError, OverBudgetError, RelgaussError
from relgauss.ledger.chained_log import Transaction
from relgauss.ledger.ledger_spend import MORE_THAN_RESERVED, LedgerSpend, spend_content
from relgauss.ledger.promise import Promise, check_promise
from relgauss.ledger.standing import Standing, standing_of, with_sums


def append_reservation(log: Transaction, file: str, planned: PrivacyStatement, what: str, **said: str) -> str:
    """Count a release in a transaction, if the budget holds it; the name of what was reserved."""
    if planned.simulated:
        raise InvalidParameterError(
            "ledger",
            file,
            "left out where noise is simulated",
            "A ledger counts private releases: leave out the seed, or the ledger.",
        )
    promise, name = Promise.of(planned), secrets.token_hex(8)
    standing = standing_of(log.entries, file)
    check_promise(standing.promise, standing.first_unit, promise)
    check_amount(standing, planned, file)
    content = spend_content(name, what or _stages(planned.charges), promise, planned.charges)
    log.append("reserve", **with_sums(content | said, standing.after(promise, planned.charges)))
    return name


def check_amount(standing: Standing, planned: PrivacyStatement, file: str) -> None:
    """Refuse what the budget does not hold."""
    found = standing.budget.after(*planned.charges)
    if isinstance(found, Exhausted):
        delta = standing.budget.delta
        raise OverBudgetError(f"Ledger {file}: {found.reason}", found.fix, found.left.epsilon(delta), delta)


def _stages(charges: tuple[Charge, ...]) -> str:
    return ", ".join(dict.fromkeys(charge.stage for charge in charges))


def excess(reserved: LedgerSpend, statement: PrivacyStatement) -> tuple[tuple[Charge, ...], dict[str, Any]]:
    """A spend for what was drawn beyond a reservation, under its promise: the charges, and the content."""
    name, charges = secrets.token_hex(8), statement.charges
    if Promise.of(statement) == reserved.promise:
        with suppress(RelgaussError):  # a guarantee that no file can hold
            return charges, spend_content(name, MORE_THAN_RESERVED, reserved.promise, charges)
    unknown = (Charge("a cost that is not known", Failure(1 - 2.0**-53), "proofs/durable-record.md"),)
    return unknown, spend_content(name, MORE_THAN_RESERVED, reserved.promise, unknown)
