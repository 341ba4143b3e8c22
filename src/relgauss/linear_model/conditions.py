"""What the statement of a fit rests on beside the bounds of its releases."""

from __future__ import annotations

from dataclasses import replace

from relgauss.budget import Charge, Condition

OWN_COLUMNS = Condition(
    "no column was computed or chosen from these records (scaling, imputing, selecting)", "assumed"
)


def resting_on(charges: tuple[Charge, ...], conditions: tuple[Condition, ...]) -> tuple[Charge, ...]:
    """These charges, of which the first names the conditions of the whole fit."""
    first, *others = charges
    return replace(first, conditions=(*conditions, *first.conditions)), *others
