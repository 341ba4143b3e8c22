"""The one form of an outcome that is not what was asked for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Refused:
    """What was asked for was not given. It is a value, not an error: whoever asked decides how to go on.

    Attributes
    ----------
    reason
        Why, in a sentence that quotes no record.
    fix
        What would give it.
    """

    reason: str
    fix: str
