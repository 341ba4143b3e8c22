"""How much one person may contribute, and how far a whole person, replaced, then moves what is released.

    a person's kept rows      at most L in one group, in at most G groups
    counts of rows            L sqrt(2G)   by group, or by group and cell
    counts of persons         sqrt(2G)     by group
    sums in window widths     L sqrt(G)    of values from -1/2 to 1/2: measured from the window's middle

Proof: proofs/person-contributions.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from relgauss import validate


@dataclass(frozen=True)
class PersonBounds:
    """At most ``rows`` rows of a person in one group, in at most ``groups`` groups.

    One row a person, in one group, is both 1.
    """

    rows: int = 1
    groups: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", validate.count("rows_per_person", self.rows))
        object.__setattr__(self, "groups", validate.count("groups_per_person", self.groups))

    @property
    def row_counts(self) -> float:
        """How far a person moves counts of rows, rounded up."""
        return _up(self.rows * math.sqrt(2 * self.groups))

    @property
    def person_counts(self) -> float:
        """How far a person moves counts of persons, rounded up."""
        return _up(math.sqrt(2 * self.groups))

    @property
    def centred_sums(self) -> float:
        """How far a person moves sums of values from -1/2 to 1/2, rounded up."""
        return _up(self.rows * math.sqrt(self.groups))

    def kept_text(self) -> str:
        """The bounds in words."""
        rows = "one row" if self.rows == 1 else f"{self.rows:,} rows"
        groups = "one group" if self.groups == 1 else f"{self.groups:,} groups"
        return f"at most {rows} of a person in a group, in at most {groups}"

    def text(self) -> str:
        """The same for a statement."""
        kept = "is kept" if self.rows == 1 else "are kept"
        return (
            f"{self.kept_text()}, {kept}, chosen by a secret key and that person's rows alone; every number "
            "is of rows kept"
        )


def _up(value: float) -> float:
    return value * (1 + 2.0**-50)
