"""What a ledger protects, and whether a release protects as much: unlike promises are never added.

A ledger holds for one unit (a row or a person, say) and one kind of neighbours, both as its first release
states them. A release counts in it if its own promise is the same, or covers more: one that protects against
any replacement of a record also protects against a replacement within a group, and one within the groups of
some columns also within those of these columns and others.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass

from relgauss.accounting.adjacency import WORDS
from relgauss.budget.grouping_words import (
    FIRST_DECIDES,
    SAME_GROUP,
    covers,
    grouping_columns,
    within_groups,
)
from relgauss.budget.statement import ONE_PERSON, ONE_ROW, REPLACE_ONE, PrivacyStatement
from relgauss.errors import NoGuaranteeError

_STATED_AS = {"row": (ONE_ROW,), "person": (ONE_ROW, ONE_PERSON)}

_NOT_SEEN = "Another ledger does not see what this one spent on the same people: its budget comes on top."
_AS_BEFORE = {
    False: "Name the column that tells whose row it is (person=COLUMN), as before.",
    True: "If nobody has several rows, release without person= as before; else those releases were for rows.",
}

NEIGHBOURS = {
    "replace-one": REPLACE_ONE,
    "within groups": FIRST_DECIDES,
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


def _word_for(unit: str) -> str:
    """What a ledger is made with to hold releases for this unit."""
    return {ONE_ROW: "row", ONE_PERSON: "person"}.get(unit, unit)


def check_promise(needed: Promise, first_unit: str | None, offered: Promise) -> None:
    """Refuse a release that protects another unit than the ledger's, or fewer neighbours.

    Parameters
    ----------
    needed
        What the ledger is for; its neighbours are empty if its first release is to decide.
    first_unit
        The unit as the ledger's first release states it, if there was one.
    offered
        What the release promises.
    """
    neighbours = needed.neighbours
    if offered.unit not in _STATED_AS.get(needed.unit, ()) and offered.unit != needed.unit:
        raise NoGuaranteeError(
            f"The ledger is for the unit {needed.unit!r}, and this release protects another: "
            f"{offered.unit!r}.",
            "Make a release that protects the ledger's unit, or another ledger: `relgauss ledger init FILE "
            f"--unit {shlex.quote(_word_for(offered.unit))}`. {_NOT_SEEN}",
        )
    if first_unit is not None and offered.unit not in (first_unit, needed.unit):
        raise NoGuaranteeError(
            f"The ledger's releases protect {first_unit!r}, and this one {offered.unit!r}.",
            f"{_AS_BEFORE[offered.unit != ONE_ROW]} {_NOT_SEEN}",
        )
    if neighbours and not _covers(offered.neighbours, neighbours):
        raise NoGuaranteeError(
            f"The ledger keeps apart: {neighbours}. This release keeps apart less, or others: "
            f"{offered.neighbours}.",
            f"A ledger made {_how_made(offered.neighbours, neighbours)} holds such releases. {_NOT_SEEN}",
        )


def decided_neighbours(opened: str | None, stated: Iterable[str]) -> str | None:
    """What a ledger keeps apart: as it was opened, or as the first release says that it left it to."""
    if opened == FIRST_DECIDES:
        return next((words for words in stated if grouping_columns(words) is not None), opened)
    return opened or next(filter(None, stated), None)


def _covers(offered: str, needed: str) -> bool:
    whole = offered == REPLACE_ONE and needed.startswith(SAME_GROUP)
    return offered == needed or whole or covers(offered, needed)


def _how_made(offered: str, needed: str) -> str:
    """How to make a ledger for both: by the columns of both, or with the words of statements."""
    mine, others = grouping_columns(offered), grouping_columns(needed)
    words = f"with neighbours={_words_for(offered, needed)!r}"
    if mine is None or others is None:
        return words
    options = " ".join(f"--by {shlex.quote(name)}" for name in sorted(mine | others))
    return f"by `relgauss ledger init {options}` (or {words})"


def _words_for(offered: str, needed: str) -> str:
    """Words of a ledger that holds such releases; where both are by columns, beside those of this one."""
    mine, others = grouping_columns(offered), grouping_columns(needed)
    if mine is not None and others is not None:
        return within_groups(mine | others)
    return next(
        (word for word, said in NEIGHBOURS.items() if covers(offered, said) or said == offered), offered
    )
