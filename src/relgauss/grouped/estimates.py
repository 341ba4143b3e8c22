"""What is said about each group, by either way of releasing it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray


@dataclass(frozen=True, eq=False)
class Estimates:
    """A place for each group; NaN where a group is too small for anything to be said."""

    groups: tuple[object, ...]
    sizes: NDArray[np.int64]
    estimate: FloatArray
    lower: FloatArray
    upper: FloatArray
    usable: NDArray[np.bool_]
