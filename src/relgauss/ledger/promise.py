"""What a ledger protects, and whether a release protects as much: unlike promises are never added.

A ledger holds for one unit (a row or a person, say) and one kind of neighbours. A release counts in it if its
own promise is the same, or covers more: one that protects against any replacement of a record also protects
against a replacement within a group.
"""

from __future__ import annotations

from dataclasses import dataclass

from relgauss.accounting.adjacency import WORDS
from relgauss.budget.statement import ONE_ROW, REPLACE_ONE, PrivacyStatement
from relgauss.errors import NoGuaranteeError

ROW, PERSON = "row", "person"
_SAME_GROUP = "one record replaced by another of the same group"

NEIGHBOURS = {
    "replace-one": REPLACE_ONE,
    "within groups": f"{_SAME_GROUP}; groups and their sizes are public",
    "add-or-remove": WORDS["add-or-remove"],
}
"""Short words for what statements say of neighbours."""


@dataclass(frozen=True)
class Promise:
    """Whom a statement protects, and between which tables.

    Attributes
    ----------
    unit
        What one record stands for.
    neighbours
        Which tables are kept apart.
    """

    unit: str
    neighbours: str

    @classmethod
    def of(cls, statement: PrivacyStatement) -> Promise:
        """The promise of a statement."""
        return cls(statement.unit, statement.neighbours)


def check_promise(unit: str, neighbours: str | None, offered: Promise) -> None:
    """Refuse a release that protects another unit than the ledger's, or fewer neighbours.

    Parameters
    ----------
    unit, neighbours
        What the ledger is for; None for neighbours that its first spend is to decide.
    offered
        What the release promises.
    """
    if unit != offered.unit and unit != short_unit(offered.unit):
        raise NoGuaranteeError(
            f"The ledger is for the unit {unit!r}, and this release protects another: {offered.unit!r}.",
            f"Make a release that protects the ledger's unit, or keep a ledger for the unit "
            f"{short_unit(offered.unit)!r} beside it.",
        )
    if neighbours is not None and not _covers(offered.neighbours, neighbours):
        raise NoGuaranteeError(
            f"The ledger keeps apart: {neighbours}. This release keeps apart less, or others: "
            f"{offered.neighbours}.",
            f"Keep another ledger for such releases, made with neighbours={_short(offered.neighbours)!r}.",
        )


def short_unit(unit: str) -> str:
    """The word for a unit: a table without a column of persons protects its rows."""
    if unit == ONE_ROW:
        return ROW
    return PERSON if unit.startswith("one person") else unit


def _covers(offered: str, needed: str) -> bool:
    return offered == needed or (offered == REPLACE_ONE and needed.startswith(_SAME_GROUP))


def _short(neighbours: str) -> str:
    return next((word for word, said in NEIGHBOURS.items() if said == neighbours), neighbours)
