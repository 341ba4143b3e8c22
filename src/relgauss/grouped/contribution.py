"""How far one protected unit, a row or a person, can move what is measured of a column."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Contribution:
    """Bounds in L2 norm over all groups together, for one unit replaced by another.

    Attributes
    ----------
    count_sensitivity
        How far counts of rows by group and cell move; and, if sizes are not public, counts by group alone.
    sum_sensitivity
        How far the sums of (value - middle)/width over each group move, for values clipped to the window
        [middle - width/2, middle + width/2] of their group; a value that is left out adds 0.
    sizes_public
        Whether the number of rows of each group is public: then a unit stays in its group.
    """

    count_sensitivity: float
    sum_sensitivity: float
    sizes_public: bool


ONE_ROW = Contribution(math.nextafter(math.sqrt(2), 2), 1.0, sizes_public=True)
"""One row replaced by another of the same group. Proof: proofs/log-histogram.md, proofs/grouped-means.md."""
