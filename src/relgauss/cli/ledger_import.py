"""What ``relgauss ledger import`` is told was spent elsewhere."""

from __future__ import annotations

import json as json_format
from pathlib import Path
from typing import cast

from relgauss.accounting.adjacency import Neighbours
from relgauss.accounting.compose import Composition
from relgauss.budget import PrivacyStatement
from relgauss.errors import RelgaussError
from relgauss.ledger.outside import Outside


def read_spent(
    statement: Path | None, event: Path | None, neighbours: str | None, epsilon: float | None, delta: float
) -> Outside:
    """What a statement's file, an event's file or a pair of numbers says, of which one is given."""
    if [statement, event, epsilon].count(None) != 2 or (event is None and neighbours is not None):
        raise RelgaussError(
            "What was spent is not clear.",
            "Pass --statement, or --event and its --neighbours, or --epsilon and --delta.",
        )
    if statement is not None:
        return _read_statement(statement)
    if event is not None:
        return _read_event(event, neighbours)
    return epsilon or 0.0, delta


def _read_event(file: Path, neighbours: str | None) -> Composition:
    """What an event in a file promises."""
    from relgauss.accounting import from_dp_accounting
    from relgauss.ledger.event_text import read_event

    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise RelgaussError(f"{file} cannot be read.", "Pass an event of dp_accounting as JSON.") from None
    return from_dp_accounting(read_event(text), neighbours=cast(Neighbours | None, neighbours))


def _read_statement(file: Path) -> PrivacyStatement:
    """The statement in a file: alone, or in what a command printed with --json."""
    try:
        text = file.read_text(encoding="utf-8")
        values = json_format.loads(text)
    except (OSError, ValueError):
        raise RelgaussError(
            f"{file} cannot be read as JSON.", "Pass a statement that relgauss wrote."
        ) from None
    for name in ("privacy", "statement"):
        if isinstance(values, dict) and isinstance(values.get(name), dict):
            values = values[name]
    return PrivacyStatement.from_dict(values)
