"""Which two tables count as neighbours: part of what a guarantee says, since one does not imply the other.

    replace-one       one record is another; the number of records is public
    add-or-remove     one record is in one table and not in the other; the number of records is protected

A replacement is a removal and an addition, so the second gives the first for groups of two
(``as_replace_one``). The first gives nothing about the second. Proof: proofs/neighbours.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from relgauss.errors import InvalidParameterError

Neighbours = Literal["replace-one", "add-or-remove"]
Order = Literal["removed", "added"]  # the loss of the table with the record against that without, or back

REPLACE_ONE: Neighbours = "replace-one"
ADD_OR_REMOVE: Neighbours = "add-or-remove"
NEIGHBOURS: tuple[Neighbours, ...] = (REPLACE_ONE, ADD_OR_REMOVE)

WORDS: dict[Neighbours, str] = {
    REPLACE_ONE: "one record replaced by another; the number of records is public",
    ADD_OR_REMOVE: "one record added or removed; the number of records is protected too",
}
"""What a privacy statement says of them."""


def common(name: str, found: Iterable[Neighbours | None]) -> Neighbours | None:
    """The neighbours that all parts are for; None for parts that hold for any. Mixing them is refused."""
    kinds = sorted({each for each in found if each is not None})
    if len(kinds) > 1:
        raise InvalidParameterError(
            name,
            kinds,
            "for the same neighbours",
            "Take add-or-remove parts as replace-one ones with as_replace_one(part); the way back does not "
            "exist: state the bound for added or removed records instead.",
        )
    return kinds[0] if kinds else None
